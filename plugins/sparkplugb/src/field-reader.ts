/** Reads the fields of a Protocol Buffers message. Throws a RangeError when the bytes are not such a message. */
export class FieldReader {
  readonly bytes: Buffer;
  readonly end: number;
  /** Key of the current field: its number · 8 + its wire type. */
  key = 0;
  at: number;

  constructor(bytes: Buffer, from = 0, to: number = bytes.length) {
    this.bytes = bytes;
    this.at = from;
    this.end = to;
  }

  /** Moves to the next field; false at the end. Its value must be read or skipped before the next call. */
  next(): boolean {
    if (this.at >= this.end) return false;
    this.key = Number(this.varint());
    if (this.key < 8) throw new RangeError('There is no field 0.');
    return true;
  }

  /** A varint as 64 bits without a sign. */
  varint(): bigint {
    let low = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = this.#byte();
      low |= (byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt(low);
    }
    let value = BigInt(low);
    for (let shift = 28n; shift < 70n; shift += 7n) {
      const byte = this.#byte();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
    throw new RangeError('A varint has more than ten bytes.');
  }

  /** Moves on by a number of bytes, and returns the position before. */
  take(length: number): number {
    const from = this.at;
    if (length > this.end - from) throw new RangeError('The message ends too early.');
    this.at = from + length;
    return from;
  }

  /** The bytes of a field with a length: a view, not a copy. */
  block(): Buffer {
    const from = this.take(Number(this.varint()));
    return this.bytes.subarray(from, this.at);
  }

  skip(): void {
    const wire = this.key % 8;
    if (wire === 0) this.varint();
    else if (wire === 1) this.take(8);
    else if (wire === 2) this.take(Number(this.varint()));
    else if (wire === 5) this.take(4);
    else throw new RangeError(`There is no wire type ${wire}.`);
  }

  #byte(): number {
    return this.bytes[this.take(1)] as number;
  }
}
