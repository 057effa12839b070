import { DataType, type Outcome } from '@tagway/sdk';
import { widths } from '../address.ts';
import { orderOfSetting, straight, type Permutation } from '../byte-order.ts';
import { isBitArea } from '../pdu.ts';
import { textFrom } from '../text.ts';
import type { Item } from './plan.ts';

/**
 * Decoding of one block's data, compiled once: neighbours of one type and byte order become one run, which one tight
 * loop decodes. `data` is the reply as it came from the socket, so runs must copy what they keep.
 */
export interface Run {
  readonly decode: (data: Buffer, base: number, run: Run, outcomes: Outcome[]) => void;
  /** Byte of the first value within the data; its bit in a bit area. */
  readonly offset: number;
  /** Places of the values among the outcomes. */
  readonly indices: Int32Array;
  readonly order: Permutation;
  readonly item: Item;
}

/** Byte orders of the node. */
export interface Endianness {
  readonly endianess: number;
  readonly endianess_64: number;
}

/** Compiles the decoding of items, sorted by start, that lie in a block which begins at register or bit `start`. */
export function compileRuns(items: readonly Item[], start: number, node: Endianness): Run[] {
  return chain(items).map((members) => {
    const first = members[0] as Item;
    const bits = isBitArea(first.address.area);
    return {
      decode: bits ? decodeBits : (decoders[first.address.type] ?? decodeBytes),
      offset: (first.start - start) * (bits ? 1 : 2),
      indices: Int32Array.from(members, (item) => item.index),
      order: orderOf(first, node),
      item: first,
    };
  });
}

/** Groups items so that each group is a row of neighbours that one loop can decode. */
function chain(items: readonly Item[]): Item[][] {
  const chains: Item[][] = [];
  /** Rows that may go on, by where and how. */
  const open = new Map<string, Item[]>();
  for (const item of items) {
    const { area, type, order, count } = item.address;
    const alike =
      isBitArea(area) || widths[type] !== undefined
        ? `${type} ${order?.join('') ?? ''} ${item.raw} `
        : undefined;
    if (alike === undefined) {
      chains.push([item]);
      continue;
    }
    const place = alike + String(item.start);
    let row = open.get(place);
    if (row === undefined) chains.push((row = []));
    row.push(item);
    open.delete(place);
    open.set(alike + String(item.start + count), row);
  }
  return chains;
}

/** The byte order of an item: the address's, else the node's, and none for a raw reading. */
export function orderOf(item: Pick<Item, 'address' | 'raw'>, node: Endianness): Permutation {
  const width = widths[item.address.type] ?? 2;
  if (item.raw) return straight[width];
  if (item.address.order !== undefined) return item.address.order;
  if (width === 2) return straight[2];
  return orderOfSetting(width, width === 4 ? node.endianess : node.endianess_64);
}

const view = new DataView(new ArrayBuffer(8));

type Decoder = Run['decode'];

const decodeInt16: Decoder = (data, base, { offset, indices, order }, outcomes) => {
  const high = base + offset + order[0]!;
  const low = base + offset + order[1]!;
  for (let i = 0, at = 0; i < indices.length; i++, at += 2) {
    outcomes[indices[i]!] = ((data[high + at]! << 24) >> 16) | data[low + at]!;
  }
};

const decodeUint16: Decoder = (data, base, { offset, indices, order }, outcomes) => {
  const high = base + offset + order[0]!;
  const low = base + offset + order[1]!;
  for (let i = 0, at = 0; i < indices.length; i++, at += 2) {
    outcomes[indices[i]!] = (data[high + at]! << 8) | data[low + at]!;
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

const decodeInt32: Decoder = (data, base, { offset, indices, order }, outcomes) => {
  for (let i = 0, at = base + offset; i < indices.length; i++, at += 4) {
    outcomes[indices[i]!] = word(data, at, order, 0);
  }
};

const decodeUint32: Decoder = (data, base, { offset, indices, order }, outcomes) => {
  for (let i = 0, at = base + offset; i < indices.length; i++, at += 4) {
    outcomes[indices[i]!] = word(data, at, order, 0) >>> 0;
  }
};

const decodeFloat: Decoder = (data, base, { offset, indices, order }, outcomes) => {
  for (let i = 0, at = base + offset; i < indices.length; i++, at += 4) {
    view.setInt32(0, word(data, at, order, 0));
    outcomes[indices[i]!] = view.getFloat32(0);
  }
};

/** Makes a decoder of 64-bit values from what reads the scratch bytes. */
function wide(value: () => number | bigint): Decoder {
  return (data, base, { offset, indices, order }, outcomes) => {
    for (let i = 0, at = base + offset; i < indices.length; i++, at += 8) {
      view.setInt32(0, word(data, at, order, 0));
      view.setInt32(4, word(data, at, order, 4));
      outcomes[indices[i]!] = value();
    }
  };
}

const decodeBits: Decoder = (data, base, { offset, indices }, outcomes) => {
  for (let i = 0, bit = offset; i < indices.length; i++, bit++) {
    outcomes[indices[i]!] = (data[base + (bit >> 3)]! >> (bit & 7)) & 1;
  }
};

const decodeRegisterBit: Decoder = (data, base, { offset, indices, item }, outcomes) => {
  const register = data.readUInt16BE(base + offset);
  outcomes[indices[0]!] = (register >> item.address.bit) & 1;
};

const decodeText: Decoder = (data, base, { offset, indices, item }, outcomes) => {
  outcomes[indices[0]!] = textFrom(data, base + offset, item.address);
};

const decodeBytes: Decoder = (data, base, { offset, indices, item }, outcomes) => {
  const bytes = new Uint8Array(item.address.length);
  data.copy(bytes, 0, base + offset, base + offset + bytes.length);
  outcomes[indices[0]!] = bytes;
};

const decoders: Readonly<Partial<Record<DataType, Decoder>>> = {
  [DataType.INT16]: decodeInt16,
  [DataType.UINT16]: decodeUint16,
  [DataType.INT32]: decodeInt32,
  [DataType.UINT32]: decodeUint32,
  [DataType.FLOAT]: decodeFloat,
  [DataType.INT64]: wide(() => view.getBigInt64(0)),
  [DataType.UINT64]: wide(() => view.getBigUint64(0)),
  [DataType.DOUBLE]: wide(() => view.getFloat64(0)),
  [DataType.BIT]: decodeRegisterBit,
  [DataType.STRING]: decodeText,
  [DataType.BYTES]: decodeBytes,
};
