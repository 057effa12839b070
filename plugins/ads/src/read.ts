import { ErrorCode, isFault, type Fault, type Values } from '@tagway/sdk';
import type { AskOptions, RefusalMemory } from '@tagway/sdk/link';
import { decodeInto } from './decode.ts';
import { AdsError, isPassing, readRefused } from './faults.ts';
import { failAll, pack, type Chunk, type Item, type PlanLimits, type ReadPlan } from './plan.ts';
import { IndexGroup } from './protocol.ts';
import type { Sums } from './sums.ts';
import type { SymbolTable } from './symbols.ts';

/** The results and values of a chunk, or what all of its items failed with. */
type ChunkAnswer = Buffer | Fault;

/** Reads plans: all groups of a driver share what it knows of the controller. */
export class Reader {
  readonly #sums: Sums;
  readonly #symbols: SymbolTable;
  readonly #memory: RefusalMemory<Fault>;
  readonly #limits: PlanLimits;
  /** How often the program has changed. */
  #changes = 0;

  constructor(sums: Sums, symbols: SymbolTable, memory: RefusalMemory<Fault>, limits: PlanLimits) {
    this.#sums = sums;
    this.#symbols = symbols;
    this.#memory = memory;
    this.#limits = limits;
  }

  /**
   * Reads the points of a plan on connection number `generation`. Nothing is stored before all answers are there, so that a program that
   * turns out to have changed is asked once more.
   */
  async read(
    plan: ReadPlan,
    into: Values,
    now: number,
    generation: number,
    options: AskOptions,
  ): Promise<void> {
    for (const isLast of [false, true]) {
      if (plan.names.length > 0) await this.#symbols.resolve(plan.names, options);
      // A new program is as good as a new connection: what was refused before has a new chance.
      this.#memory.begin(now, generation * 65_536 + this.#changes);
      const { chunks, refused, faulty } = plan.compile(this.#symbols, this.#memory);
      const retried = refused.filter((item) => this.#memory.tries(item, now));
      const { program } = this.#symbols;
      const asked = retried.length === 0 ? chunks : [...chunks, ...pack(retried, this.#limits)];
      const answers = await Promise.all(asked.map((chunk) => this.#ask(chunk, options)));
      if (!isLast && asked.some((chunk, index) => this.#isOutdated(chunk, answers[index] as ChunkAnswer))) {
        this.#renew();
        continue;
      }
      // Another group may have found that the program has changed, while these requests waited.
      if (!isLast && plan.names.length > 0 && program !== this.#symbols.program) continue;
      for (const { index, fault } of faulty) into.fault(index, fault);
      for (const item of refused)
        if (!retried.includes(item)) into.fault(item.index, this.#memory.reasonOf(item) as Fault);
      for (const [index, chunk] of asked.entries())
        this.#store(chunk, answers[index] as ChunkAnswer, into, now);
      return;
    }
  }

  async #ask(chunk: Chunk, options: AskOptions): Promise<ChunkAnswer> {
    try {
      const { error, data } = await this.#sums.read(chunk.request, options);
      if (error === 0) return data;
      if (isPassing(error)) return readRefused(error);
      // Some controllers refuse all of a sum because of one item; which one it is shows when each is asked alone.
      return await this.#sums.singly(chunk.request, options);
    } catch (error) {
      if (!isFault(error) || error.code === ErrorCode.DISCONNECTED) throw error;
      return error;
    }
  }

  #isOutdated({ hasVersion, request }: Chunk, answer: ChunkAnswer): boolean {
    if (!hasVersion || isFault(answer) || answer.readUInt32LE(0) !== 0) return false;
    const { version } = this.#symbols;
    return version !== undefined && answer[4 * request.readUInt32LE(4)] !== version;
  }

  #store(chunk: Chunk, answer: ChunkAnswer, into: Values, now: number): void {
    if (isFault(answer)) return failAll(chunk, answer, into);
    const { items, hasVersion } = chunk;
    const skipped = hasVersion ? 1 : 0;
    let result = 4 * skipped;
    let at = 4 * (items.length + skipped) + skipped;
    let isStale = false;
    for (const item of items) {
      const error = answer.readUInt32LE(result);
      if (error === 0) {
        this.#memory.accept(item);
        decodeInto(into, item.index, item.form, answer, at);
      } else {
        isStale ||= error === AdsError.SYMBOL_VERSION_INVALID;
        this.#refused(item, error, into, now);
      }
      result += 4;
      at += item.form.size;
    }
    if (isStale) this.#renew();
  }

  #refused(item: Item, error: number, into: Values, now: number): void {
    const fault = readRefused(error);
    const isOfProgram = error === AdsError.SYMBOL_VERSION_INVALID && item.area === IndexGroup.VALUE_BY_HANDLE;
    if (!isPassing(error) && !isOfProgram) this.#memory.refuse(item, fault, now);
    into.fault(item.index, fault);
  }

  #renew(): void {
    this.#changes++;
    this.#symbols.renew();
  }
}
