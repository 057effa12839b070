import type { AskOptions } from '@tagway/sdk/link';
import { isWithoutSums } from './faults.ts';
import { IndexGroup, writePlace } from './protocol.ts';
import type { AdsLink, Answer } from './session.ts';

/** One part of a sum request that reads, writes, or writes and then reads. */
export interface SumItem {
  readonly group: number;
  readonly offset: number;
  /** Bytes. */
  readonly readLength: number;
  readonly written: Uint8Array;
}

const noData = Buffer.alloc(0);

/** Requests that stand for many (ADSIGRP_SUMUP_…), and one by one where a controller has none or refuses one as a whole. */
export class Sums {
  readonly #ads: AdsLink;
  /** The connection on which sum requests were found to be unknown. */
  #withoutSums = 0;

  constructor(ads: AdsLink) {
    this.#ads = ads;
  }

  get #isWithout(): boolean {
    return this.#withoutSums === this.#ads.generation;
  }

  /** Writes and reads; the answer of each item in order. Rejects as the link does. */
  async readWrite(items: readonly SumItem[], options: AskOptions): Promise<Answer[]> {
    if (items.length > 1 && !this.#isWithout) {
      const total = items.reduce((sum, { readLength }) => sum + readLength, 0);
      const data = sumOf(IndexGroup.SUM_READ_WRITE, items, 16, 8 * items.length + total);
      const answer = await this.#ads.readWriteRaw(data, options);
      if (answer.error === 0) return this.#split(items.length, answer.data);
      this.#refused(answer.error);
    }
    return Promise.all(
      items.map(({ group, offset, readLength, written }) =>
        this.#ads.readWrite(group, offset, readLength, written, options),
      ),
    );
  }

  /** Writes in order; the error of each item, 0 for none. Rejects as the link does. */
  async write(items: readonly SumItem[], options: AskOptions): Promise<number[]> {
    if (items.length > 1 && !this.#isWithout) {
      const data = sumOf(IndexGroup.SUM_WRITE, items, 12, 4 * items.length);
      const { error, data: results } = await this.#ads.readWriteRaw(data, options);
      if (error === 0 && results.length < 4 * items.length) this.#ads.misfit();
      if (error === 0) return items.map((_, index) => results.readUInt32LE(4 * index));
      this.#refused(error);
    }
    const errors: number[] = [];
    for (const { group, offset, written } of items)
      errors.push((await this.#ads.write(group, offset, written, options)).error);
    return errors;
  }

  /**
   * Reads what a prepared request asks for: results of four bytes each, then the values in slots of the sizes that were asked for. An error is
   * that of the request as a whole.
   */
  async read(request: Buffer, options: AskOptions): Promise<Answer> {
    const count = request.readUInt32LE(4);
    if (!this.#isWithout) {
      const answer = await this.#ads.readWriteRaw(request, options);
      if (answer.error === 0 && answer.data.length < request.readUInt32LE(8)) this.#ads.misfit();
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
        const answer = await this.#ads.read(
          request.readUInt32LE(at),
          request.readUInt32LE(at + 4),
          size,
          options,
        );
        if (answer.error === 0 && answer.data.length < size) this.#ads.misfit();
        data.writeUInt32LE(answer.error, 4 * index);
        answer.data.copy(data, place, 0, size);
      }),
    );
    return data;
  }

  #refused(error: number): void {
    if (isWithoutSums(error)) this.#withoutSums = this.#ads.generation;
  }

  /** Results with the lengths of what was really read, then the data of all without gaps. */
  #split(count: number, data: Buffer): Answer[] {
    if (data.length < 8 * count) this.#ads.misfit();
    let at = 8 * count;
    return Array.from({ length: count }, (_, index) => {
      const error = data.readUInt32LE(8 * index);
      const length = data.readUInt32LE(8 * index + 4);
      if (length > data.length - at) this.#ads.misfit();
      const value = data.subarray(at, at + length);
      at += length;
      return { error, data: error === 0 ? value : noData };
    });
  }
}

/** Data of a READ_WRITE that asks for a sum: the places, in entries of `entry` bytes, then all that is written. */
function sumOf(group: number, items: readonly SumItem[], entry: 12 | 16, readLength: number): Buffer {
  const size = items.reduce((sum, { written }) => sum + entry + written.length, 0);
  const data = Buffer.allocUnsafe(16 + size);
  writePlace(data, 0, group, items.length, readLength);
  data.writeUInt32LE(size, 12);
  let [at, value] = [16, 16 + entry * items.length];
  for (const { group: itemGroup, offset, readLength: itemLength, written } of items) {
    writePlace(data, at, itemGroup, offset, entry === 12 ? written.length : itemLength);
    if (entry === 16) data.writeUInt32LE(written.length, at + 12);
    data.set(written, value);
    at += entry;
    value += written.length;
  }
  return data;
}
