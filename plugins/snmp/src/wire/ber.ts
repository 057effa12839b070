/** BER as SNMP uses it (RFC 3417, section 8): definite lengths, tags of one byte. */
export const Tag = {
  INTEGER: 0x02,
  OCTETS: 0x04,
  NULL: 0x05,
  OID: 0x06,
  SEQUENCE: 0x30,
  IP_ADDRESS: 0x40,
  COUNTER32: 0x41,
  GAUGE32: 0x42,
  TIME_TICKS: 0x43,
  OPAQUE: 0x44,
  COUNTER64: 0x46,
  NO_SUCH_OBJECT: 0x80,
  NO_SUCH_INSTANCE: 0x81,
  END_OF_MIB_VIEW: 0x82,
} as const;

/** Walks through encoded values without copying them. */
export class Cursor {
  data: Buffer = Buffer.alloc(0);
  /** Where the next value begins. */
  at = 0;
  /** Where the values end. */
  end = 0;
  /** The value that was read last: its tag, and its content `data[start, stop)`. */
  tag = 0;
  start = 0;
  stop = 0;

  begin(data: Buffer, at = 0, end = data.length): this {
    this.data = data;
    this.at = at;
    this.end = end;
    return this;
  }

  /** Reads a value and moves behind it. False: there is none, or it is longer than what is there. */
  next(): boolean {
    const { data, end } = this;
    if (this.at + 2 > end) return false;
    let at = this.at + 2;
    let length = data[this.at + 1]!;
    if (length > 0x7f) {
      const size = length - 0x80;
      if (size === 0 || size > 4 || at + size > end) return false;
      length = data.readUIntBE(at, size);
      at += size;
    }
    if (length > end - at) return false;
    this.tag = data[this.at]!;
    this.start = at;
    this.stop = this.at = at + length;
    return true;
  }

  /** Reads a value of this tag. */
  expect(tag: number): boolean {
    return this.next() && this.tag === tag;
  }

  /** Goes into a value of this tag: what follows it is left out. */
  open(tag: number): boolean {
    if (!this.expect(tag)) return false;
    this.at = this.start;
    this.end = this.stop;
    return true;
  }

  /** An INTEGER; NaN when the next value is none of at most 32 bits. */
  int(): number {
    if (!this.expect(Tag.INTEGER)) return NaN;
    const length = this.stop - this.start;
    return length > 0 && length <= 4 ? this.data.readIntBE(this.start, length) : NaN;
  }

  /** An octet string, which shares the memory of the data; undefined when the next value is none. */
  octets(): Buffer | undefined {
    return this.expect(Tag.OCTETS) ? this.content : undefined;
  }

  get content(): Buffer {
    return this.data.subarray(this.start, this.stop);
  }
}

/** A value with its tag and length. */
export function encoded(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  let length = 0;
  for (const part of parts) length += part.length;
  return Buffer.concat([head(tag, length), ...parts]);
}

/** Tag and length of a value whose content follows. */
function head(tag: number, length: number): Buffer {
  if (length < 0x80) return Buffer.of(tag, length);
  if (length < 0x100) return Buffer.of(tag, 0x81, length);
  if (length < 0x1_0000) return Buffer.of(tag, 0x82, length >> 8, length & 0xff);
  return Buffer.of(tag, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff);
}

/** A whole number in as few bytes as it takes, with a sign. */
export function integer(value: number | bigint, tag: number = Tag.INTEGER): Buffer {
  if (value >= -0x80 && value < 0x80) return Buffer.of(tag, 1, Number(value) & 0xff);
  const bytes: number[] = [];
  let rest = BigInt(value);
  do {
    bytes.unshift(Number(rest & 0xffn));
    rest >>= 8n;
  } while (rest !== 0n && rest !== -1n);
  if (rest === 0n && bytes[0]! > 0x7f) bytes.unshift(0);
  if (rest === -1n && bytes[0]! <= 0x7f) bytes.unshift(0xff);
  return encoded(tag, Buffer.from(bytes));
}

export const octets = (content: Uint8Array): Buffer => encoded(Tag.OCTETS, content);
