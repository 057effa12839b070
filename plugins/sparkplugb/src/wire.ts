/**
 * Field keys of the Sparkplug B payload, a Protocol Buffers message: number · 8 + wire type. All but `BYTES` take one byte.
 * Source: Sparkplug 3.0, chapter 6 "Payloads".
 */
export const PayloadKey = { TIMESTAMP: 0x08, METRIC: 0x12, SEQ: 0x18 } as const;

export const MetricKey = {
  NAME: 0x0a,
  ALIAS: 0x10,
  TIMESTAMP: 0x18,
  DATATYPE: 0x20,
  IS_HISTORICAL: 0x28,
  IS_NULL: 0x38,
  PROPERTIES: 0x4a,
} as const;

/** Keys of the fields for the value of a metric, the last fields of a metric. Numbers come before texts and bytes. */
export const ValueKey = {
  INT: 0x50,
  LONG: 0x58,
  FLOAT: 0x65,
  DOUBLE: 0x69,
  BOOLEAN: 0x70,
  STRING: 0x7a,
  /** Two bytes, 0x82 and 0x01, on the wire. */
  BYTES: 0x82,
} as const;
export type ValueKey = (typeof ValueKey)[keyof typeof ValueKey];

/** Most bytes of a varint. */
export const maxVarint = 10;

/** Bytes of a varint of 0 to 2^53. */
export function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest >= 0x80; rest /= 0x80) size++;
  return size;
}

/** Writes a whole number of 0 to 2^53 and returns the position after it. */
export function writeVarint(into: Uint8Array, at: number, value: number): number {
  let place = at;
  let rest = value;
  // Bit operations work on 32 bits.
  while (rest >= 0x8000_0000) {
    into[place++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  while (rest >= 0x80) {
    into[place++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  into[place++] = rest;
  return place;
}

/** Bytes of a varint of 32 bits, which are given as an unsigned number. */
export function varintSize32(bits: number): number {
  if (bits < 0x4000) return bits < 0x80 ? 1 : 2;
  return bits < 0x20_0000 ? 3 : bits < 0x1000_0000 ? 4 : 5;
}

/** Bytes of a varint of 64 bits in two unsigned halves. */
export function varintSize64(low: number, high: number): number {
  return high === 0 ? varintSize32(low) : Math.ceil((64 - Math.clz32(high)) / 7);
}

/** Writes 64 bits in two unsigned halves as a varint and returns the position after it. */
export function writeVarint64(into: Uint8Array, at: number, low: number, high: number): number {
  let place = at;
  let rest = low;
  let more = high;
  while (more !== 0) {
    into[place++] = (rest & 0x7f) | 0x80;
    rest = ((rest >>> 7) | (more << 25)) >>> 0;
    more >>>= 7;
  }
  return writeVarint(into, place, rest);
}

/** A field with a whole number of 0 to 2^53. */
export function numberField(key: number, value: number): Buffer {
  const field = Buffer.alloc(1 + maxVarint);
  field[0] = key;
  return field.subarray(0, writeVarint(field, 1, value));
}

/** A field with a double. */
export function doubleField(key: number, value: number): Buffer {
  const field = Buffer.alloc(9);
  field[0] = key;
  field.writeDoubleLE(value, 1);
  return field;
}

/** A field with bytes, such as a text or another message. */
export function bytesField(key: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([numberField(key, bytes.length), bytes]);
}
