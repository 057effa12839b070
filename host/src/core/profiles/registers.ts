import { Attribute, DataType, ErrorCode, type ProfileDiscovery } from '@tagway/schemas';
import { Fault, isFault } from '@tagway/sdk';
import type { TrialRead } from '../ports/ports.ts';
import { Refusal, sentence } from '../system/sentence.ts';
import { addressOf } from './model-tags.ts';
import type { Parameters } from './profile-groups.ts';

/** Requests of one discovery, and the milliseconds that it may take. */
const most = { reads: 1000, time: 60_000 } as const;

/** Codes that mean that the device has not answered. */
export const silences: ReadonlySet<number> = new Set<number>([
  ErrorCode.NO_RESPONSE,
  ErrorCode.DISCONNECTED,
  ErrorCode.NOT_RUNNING,
  ErrorCode.BUSY,
]);

/** Registers of a model that hold one value. */
interface Span {
  readonly offset: number;
  readonly count: number;
}

/** Reads registers of a device through its driver, within bounds. */
export class Registers {
  readonly #discover: ProfileDiscovery;
  readonly #values: Parameters;
  readonly #read: TrialRead;
  readonly #until = Date.now() + most.time;
  #reads = 0;

  constructor(discover: ProfileDiscovery, values: Parameters, read: TrialRead) {
    this.#discover = discover;
    this.#values = values;
    this.#read = read;
  }

  /** Rejects with the fault of the device, or with DISCOVERY_FAILED when it takes too much. */
  async read(start: number, count: number): Promise<Buffer> {
    if (++this.#reads > most.reads || Date.now() > this.#until)
      throw new Refusal(
        ErrorCode.DISCOVERY_FAILED,
        sentence`Asking the device what it has was given up after ${this.#reads - 1} reads: ${most.reads} reads and ${most.time / 1000} s are allowed.`,
      );
    const address = addressOf(this.#discover.block, this.#discover, this.#values, start, count);
    const value = await this.#read({
      name: 'discovery',
      address,
      type: DataType.BYTES,
      attribute: Attribute.READ,
    });
    if (value instanceof Uint8Array && value.length >= count * 2) return Buffer.from(value);
    throw new Fault(
      ErrorCode.DECODE_FAILED,
      `The driver has read ${address}, and got something else than ${count} registers.`,
    );
  }

  /** Values of a model by their offsets, in few requests. What the device refuses is left out; one that falls silent ends it. */
  async readAll(start: number, spans: readonly Span[]): Promise<Map<number, Buffer>> {
    const found = new Map<number, Buffer>();
    const sorted = spans.toSorted((a, b) => a.offset - b.offset);
    for (const block of this.#blocks(sorted)) await this.#readBlock(start, block, found);
    return found;
  }

  #blocks(spans: readonly Span[]): Span[][] {
    const blocks: Span[][] = [];
    let end = -1;
    for (const span of spans) {
      const block = blocks.at(-1);
      const first = block?.[0]?.offset ?? 0;
      const isNear = span.offset <= end + 8 && span.offset + span.count - first <= this.#discover.most;
      if (block !== undefined && isNear) block.push(span);
      else blocks.push([span]);
      end = Math.max(isNear ? end : -1, span.offset + span.count);
    }
    return blocks;
  }

  async #readBlock(start: number, block: readonly Span[], found: Map<number, Buffer>): Promise<void> {
    const first = block[0]?.offset ?? 0;
    const end = Math.max(...block.map(({ offset, count }) => offset + count));
    try {
      const bytes = await this.read(start + first, end - first);
      for (const { offset, count } of block)
        found.set(offset, bytes.subarray((offset - first) * 2, (offset - first + count) * 2));
    } catch (error) {
      if (!isFault(error) || error.code === ErrorCode.DISCOVERY_FAILED || silences.has(error.code))
        throw error;
      if (block.length < 2) return;
      const half = block.length >> 1;
      await this.#readBlock(start, block.slice(0, half), found);
      await this.#readBlock(start, block.slice(half), found);
    }
  }
}
