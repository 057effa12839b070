import { ErrorCode, isFault, type Fault, type Values } from '@tagway/sdk';
import type { AskOptions } from '@tagway/sdk/link';
import { decode } from './decode.ts';
import { AdsError, isTemporary, readRefused } from './faults.ts';
import { fill, type PlannedRequest, type Item, type ReadPlan } from './plan.ts';
import { IndexGroup } from './protocol.ts';
import type { Sums } from './sums.ts';
import type { SymbolTable } from './symbols.ts';

/** The results and values of a request, or what all of its items failed with. */
type RequestAnswer = Buffer | Fault;

export interface ReadPassParts {
  readonly plan: ReadPlan;
  readonly sums: Sums;
  readonly symbols: SymbolTable;
  readonly into: Values;
  readonly options: AskOptions;
  readonly now: number;
}

/** One pass of reading the points of one group. */
export class ReadPass {
  readonly #parts: ReadPassParts;

  constructor(parts: ReadPassParts) {
    this.#parts = parts;
  }

  /**
   * Gives every point a value or a fault, once. Nothing is stored before all answers are there, so that a program that turns out to have
   * changed is asked once more. Rejects as `Driver.read` does.
   */
  async run(): Promise<void> {
    const { plan, symbols, into, options, now } = this.#parts;
    const { memory } = plan;
    const names = plan.named.map(({ name }) => name);
    for (const isLast of [false, true]) {
      if (names.length > 0) await symbols.resolve(names, options);
      const { program } = symbols;
      // A new program is as good as a new connection: what was refused before has a new chance.
      memory.begin(now, program);
      const { requests, refused, faulty } = plan.compile(symbols);
      const retried = refused.filter((item) => memory.tries(item, now));
      const asked = retried.length === 0 ? requests : [...requests, ...plan.pack(retried)];
      const answers = await Promise.all(asked.map((request) => this.#ask(request)));
      if (
        !isLast &&
        asked.some((request, index) => this.#isOutdated(request, answers[index] as RequestAnswer))
      ) {
        symbols.renew();
        continue;
      }
      // Another group may have found that the program has changed, while these requests waited.
      if (!isLast && names.length > 0 && program !== symbols.program) continue;
      for (const { index, fault } of faulty) into.fault(index, fault);
      for (const item of refused)
        if (!retried.includes(item)) into.fault(item.index, memory.reasonOf(item) as Fault);
      for (const [index, request] of asked.entries()) this.#store(request, answers[index] as RequestAnswer);
      return;
    }
  }

  async #ask(request: PlannedRequest): Promise<RequestAnswer> {
    const { sums, options } = this.#parts;
    try {
      const { error, data } = await sums.read(request.data, options);
      if (error === 0) return data;
      if (isTemporary(error)) return readRefused(error);
      // Some controllers refuse all of a sum because of one item; which one it is shows when each is asked alone.
      return await sums.singly(request.data, options);
    } catch (error) {
      if (!isFault(error) || error.code === ErrorCode.DISCONNECTED) throw error;
      return error;
    }
  }

  #isOutdated({ hasVersion, data }: PlannedRequest, answer: RequestAnswer): boolean {
    if (!hasVersion || isFault(answer) || answer.readUInt32LE(0) !== 0) return false;
    const { version } = this.#parts.symbols;
    return version !== undefined && answer[4 * data.readUInt32LE(4)] !== version;
  }

  #store(request: PlannedRequest, answer: RequestAnswer): void {
    const { into, plan, symbols } = this.#parts;
    if (isFault(answer)) return fill(request, answer, into);
    const { items, hasVersion } = request;
    const skipped = hasVersion ? 1 : 0;
    let result = 4 * skipped;
    let at = 4 * (items.length + skipped) + skipped;
    let isStale = false;
    for (const item of items) {
      const error = answer.readUInt32LE(result);
      if (error === 0) {
        plan.memory.accept(item);
        decode(into, item.index, item.form, answer, at);
      } else {
        isStale ||= error === AdsError.SYMBOL_VERSION_INVALID;
        this.#refused(item, error);
      }
      result += 4;
      at += item.form.size;
    }
    if (isStale) symbols.renew();
  }

  #refused(item: Item, error: number): void {
    const { into, plan, now } = this.#parts;
    const fault = readRefused(error);
    const isOfProgram = error === AdsError.SYMBOL_VERSION_INVALID && item.area === IndexGroup.VALUE_BY_HANDLE;
    if (!isTemporary(error) && !isOfProgram) plan.memory.refuse(item, fault, now);
    into.fault(item.index, fault);
  }
}
