import { DataType, type Values } from '@tagway/sdk';
import { bitByte, characterPlacesOf, wordOrder, type Address } from './address.ts';
import { numberDecoders, type NumberColumn } from './numbers.ts';
import { textFrom } from './text.ts';

/** A point of a plan. */
export interface Item extends Address {
  /** Index of the point in its group. */
  readonly index: number;
}

/** The points of one type within the answer to one request, in columns: one loop decodes them. */
export interface Decoding extends NumberColumn {
  readonly decode: (data: Buffer, decoding: Decoding, into: Values) => void;
  /** The bit of each BIT within its byte. */
  readonly bits: Uint8Array;
  readonly items: readonly Item[];
  /** Where a word has its high byte on the wire: 0 or 1. */
  readonly high: number;
}

type Decoder = Decoding['decode'];

/** Compiles the decoding of the items of a request that begins at `start`; its data has `width` bytes for each place: 2 for words, 1 for bits. */
export function compileDecodings(
  items: readonly Item[],
  start: number,
  width: 1 | 2,
  high: number,
): Decoding[] {
  const byType = Map.groupBy(items, ({ type }) => type);
  return Array.from(byType, ([type, members]) => {
    const isBits = width === 1 || type === DataType.BIT;
    const byte = (bit: number): number => (isBits && width === 2 ? bitByte(bit, high) : 0);
    return {
      decode: isBits ? decodeBits : decoderOf(type),
      offsets: Int32Array.from(members, (item) => (item.start - start) * width + byte(item.bit)),
      indices: Int32Array.from(members, ({ index }) => index),
      order: wordOrder(type, high),
      bits: Uint8Array.from(members, ({ bit }) => bit & 7),
      items: members,
      high,
    };
  });
}

function decoderOf(type: DataType): Decoder {
  const decodeNumbers = numberDecoders[type];
  if (decodeNumbers === undefined) return decodeText;
  return (data, decoding, into) => decodeNumbers(data, 0, decoding, into);
}

/** Bits of words, or the places of an area of bits, which have a byte each. */
const decodeBits: Decoder = (data, { offsets, indices, bits }, into) => {
  for (let i = 0; i < indices.length; i++) into.number(indices[i]!, (data[offsets[i]!]! >> bits[i]!) & 1);
};

const decodeText: Decoder = (data, { offsets, indices, items, high }, into) => {
  for (let i = 0; i < indices.length; i++)
    into.text(indices[i]!, textFrom(data, offsets[i]!, items[i]!.length, characterPlacesOf(items[i]!, high)));
};
