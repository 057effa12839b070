import { Exception } from '@tagway/modbus/server';
import { type AppContext, type Fault, formatReference, isFault, rowsOf } from '@tagway/sdk';
import { LimitedLog } from '@tagway/store/log';
import type { Unit } from '../map/unit.ts';
import type { Point } from '../map/point.ts';
import { exceptionOf, exceptionOfAll } from './exceptions.ts';
import type { Asker } from './request.ts';
import { type Assignment, planOf } from './write-plan.ts';
import type { WriteRequest } from './write-request.ts';

export interface WritesOptions {
  readonly context: Pick<AppContext, 'clock' | 'count' | 'log' | 'read' | 'signal' | 'write'>;
  /** Milliseconds within which a master gets an answer. */
  readonly limit: number;
  /** Most writes that may wait for their devices. */
  readonly most: number;
}

/** Milliseconds between two lines about refused writes. */
const linesApart = 10_000;

/** Carries out writes of masters: one answer each, when the devices have confirmed or within the time limit. */
export class Writes {
  readonly #options: WritesOptions;
  readonly #refusals: LimitedLog;
  #waiting = 0;
  /** Registers that are read, changed and written come one after the other. */
  #changing: Promise<unknown> = Promise.resolve();

  constructor(options: WritesOptions) {
    this.#options = options;
    this.#refusals = new LimitedLog(options.context.clock, linesApart);
  }

  /** Resolves with 0 once everything is written, otherwise with an exception code. */
  async write(unit: Unit, request: WriteRequest, asker: Asker): Promise<number> {
    if (asker.refusal !== undefined)
      return this.#refuse(asker, asker.refusal, Exception.ILLEGAL_DATA_ADDRESS);
    const plan = planOf(unit, request);
    if (typeof plan === 'number')
      return this.#refuse(asker, `it is none that the table takes (exception ${plan})`, plan);
    const { most } = this.#options;
    if (this.#waiting >= most)
      return this.#refuse(asker, `${most} writes wait for their devices`, Exception.SERVER_DEVICE_BUSY);
    this.#waiting++;
    try {
      return await this.#within(asker, (signal) =>
        plan.changes === undefined
          ? this.#send(plan.assignments, asker, signal)
          : this.#change(plan.changes, request, asker, signal),
      );
    } finally {
      this.#waiting--;
    }
  }

  /** The result of `work`, or that the device has failed to respond when it takes too long: what was not sent is not sent any more. */
  async #within(asker: Asker, work: (signal: AbortSignal) => Promise<number>): Promise<number> {
    const { context, limit } = this.#options;
    const { clock } = context;
    const end = new AbortController();
    using _timer = clock.timer(limit, () => end.abort());
    const signal = AbortSignal.any([context.signal, end.signal]);
    try {
      return await work(signal);
    } catch (error) {
      if (signal.aborted)
        return this.#refuse(
          asker,
          `no device has confirmed it within ${limit} ms`,
          Exception.GATEWAY_TARGET_FAILED,
        );
      if (!isFault(error)) throw error;
      return this.#refuse(asker, clauseOf(error), exceptionOf(error));
    }
  }

  async #send(assignments: readonly Assignment[], asker: Asker, signal: AbortSignal): Promise<number> {
    if (assignments.length === 0) return 0;
    const { context } = this.#options;
    const writes = assignments.map(({ point: { row }, value }) => {
      const { node: driver, group, tag } = row.reference;
      return { driver, group, tag, value };
    });
    const faults = await context.write(writes, { whole: true, from: asker.from, signal });
    for (const [index, { point, value }] of assignments.entries())
      if (faults[index] === undefined) point.confirmed(value);
    const exception = exceptionOfAll(faults);
    if (exception === 0) context.count('writes_total', assignments.length);
    else this.#logFaults(assignments, faults, asker);
    return exception;
  }

  /** Changes some bits of a register: of the value that the device has now, not of the latest that it had. */
  #change(point: Point, request: WriteRequest, asker: Asker, signal: AbortSignal): Promise<number> {
    const change = this.#changing.then(async () => {
      signal.throwIfAborted();
      const word = await this.#wordOf(point, signal);
      if (typeof word === 'number') return word;
      const { data, mask = 0 } = request;
      word.writeUInt16BE((word.readUInt16BE() & ~mask) | (data.readUInt16BE() & mask));
      const value = point.valueOf(word, 0);
      if (value === undefined) return Exception.ILLEGAL_DATA_VALUE;
      return this.#send([{ point, value }], asker, signal);
    });
    this.#changing = change.catch(() => undefined);
    return change;
  }

  /** The register as the device has it now, or an exception code. */
  async #wordOf(point: Point, signal: AbortSignal): Promise<Buffer | number> {
    const { node, group, tag } = point.row.reference;
    const sample = await this.#options.context.read(node, group, { sync: true, signal });
    for (const { column, value, fault } of rowsOf(sample, { all: true })) {
      if (column.name !== tag) continue;
      const registers = fault === 0 ? point.registersOf(value) : undefined;
      return registers === undefined
        ? Exception.GATEWAY_TARGET_FAILED
        : Buffer.from(registers.subarray(0, 2));
    }
    return Exception.GATEWAY_TARGET_FAILED;
  }

  #logFaults(assignments: readonly Assignment[], faults: readonly (Fault | undefined)[], asker: Asker): void {
    const nameAt = (index: number): string => formatReference(assignments[index]!.point.row.reference);
    const failed = [...faults.keys()].filter((index) => faults[index] !== undefined);
    const reason = clauseOf(faults[failed[0]!]!);
    const written = assignments.length - failed.length;
    if (written === 0) return void this.#refuse(asker, reason, 0);
    // What is written and what is not has to be found out by people: it is logged every time.
    const namesOf = (indices: readonly number[]): string => indices.map(nameAt).join(', ');
    const done = [...faults.keys()].filter((index) => faults[index] === undefined);
    this.#options.context.count('refused_writes_total', 1);
    this.#options.context.log.error(
      `A write of ${asker.peer} was carried out in part. Written: ${namesOf(done)}. Not written: ${namesOf(failed)}: ${reason}.`,
    );
  }

  #refuse(asker: Asker, reason: string, exception: number): number {
    const { context } = this.#options;
    context.count('refused_writes_total', 1);
    this.#refusals.add((others) =>
      context.log.warn(`A write of ${asker.peer} was refused: ${reason}.${others}`),
    );
    return exception;
  }
}

/** The sentence of a fault as a clause without its full stop. */
function clauseOf({ message }: Fault): string {
  return message.replace(/\.$/, '');
}
