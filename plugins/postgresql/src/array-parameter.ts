/** Object identifiers of PostgreSQL's types. */
export const Oid = {
  bool: 16,
  bytea: 17,
  int8: 20,
  int4: 23,
  text: 25,
  float8: 701,
  timestamptz: 1184,
  numeric: 1700,
} as const;
export type Oid = (typeof Oid)[keyof typeof Oid];

/** Length of what follows, as a parameter has it; dimensions, whether there are nulls, type; of the one dimension its length and its first index. */
const headLength = 24;
const dimensionsAt = 4;
const nullsAt = 8;
const oidAt = 12;
const countAt = 16;
const firstAt = 20;

/** One array of a statement in PostgreSQL's binary form. It is filled again and again, so that a batch makes no objects. */
export class ArrayParameter {
  #bytes = Buffer.alloc(1 << 12);
  #view = viewOf(this.#bytes);
  #at = headLength;
  #count = 0;

  constructor(oid: Oid) {
    this.#bytes.writeInt32BE(1, dimensionsAt);
    this.#bytes.writeInt32BE(1, nullsAt);
    this.#bytes.writeInt32BE(oid, oidAt);
    this.#bytes.writeInt32BE(1, firstAt);
  }

  get count(): number {
    return this.#count;
  }

  clear(): void {
    this.#at = headLength;
    this.#count = 0;
  }

  /** Adds nulls until there are `count` elements. */
  fill(count: number): void {
    const length = 4 * (count - this.#count);
    if (length === 0) return;
    this.#reserve(length);
    this.#bytes.fill(0xff, this.#at, this.#at + length);
    this.#at += length;
    this.#count = count;
  }

  /** Adds the element whose bytes lie in `source` from a place on. */
  put(source: Uint8Array, from: number, length: number): void {
    let at = this.#begin(length);
    const bytes = this.#bytes;
    this.#view.setInt32(at, length);
    at += 4;
    if (length > 64) {
      bytes.set(source.subarray(from, from + length), at);
      at += length;
    } else for (let place = from; place < from + length; place++) bytes[at++] = source[place]!;
    this.#at = at;
  }

  /** Adds the element whose eight bytes lie in `source` from a place on. */
  putEight(source: DataView, from: number): void {
    const at = this.#begin(8);
    const view = this.#view;
    view.setInt32(at, 8);
    view.setInt32(at + 4, source.getInt32(from));
    view.setInt32(at + 8, source.getInt32(from + 4));
    this.#at = at + 12;
  }

  putInt64(value: bigint): void {
    const at = this.#begin(8);
    this.#view.setInt32(at, 8);
    this.#view.setBigInt64(at + 4, value);
    this.#at = at + 12;
  }

  putInt32(value: number): void {
    const at = this.#begin(4);
    this.#view.setInt32(at, 4);
    this.#view.setInt32(at + 4, value);
    this.#at = at + 8;
  }

  /** Adds an unsigned integer of 32 bits as a `bigint`. */
  putUInt32(value: number): void {
    const at = this.#begin(8);
    this.#bytes.writeInt32BE(8, at);
    this.#bytes.writeUInt32BE(0, at + 4);
    this.#bytes.writeUInt32BE(value, at + 8);
    this.#at = at + 12;
  }

  /** Adds an unsigned integer of 64 bits as a `numeric`: digits of base 10000, after their number, the weight of the first, sign and scale. */
  putNumeric(value: bigint): void {
    const digits: number[] = [];
    for (let rest = value; rest > 0n; rest /= 10_000n) digits.unshift(Number(rest % 10_000n));
    const weight = Math.max(digits.length - 1, 0);
    while (digits.at(-1) === 0) digits.pop();
    const length = 8 + digits.length * 2;
    let at = this.#begin(length);
    at = this.#bytes.writeInt32BE(length, at);
    for (const part of [digits.length, weight, 0, 0, ...digits]) at = this.#bytes.writeInt16BE(part, at);
    this.#at = at;
  }

  /** The array with its length before it, good until the next `clear`. */
  get value(): Buffer {
    this.#bytes.writeInt32BE(this.#at - dimensionsAt, 0);
    this.#bytes.writeInt32BE(this.#count, countAt);
    return this.#bytes.subarray(0, this.#at);
  }

  /** Makes room for an element and returns its place. */
  #begin(length: number): number {
    this.#count++;
    this.#reserve(4 + length);
    return this.#at;
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    const larger = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#at + length));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }
}

function viewOf({ buffer, byteOffset, length }: Buffer): DataView {
  return new DataView(buffer, byteOffset, length);
}
