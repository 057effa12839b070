import type { AskOptions } from '@tagway/sdk/link';
import { isWithoutSums } from './faults.ts';
import { IndexGroup, writePlace } from './protocol.ts';
import { noData, type Answer, type Session } from './session.ts';

/** One part of a sum request that reads, writes, or writes and then reads. */
export interface SumItem {
  readonly group: number;
  readonly offset: number;
  /** Bytes. */
  readonly readLength: number;
  readonly written: Uint8Array;
}

/** Requests that stand for many (ADSIGRP_SUMUP_…), and one by one where a controller has none or refuses one as a whole. */
export class Sums {
  readonly #session: Session;
  /** The connection on which sum requests were found to be unknown. */
  #withoutSums = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  get #isWithout(): boolean {
    return this.#withoutSums === this.#session.link.generation;
  }

  /** Writes and reads; the answer of each item in order. Rejects as the link does. */
  async readWrite(items: readonly SumItem[], options: AskOptions): Promise<Answer[]> {
    if (items.length > 1 && !this.#isWithout) {
      const total = items.reduce((sum, { readLength }) => sum + readLength, 0);
      const data = sumOf(IndexGroup.SUM_READ_WRITE, items, 16, 8 * items.length + total);
      const answer = await this.#session.readWriteRaw(data, options);
      if (answer.error === 0) return this.#split(items.length, answer.data);
      this.#refused(answer.error);
    }
    return Promise.all(
      items.map(({ group, offset, readLength, written }) =>
        this.#session.readWrite(group, offset, readLength, written, options),
      ),
    );
  }

  /** Writes in order; the error of each item, 0 for none. Rejects as the link does. */
  async write(items: readonly SumItem[], options: AskOptions): Promise<number[]> {
    if (items.length > 1 && !this.#isWithout) {
      const data = sumOf(IndexGroup.SUM_WRITE, items, 12, 4 * items.length);
      const { error, data: results } = await this.#session.readWriteRaw(data, options);
      if (error === 0 && results.length < 4 * items.length) this.#session.misfit();
      if (error === 0) return items.map((_, index) => results.readUInt32LE(4 * index));
      this.#refused(error);
    }
    const errors: number[] = [];
    for (const { group, offset, written } of items)
      errors.push((await this.#session.write(group, offset, written, options)).error);
    return errors;
  }

  /**
   * Reads what a prepared request asks for: results of four bytes each, then the values in slots of the sizes that were asked for. An error is
   * that of the request as a whole.
   */
  async read(request: Buffer, options: AskOptions): Promise<Answer> {
    const count = request.readUInt32LE(4);
    if (!this.#isWithout) {
      const answer = await this.#session.readWriteRaw(request, options);
      if (answer.error === 0 && answer.data.length < request.readUInt32LE(8)) this.#session.misfit();
      if (answer.error === 0) return answer;
      this.#refused(answer.error);
      if (count > 1 && !this.#isWithout) return answer;
    }
    return { error: 0, data: await this.singly(request, options) };
  }

  /** As `read`, asking for every item alone: for a controller that refuses all because of one. */
  async singly(request: Buffer, options: AskOptions): Promise<Buffer> {
    const count = request.readUInt32LE(4);
    const data = Buffer.alloc(request.readUInt32LE(8));
    let slot = 4 * count;
    await Promise.all(
      Array.from({ length: count }, async (_, index) => {
        const at = 16 + 12 * index;
        const size = request.readUInt32LE(at + 8);
        const place = slot;
        slot += size;
        const answer = await this.#session.read(
          request.readUInt32LE(at),
          request.readUInt32LE(at + 4),
          size,
          options,
        );
        if (answer.error === 0 && answer.data.length < size) this.#session.misfit();
        data.writeUInt32LE(answer.error, 4 * index);
        answer.data.copy(data, place, 0, size);
      }),
    );
    return data;
  }

  #refused(error: number): void {
    if (isWithoutSums(error)) this.#withoutSums = this.#session.link.generation;
  }

  /** Results with the lengths of what was really read, then the data of all without gaps. */
  #split(count: number, data: Buffer): Answer[] {
    if (data.length < 8 * count) this.#session.misfit();
    let at = 8 * count;
    return Array.from({ length: count }, (_, index) => {
      const error = data.readUInt32LE(8 * index);
      const length = data.readUInt32LE(8 * index + 4);
      if (length > data.length - at) this.#session.misfit();
      const value = data.subarray(at, at + length);
      at += length;
      return { error, data: error === 0 ? value : noData };
    });
  }
}

/** Data of a READ_WRITE that asks for a sum: the places, in entries of 16 bytes when each is written and read, then all that is written. */
export function sumOf(group: number, items: readonly SumItem[], entry: 12 | 16, readLength: number): Buffer {
  const size = items.reduce((sum, { written }) => sum + entry + written.length, 0);
  const data = Buffer.allocUnsafe(16 + size);
  writePlace(data, 0, group, items.length, readLength);
  data.writeUInt32LE(size, 12);
  let at = 16;
  let value = 16 + entry * items.length;
  for (const { group: itemGroup, offset, readLength: itemLength, written } of items) {
    writePlace(data, at, itemGroup, offset, entry === 12 ? itemLength + written.length : itemLength);
    if (entry === 16) data.writeUInt32LE(written.length, at + 12);
    data.set(written, value);
    at += entry;
    value += written.length;
  }
  return data;
}
