import type { Progress } from '@tagway/sdk/link';
import {
  checksum,
  dataAt,
  Flag,
  functionMask,
  head,
  mostAnswer,
  overhead,
  tail,
  unshift,
} from './protocol.ts';

/** Room for an answer and for frames before it that belong to others. */
const room = 2 * mostAnswer;

/** What an answer must name to be the one to a request. */
export interface Expected {
  /** Address of the meter as it is sent. */
  readonly address: Uint8Array;
  readonly control: number;
  readonly identifier: number;
  /** Number of a frame of what is left; 0 for the first frame. */
  readonly sequence: number;
  /** Whether to believe an error: unlike data, it does not say what it is about. */
  errorIsOurs(): boolean;
}

/** Finds the answer to one request at a time in the bytes that come: wake-up bytes, noise, frames of other meters, late answers. */
export class Reply {
  /** The data of the answer, behind its identifier, is `data[start, end)`. */
  readonly data = Buffer.alloc(room);
  start = 0;
  end = 0;
  /** The error byte; -1 when the answer is no error. */
  error = -1;
  /** More of the item is to be asked for. */
  more = false;
  readonly #foreign: () => void;
  #expected: Expected | undefined;
  /** What has come is `data[from, length)`; before it lie frames of others. */
  #from = 0;
  #length = 0;

  /** `foreign` is called for every good frame that is not the answer. */
  constructor(foreign: () => void) {
    this.#foreign = foreign;
  }

  expect(expected: Expected): void {
    this.#expected = expected;
    this.#from = this.#length = 0;
  }

  /** Takes `bytes[0, end)`. */
  take(bytes: Uint8Array, end: number): Progress {
    const taken = Math.min(end, room);
    const kept = Math.min(this.#length - this.#from, room - taken);
    this.data.copyWithin(0, this.#length - kept, this.#length);
    this.data.set(bytes.subarray(end - taken, end), kept);
    this.#from = 0;
    this.#length = kept + taken;
    return this.#search();
  }

  #search(): Progress {
    let isDamaged = false;
    for (let at = 0; at < this.#length; at++) {
      const size = this.#sizeAt(at);
      if (size === 0 || at + size > this.#length) continue;
      if (!this.#isGood(at, size)) {
        isDamaged ||= this.#isOurs(at);
        continue;
      }
      if (this.#isAnswer(at, size)) return 'answered';
      this.#foreign();
      this.#from = at + size;
      at += size - 1;
      isDamaged = false;
    }
    return isDamaged ? 'damaged' : 'waiting';
  }

  /** Bytes of the frame that may begin here; 0 when none does or too little of it has come. */
  #sizeAt(at: number): number {
    const { data } = this;
    if (data[at] !== head || at + dataAt > this.#length || data[at + 7] !== head) return 0;
    return overhead + data[at + 9]!;
  }

  #isGood(at: number, size: number): boolean {
    const last = at + size - 1;
    return this.data[last] === tail && checksum(this.data, at, last - 1) === this.data[last - 1];
  }

  /** Whether the beginning of a frame is that of an answer of this meter to this kind of request. */
  #isOurs(at: number): boolean {
    const { data } = this;
    const expected = this.#expected;
    if (expected === undefined) return false;
    for (let i = 0; i < 6; i++) if (data[at + 1 + i] !== expected.address[i]) return false;
    const control = data[at + 8]!;
    return (control & Flag.ANSWER) !== 0 && (control & functionMask) === (expected.control & functionMask);
  }

  #isAnswer(at: number, size: number): boolean {
    const { data } = this;
    const expected = this.#expected;
    if (expected === undefined || !this.#isOurs(at)) return false;
    const begin = at + dataAt;
    const end = at + size - 2;
    const control = data[at + 8]!;
    const isError = (control & Flag.ERROR) !== 0;
    if (isError && (end === begin || !expected.errorIsOurs())) return false;
    unshift(data, begin, end);
    this.more = !isError && (control & Flag.MORE) !== 0;
    this.error = isError ? data[begin]! : -1;
    if (isError) return true;
    this.start = begin + 4;
    this.end = end - (expected.sequence === 0 ? 0 : 1);
    return (
      this.end >= this.start &&
      data.readUInt32LE(begin) === expected.identifier &&
      (expected.sequence === 0 || data[this.end] === expected.sequence)
    );
  }
}
