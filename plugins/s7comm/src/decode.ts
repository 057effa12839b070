import type { Values } from '@tagway/sdk';
import { Kind, placeSize, type Address } from './address.ts';
import { fromDecimal, fromS5Time } from './bcd.ts';
import { notDecimal } from './faults.ts';

/** A point, and what its address says. */
export interface Decoded {
  /** Place of the point among the points of its group. */
  readonly index: number;
  readonly address: Address;
}

/** How the bytes of one range become values, in columns: one loop decodes them all, without an object for any. */
export interface Decoding {
  readonly kinds: Uint8Array;
  readonly offsets: Int32Array;
  /** The bit of a BIT, the length of a text or of BYTES. */
  readonly extras: Int32Array;
  readonly indices: Int32Array;
}

/** Compiles the decoding of points of one area whose bytes begin at place `start`. */
export function compileDecoding(points: readonly Decoded[], start: number): Decoding {
  return {
    kinds: Uint8Array.from(points, ({ address }) => address.kind),
    offsets: Int32Array.from(points, ({ address }) => (address.start - start) * placeSize(address.area)),
    extras: Int32Array.from(points, ({ address }) =>
      address.kind === Kind.BIT ? address.bit : address.length,
    ),
    indices: Int32Array.from(points, ({ index }) => index),
  };
}

/** Decodes what begins at `base`. The caller has made sure that all bytes are there. */
export function decode(
  { kinds, offsets, extras, indices }: Decoding,
  data: Buffer,
  base: number,
  into: Values,
): void {
  for (let i = 0; i < kinds.length; i++)
    decodeOne(kinds[i]!, data, base + offsets[i]!, extras[i]!, indices[i]!, into);
}

function decodeOne(kind: number, data: Buffer, at: number, extra: number, index: number, into: Values): void {
  switch (kind) {
    case Kind.BIT:
      return into.number(index, (data[at]! >> extra) & 1);
    case Kind.INT8:
      return into.number(index, (data[at]! << 24) >> 24);
    case Kind.UINT8:
      return into.number(index, data[at]!);
    case Kind.INT16:
      return into.number(index, data.readInt16BE(at));
    case Kind.UINT16:
      return into.number(index, data.readUInt16BE(at));
    case Kind.INT32:
      return into.number(index, data.readInt32BE(at));
    case Kind.UINT32:
      return into.number(index, data.readUInt32BE(at));
    case Kind.FLOAT:
      return into.number(index, data.readFloatBE(at));
    case Kind.DOUBLE:
      return into.number(index, data.readDoubleBE(at));
    case Kind.BYTES:
      return into.bytes(index, data.subarray(at, at + extra));
    case Kind.TEXT:
      return into.text(index, textAt(data, at, extra));
    case Kind.WIDE_TEXT:
      return into.text(index, wideTextAt(data, at, extra));
    case Kind.COUNTER:
      return decimal(into, index, fromDecimal(data.readUInt16BE(at)), 1);
    case Kind.TIMER:
      return decimal(into, index, fromS5Time(data.readUInt16BE(at)), 1);
    case Kind.TIMER_SECONDS:
      return decimal(into, index, fromS5Time(data.readUInt16BE(at)), 1000);
  }
}

function decimal(into: Values, index: number, value: number, divisor: number): void {
  if (value < 0) into.fault(index, notDecimal);
  else into.number(index, value / divisor);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A STRING of at most `length` characters: UTF-8, or Latin-1 when it is not. */
function textAt(data: Buffer, at: number, length: number): string {
  const size = Math.min(data[at + 1]!, length);
  const bytes = data.subarray(at + 2, at + 2 + size);
  try {
    return utf8.decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}

/** A WSTRING of at most `length` characters. Half a surrogate pair becomes the replacement character. */
function wideTextAt(data: Buffer, at: number, length: number): string {
  const size = Math.min(data.readUInt16BE(at + 2), length);
  return Buffer.from(data.subarray(at + 4, at + 4 + 2 * size))
    .swap16()
    .toString('utf16le')
    .toWellFormed();
}
