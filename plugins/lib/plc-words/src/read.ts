import { ErrorCode, isFault, type Call, type Fault, type Log, type Values } from '@tagway/sdk';
import type { RangeReader } from '@tagway/sdk/link';
import { blameOf } from './blame.ts';
import type { Item } from './decode.ts';
import type { ReadPlan, WordRange } from './plan.ts';
import type { WordMemory } from './word-memory.ts';

export interface ReadPassParts {
  readonly plan: ReadPlan;
  readonly memory: WordMemory;
  readonly into: Values;
  readonly call: Call;
  readonly log: Log;
}

/** One pass of reading the points of one group. */
export class ReadPass implements RangeReader<Item, WordRange> {
  readonly #parts: ReadPassParts;

  constructor(parts: ReadPassParts) {
    this.#parts = parts;
  }

  refused({ index }: Item, fault: Fault): void {
    this.#parts.into.fault(index, fault);
  }

  async read(range: WordRange): Promise<Fault | undefined> {
    const { area, start, end, items, decodings } = range;
    const { memory, into, call } = this.#parts;
    const { signal } = call;
    try {
      const data = await memory.readMemory(area, start, end - start, { signal });
      for (const decoding of decodings) decoding.decode(data, decoding, into);
      return undefined;
    } catch (error) {
      signal.throwIfAborted();
      if (!isFault(error) || error.code === ErrorCode.DISCONNECTED) throw error;
      const blame = blameOf(error);
      if (blame === 'size' && items.length > 1 && end - start > 1) {
        await this.#readSmaller(range);
        return undefined;
      }
      if (blame !== undefined) return error;
      for (const item of items) this.refused(item, error);
      return undefined;
    }
  }

  /** The request was too long for the PLC: halves the limit from now on, and reads the items with it. */
  async #readSmaller({ area, start, end, items }: WordRange): Promise<void> {
    const { plan, memory, log } = this.#parts;
    const kind = memory.isBits(area) ? 'bits' : 'words';
    const half = (end - start) >> 1;
    if (plan.limit(kind, half))
      log.notice(
        `The PLC finds requests for ${2 * half} ${kind} too long; from now on the driver asks for ${half} at most.`,
      );
    for (const part of plan.ranges.pack(items)) {
      const fault = await this.read(part);
      if (fault !== undefined) for (const item of part.items) this.refused(item, fault);
    }
  }
}
