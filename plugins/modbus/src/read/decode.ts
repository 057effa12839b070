import { DataType, type Outcome } from '@tagway/sdk';
import { widths } from '../address.ts';
import { orderOfSetting, straight, type Endianness, type Permutation } from '../byte-order.ts';
import { isBitArea } from '../pdu.ts';
import { textFrom } from '../text.ts';
import type { Item } from './item.ts';

/**
 * Neighbours of one type and byte order within the answer to one request, which one loop decodes. The request compiles
 * its runs at its first answer and keeps them. `data` is the socket's own buffer, so `decode` copies what it keeps.
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

/** Compiles the decoding of items, sorted by start, of a request that begins at register or bit `start`. */
export function compileRuns(items: readonly Item[], start: number, node: Endianness): Run[] {
  return rowsOf(items).map((members) => {
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

/** Groups items into rows of neighbours that one loop can decode. */
function rowsOf(items: readonly Item[]): Item[][] {
  const rows: Item[][] = [];
  /** Rows by the type, byte order and start that the next item must have to continue them. */
  const open = new Map<string, Item[]>();
  for (const item of items) {
    const { area, type, order, count } = item.address;
    const alike =
      isBitArea(area) || widths[type] !== undefined
        ? `${type} ${order?.join('') ?? ''} ${item.raw} `
        : undefined;
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
