/** Writes numbers of any width in bits one after another, the highest bit first. One writer is used again and again. */
export class BitWriter {
  #bytes = Buffer.alloc(1 << 16);
  #length = 0;
  #pending = 0;
  #filled = 0;

  /** Whole bytes written so far. */
  get length(): number {
    return this.#length;
  }

  /** Forgets what was written. */
  clear(): void {
    this.#length = 0;
    this.#pending = 0;
    this.#filled = 0;
  }

  /** A whole number below 2 ** width; at most 32 bits. */
  put(value: number, width: number): void {
    let left = width;
    while (left > 0) {
      const taken = Math.min(8 - this.#filled, left);
      this.#pending = (this.#pending << taken) | ((value >>> (left - taken)) & ((1 << taken) - 1));
      this.#filled += taken;
      left -= taken;
      if (this.#filled === 8) this.#flush();
    }
  }

  /** A whole number below 2 ** width; at most 53 bits. */
  putLong(value: number, width: number): void {
    if (width > 32) this.put(Math.floor(value / 2 ** 32), width - 32);
    this.put(value >>> 0, Math.min(width, 32));
  }

  /** Fills the byte that was begun. */
  align(): void {
    if (this.#filled > 0) this.put(0, 8 - this.#filled);
  }

  /** A safe integer from 0 on, in as few bytes as it needs. */
  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.put((rest % 0x80) | 0x80, 8);
      rest = Math.floor(rest / 0x80);
    }
    this.put(rest, 8);
  }

  /** A copy of the bytes from `from` on. */
  copy(from = 0): Buffer {
    return Buffer.from(this.#bytes.subarray(from, this.#length));
  }

  #flush(): void {
    if (this.#length === this.#bytes.length) {
      const larger = Buffer.alloc(this.#bytes.length * 2);
      this.#bytes.copy(larger);
      this.#bytes = larger;
    }
    this.#bytes[this.#length++] = this.#pending;
    this.#pending = 0;
    this.#filled = 0;
  }
}

/** Reads what a `BitWriter` has written. Throws a RangeError at the end of the bytes. */
export class BitReader {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** Bits of the byte at `#at` that are read. */
  #used = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get(width: number): number {
    let value = 0;
    let left = width;
    while (left > 0) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new RangeError('The bytes end too early.');
      const taken = Math.min(8 - this.#used, left);
      const part = (byte >>> (8 - this.#used - taken)) & ((1 << taken) - 1);
      value = ((value << taken) | part) >>> 0;
      this.#used += taken;
      left -= taken;
      if (this.#used === 8) {
        this.#used = 0;
        this.#at++;
      }
    }
    return value;
  }

  getLong(width: number): number {
    const high = width > 32 ? this.get(width - 32) : 0;
    return high * 2 ** 32 + this.get(Math.min(width, 32));
  }

  align(): void {
    if (this.#used === 0) return;
    this.#used = 0;
    this.#at++;
  }

  varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      const byte = this.get(8);
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      if (factor > Number.MAX_SAFE_INTEGER) throw new RangeError('A number is too long.');
    }
  }
}
