import { DataType, type Values } from '@tagway/sdk';
import { characterPlacesOf, type Place } from './place.ts';
import { textFrom } from './text.ts';

/** A point of a plan. */
export interface Item extends Place {
  /** Place of the point in its group. */
  readonly index: number;
}

/** The points of one type within the answer to one request, which one loop decodes. */
export interface Run {
  readonly decode: (data: Buffer, run: Run, into: Values) => void;
  /** First byte of each value in the data of the answer. */
  readonly offsets: Int32Array;
  /** Places of the points in their group. */
  readonly indices: Int32Array;
  readonly bits: Uint8Array;
  readonly items: readonly Item[];
  /** Where a word has its high byte on the wire: 0 or 1. */
  readonly high: number;
}

/** Compiles the decoding of the items of a request that begins at `start`; its data has `width` bytes for each place: 2 for words, 1 for bits. */
export function compileRuns(items: readonly Item[], start: number, width: 1 | 2, high: number): Run[] {
  const byType = Map.groupBy(items, ({ type }) => type);
  return Array.from(byType, ([type, members]) => ({
    decode: width === 1 ? decodeFlag : (decoders[type] ?? decodeText),
    offsets: Int32Array.from(members, (item) => (item.start - start) * width),
    indices: Int32Array.from(members, ({ index }) => index),
    bits: Uint8Array.from(members, ({ bit }) => bit),
    items: members,
    high,
  }));
}

type Decoder = Run['decode'];

const view = new DataView(new ArrayBuffer(8));

/** One word; those of a longer number follow from the lowest on. */
function word(data: Buffer, at: number, high: number): number {
  return (data[at + high]! << 8) | data[at + (high ^ 1)]!;
}

function twoWords(data: Buffer, at: number, high: number): number {
  return (word(data, at + 2, high) << 16) | word(data, at, high);
}

const decodeInt16: Decoder = (data, { offsets, indices, high }, into) => {
  for (let i = 0; i < indices.length; i++)
    into.number(indices[i]!, (word(data, offsets[i]!, high) << 16) >> 16);
};

const decodeUint16: Decoder = (data, { offsets, indices, high }, into) => {
  for (let i = 0; i < indices.length; i++) into.number(indices[i]!, word(data, offsets[i]!, high));
};

const decodeInt32: Decoder = (data, { offsets, indices, high }, into) => {
  for (let i = 0; i < indices.length; i++) into.number(indices[i]!, twoWords(data, offsets[i]!, high));
};

const decodeUint32: Decoder = (data, { offsets, indices, high }, into) => {
  for (let i = 0; i < indices.length; i++) into.number(indices[i]!, twoWords(data, offsets[i]!, high) >>> 0);
};

const decodeFloat: Decoder = (data, { offsets, indices, high }, into) => {
  for (let i = 0; i < indices.length; i++) {
    view.setInt32(0, twoWords(data, offsets[i]!, high));
    into.number(indices[i]!, view.getFloat32(0));
  }
};

/** Makes a decoder of 64-bit values; `take` passes on what the eight scratch bytes hold. */
function wide(take: (into: Values, index: number) => void): Decoder {
  return (data, { offsets, indices, high }, into) => {
    for (let i = 0; i < indices.length; i++) {
      view.setInt32(0, twoWords(data, offsets[i]! + 4, high));
      view.setInt32(4, twoWords(data, offsets[i]!, high));
      take(into, indices[i]!);
    }
  };
}

const decodeBit: Decoder = (data, { offsets, indices, bits, high }, into) => {
  for (let i = 0; i < indices.length; i++)
    into.number(indices[i]!, (word(data, offsets[i]!, high) >> bits[i]!) & 1);
};

/** A place of an area of bits. */
const decodeFlag: Decoder = (data, { offsets, indices }, into) => {
  for (let i = 0; i < indices.length; i++) into.number(indices[i]!, data[offsets[i]!]! & 1);
};

const decodeText: Decoder = (data, { offsets, indices, items, high }, into) => {
  for (let i = 0; i < indices.length; i++)
    into.text(indices[i]!, textFrom(data, offsets[i]!, items[i]!.length, characterPlacesOf(items[i]!, high)));
};

const decoders: Readonly<Partial<Record<DataType, Decoder>>> = {
  [DataType.INT16]: decodeInt16,
  [DataType.UINT16]: decodeUint16,
  [DataType.INT32]: decodeInt32,
  [DataType.UINT32]: decodeUint32,
  [DataType.FLOAT]: decodeFloat,
  [DataType.INT64]: wide((into, index) => into.integer(index, view.getBigInt64(0))),
  [DataType.UINT64]: wide((into, index) => into.integer(index, view.getBigUint64(0))),
  [DataType.DOUBLE]: wide((into, index) => into.number(index, view.getFloat64(0))),
  [DataType.BIT]: decodeBit,
};
