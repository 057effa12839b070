import { maxPdu, replySize } from '@tagway/modbus';
import { crc16, overhead } from '@tagway/modbus/rtu';
import type { Progress } from '@tagway/sdk/link';

const exceptionSize = 2 + overhead;

/** Room for the answer and for a frame before it that belongs to another request. */
const room = 2 * (maxPdu + overhead);

/**
 * Finds the answer to one request in the bytes that come after it. A frame has no mark of its beginning, so the answer is recognized by
 * what follows from the request: unit, function, length and, of a write, what the device repeats. Bytes before it are noise, or
 * the late answer to another request.
 */
export class Reply {
  /** Most bytes of the frame. */
  readonly size: number;
  /** The answer's protocol data unit, once whole, is `data[start, end)`. */
  readonly data = Buffer.allocUnsafe(room);
  start = 0;
  end = 0;
  /** Bytes that belong to no answer came. */
  noise = false;
  /** The bytes with which an answer other than an exception begins. */
  readonly #head: Uint8Array;
  #length = 0;

  constructor(unit: number, request: Uint8Array) {
    const pduSize = replySize(request);
    const isRead = (request[0] ?? 0) <= 4;
    this.#head = isRead
      ? Uint8Array.of(unit, request[0] ?? 0, pduSize - 2)
      : Uint8Array.of(unit, ...request.subarray(0, 5));
    this.size = Math.max(pduSize + overhead, exceptionSize);
  }

  /** Takes `data[0, end)`. */
  take(data: Uint8Array, end: number): Progress {
    // More than fits is noise for the most part, and an answer can only be at its end.
    const kept = Math.max(0, Math.min(this.#length, room - end));
    this.noise ||= kept < this.#length;
    this.data.copyWithin(0, this.#length - kept, this.#length);
    const taken = Math.min(end, room);
    this.data.set(data.subarray(end - taken, end), kept);
    this.#length = kept + taken;
    return this.#search();
  }

  #search(): Progress {
    for (let at = 0; at < this.#length; at++) {
      const size = this.#sizeAt(at);
      if (size === 0) this.noise = true;
      if (size === 0 || at + size > this.#length) continue;
      if (crc16(this.data, at, at + size) === 0) {
        this.start = at + 1;
        this.end = at + size - 2;
        return 'answered';
      }
      if (at === 0) return 'damaged';
    }
    return 'waiting';
  }

  /** Bytes of the answer that may begin here, or 0 when none does. */
  #sizeAt(at: number): number {
    const [unit, code = 0] = this.#head;
    const known = this.#length - at;
    if (this.data[at] !== unit) return 0;
    if (known > 1 && this.data[at + 1] === (code | 0x80))
      return known > 2 && this.data[at + 2] === 0 ? 0 : exceptionSize;
    const compared = Math.min(known, this.#head.length);
    for (let i = 1; i < compared; i++) if (this.data[at + i] !== this.#head[i]) return 0;
    return this.size;
  }
}
