import { DataType, type Values } from '@tagway/sdk';
import { textFrom } from '@tagway/words/text';
import { widthOf } from '../address.ts';
import type { Permutation } from '../byte-order.ts';
import { isBitArea } from '../pdu.ts';
import { characterPlaces } from '../text.ts';
import type { Item } from './item.ts';

/**
 * Neighbours of one type and byte order within the answer to one request, which one loop decodes. The request compiles
 * its runs at its first answer and keeps them. `data` is the socket's own buffer; `Values` copies the bytes that it keeps.
 */
export interface Run {
  readonly decode: (data: Buffer, base: number, run: Run, into: Values) => void;
  /** Byte of the first value within the data; its bit in a bit area. */
  readonly offset: number;
  /** Places of the points in their group. */
  readonly indices: Int32Array;
  readonly order: Permutation;
  readonly item: Item;
}

/** Compiles the decoding of items, sorted by start, of a request that begins at register or bit `start`. */
export function compileRuns(items: readonly Item[], start: number): Run[] {
  return rowsOf(items).map((members) => {
    const first = members[0] as Item;
    const bits = isBitArea(first.address.area);
    return {
      decode: bits ? decodeBits : (decoders[first.address.type] ?? decodeBytes),
      offset: (first.start - start) * (bits ? 1 : 2),
      indices: Int32Array.from(members, (item) => item.index),
      order: first.order,
      item: first,
    };
  });
}

/** Groups items into rows of neighbours that one loop can decode. */
function rowsOf(items: readonly Item[]): Item[][] {
  const rows: Item[][] = [];
  /** Rows by the type, byte order and start that the next item must have to continue them. */
  const open = new Map<string, Item[]>();
  for (const item of items) {
    const { area, type, count } = item.address;
    const alike =
      isBitArea(area) || widthOf(type) !== undefined ? `${type} ${item.order.join('')} ` : undefined;
    if (alike === undefined) {
      rows.push([item]);
      continue;
    }
    const place = alike + String(item.start);
    let row = open.get(place);
    if (row === undefined) rows.push((row = []));
    row.push(item);
    open.delete(place);
    open.set(alike + String(item.start + count), row);
  }
  return rows;
}

const view = new DataView(new ArrayBuffer(8));

type Decoder = Run['decode'];

const decodeInt16: Decoder = (data, base, { offset, indices, order }, into) => {
  const high = base + offset + order[0]!;
  const low = base + offset + order[1]!;
  for (let i = 0, at = 0; i < indices.length; i++, at += 2) {
    into.number(indices[i]!, ((data[high + at]! << 24) >> 16) | data[low + at]!);
  }
};

const decodeUint16: Decoder = (data, base, { offset, indices, order }, into) => {
  const high = base + offset + order[0]!;
  const low = base + offset + order[1]!;
  for (let i = 0, at = 0; i < indices.length; i++, at += 2) {
    into.number(indices[i]!, (data[high + at]! << 8) | data[low + at]!);
  }
};

/** Four bytes from `at` on as a signed big-endian number; `order` is read from place `from` on. */
function word(data: Buffer, at: number, order: Permutation, from: number): number {
  return (
    (data[at + order[from]!]! << 24) |
    (data[at + order[from + 1]!]! << 16) |
    (data[at + order[from + 2]!]! << 8) |
    data[at + order[from + 3]!]!
  );
}

const decodeInt32: Decoder = (data, base, { offset, indices, order }, into) => {
  for (let i = 0, at = base + offset; i < indices.length; i++, at += 4) {
    into.number(indices[i]!, word(data, at, order, 0));
  }
};

const decodeUint32: Decoder = (data, base, { offset, indices, order }, into) => {
  for (let i = 0, at = base + offset; i < indices.length; i++, at += 4) {
    into.number(indices[i]!, word(data, at, order, 0) >>> 0);
  }
};

const decodeFloat: Decoder = (data, base, { offset, indices, order }, into) => {
  for (let i = 0, at = base + offset; i < indices.length; i++, at += 4) {
    view.setInt32(0, word(data, at, order, 0));
    into.number(indices[i]!, view.getFloat32(0));
  }
};

/** Makes a decoder of 64-bit values; `take` passes on what the eight scratch bytes hold. */
function wide(take: (into: Values, index: number) => void): Decoder {
  return (data, base, { offset, indices, order }, into) => {
    for (let i = 0, at = base + offset; i < indices.length; i++, at += 8) {
      view.setInt32(0, word(data, at, order, 0));
      view.setInt32(4, word(data, at, order, 4));
      take(into, indices[i]!);
    }
  };
}

const decodeBits: Decoder = (data, base, { offset, indices }, into) => {
  for (let i = 0, bit = offset; i < indices.length; i++, bit++) {
    into.number(indices[i]!, (data[base + (bit >> 3)]! >> (bit & 7)) & 1);
  }
};

const decodeRegisterBit: Decoder = (data, base, { offset, indices, item }, into) => {
  const register = data.readUInt16BE(base + offset);
  into.number(indices[0]!, (register >> item.address.bit) & 1);
};

const decodeText: Decoder = (data, base, { offset, indices, item }, into) => {
  const { length, layout } = item.address;
  into.text(indices[0]!, textFrom(data, base + offset, length, characterPlaces[layout]));
};

const decodeBytes: Decoder = (data, base, { offset, indices, item }, into) => {
  const at = base + offset;
  into.bytes(indices[0]!, data.subarray(at, at + item.address.length));
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
  [DataType.BIT]: decodeRegisterBit,
  [DataType.STRING]: decodeText,
  [DataType.BYTES]: decodeBytes,
};
