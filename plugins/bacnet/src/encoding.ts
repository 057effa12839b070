/** Application tags of values (ANSI/ASHRAE 135, 20.2.1.4). */
export const Tag = {
  NULL: 0,
  BOOLEAN: 1,
  UNSIGNED: 2,
  SIGNED: 3,
  REAL: 4,
  DOUBLE: 5,
  OCTETS: 6,
  TEXT: 7,
  BITS: 8,
  ENUMERATED: 9,
  DATE: 10,
  TIME: 11,
  OBJECT: 12,
} as const;

/** Length codes of constructed values, in place of a length (20.2.1.3.2). */
const openingCode = 6;
const closingCode = 7;

/** Steps through tagged values without ever reading beyond their end. */
export class TagCursor {
  data: Buffer = Buffer.alloc(0);
  /** Where the next tag begins. */
  at = 0;
  end = 0;
  number = 0;
  isContext = false;
  isOpening = false;
  isClosing = false;
  /** First byte of the content. */
  start = 0;
  /** Bytes of the content; for an application-tagged boolean, whose content is in its tag, the value itself and no bytes. */
  length = 0;

  begin(data: Buffer, at = 0, end = data.length): this {
    this.data = data;
    this.at = at;
    this.end = end;
    return this;
  }

  get done(): boolean {
    return this.at >= this.end;
  }

  /** Reads one tag and moves behind its content. False: the bytes end within it, or it is no tag. */
  next(): boolean {
    const { data, end } = this;
    let at = this.at;
    if (at >= end) return false;
    const first = data[at++]!;
    this.isContext = (first & 0x08) !== 0;
    this.number = first >> 4;
    if (this.number === 15) {
      if (at >= end) return false;
      this.number = data[at++]!;
    }
    let length = first & 0x07;
    this.isOpening = this.isContext && length === openingCode;
    this.isClosing = this.isContext && length === closingCode;
    if (this.isOpening || this.isClosing) length = 0;
    else if (length > 5) return false;
    else if (length === 5) {
      if (at >= end) return false;
      length = data[at++]!;
      const more = length === 254 ? 2 : length === 255 ? 4 : 0;
      if (at + more > end) return false;
      if (more > 0) length = data.readUIntBE(at, more);
      at += more;
    }
    this.start = at;
    this.length = length;
    const size = !this.isContext && this.number === Tag.BOOLEAN ? 0 : length;
    if (at + size > end) return false;
    this.at = at + size;
    return true;
  }

  /** Reads the content with this context tag; false when something else comes. */
  context(number: number): boolean {
    return this.next() && this.isContext && this.number === number && !this.isOpening && !this.isClosing;
  }

  opening(number: number): boolean {
    return this.next() && this.isOpening && this.number === number;
  }

  closing(number: number): boolean {
    return this.next() && this.isClosing && this.number === number;
  }

  /** Whether the next tag is this context tag, and neither opening nor closing. The cursor stays. */
  isNextContext(number: number): boolean {
    const first = this.data[this.at] ?? 0;
    return !this.done && (first & 0xf8) === ((number << 4) | 0x08) && (first & 0x07) < openingCode;
  }

  isNextOpening(number: number): boolean {
    return !this.done && this.data[this.at] === ((number << 4) | 0x08 | openingCode);
  }

  isNextClosing(number: number): boolean {
    return !this.done && this.data[this.at] === ((number << 4) | 0x08 | closingCode);
  }

  /** Moves behind the closing tag of the value whose opening tag was read last. False when there is none. */
  skip(): boolean {
    for (let depth = 1; depth > 0;) {
      if (!this.next()) return false;
      if (this.isOpening) depth++;
      else if (this.isClosing) depth--;
    }
    return true;
  }

  /** The content as an unsigned integer of six bytes at most; NaN when it has more bytes, or none. */
  unsigned(): number {
    if (this.length < 1 || this.length > 6) return NaN;
    return this.data.readUIntBE(this.start, this.length);
  }
}

/** Writes tagged values one behind the other. */
export class TagWriter {
  readonly #parts: Buffer[] = [];
  size = 0;

  bytes(): Buffer {
    return Buffer.concat(this.#parts);
  }

  raw(bytes: Buffer): this {
    this.#parts.push(bytes);
    this.size += bytes.length;
    return this;
  }

  context(number: number, content: Buffer): this {
    return this.#tag(number, true, content);
  }

  application(number: number, content: Buffer): this {
    return this.#tag(number, false, content);
  }

  boolean(value: boolean): this {
    return this.raw(Buffer.of((Tag.BOOLEAN << 4) | (value ? 1 : 0)));
  }

  opening(number: number): this {
    return this.raw(Buffer.of((number << 4) | 0x08 | openingCode));
  }

  closing(number: number): this {
    return this.raw(Buffer.of((number << 4) | 0x08 | closingCode));
  }

  #tag(number: number, isContext: boolean, content: Buffer): this {
    const { length } = content;
    const first = (number << 4) | (isContext ? 0x08 : 0);
    if (length < 5) return this.raw(Buffer.of(first | length)).raw(content);
    const head = length < 254 ? Buffer.of(first | 5, length) : Buffer.of(first | 5, 254, length >> 8, length);
    return this.raw(head).raw(content);
  }
}

/** An unsigned or enumerated integer in as few bytes as hold it. */
export function unsignedBytes(value: number | bigint): Buffer {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
}

/** A signed integer in as few bytes as hold it. */
export function signedBytes(value: number | bigint): Buffer {
  const whole = BigInt(value);
  let size = 1;
  while (BigInt.asIntN(size * 8, whole) !== whole) size++;
  const hex = BigInt.asUintN(size * 8, whole).toString(16);
  return Buffer.from(hex.padStart(size * 2, '0'), 'hex');
}

/** A Real of four bytes, or a Double of eight. */
export function realBytes(value: number, size: 4 | 8): Buffer {
  const bytes = Buffer.alloc(size);
  if (size === 4) bytes.writeFloatBE(value);
  else bytes.writeDoubleBE(value);
  return bytes;
}

/** Text as UTF-8, which is character set 0 (20.2.9). */
export function textBytes(text: string): Buffer {
  return Buffer.concat([Buffer.of(0), Buffer.from(text)]);
}

export function objectBytes(object: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(object);
  return bytes;
}
