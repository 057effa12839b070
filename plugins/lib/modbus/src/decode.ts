import { DataType, type Values } from '@tagway/sdk';
import { numberDecoders, type NumberColumn, type Permutation } from '@tagway/plc-words/numbers';
import { textFrom } from '@tagway/plc-words/text';
import { characterPlaces, isBitArea, widthOf, type Address, type Area } from './address.ts';

/** One point of a plan: registers or bits `start` to `end - 1` of its area. */
export interface Item {
  /** Index of the point in its group. */
  readonly index: number;
  readonly address: Address;
  readonly area: Area;
  readonly start: number;
  readonly end: number;
  /** Byte order of its value. */
  readonly order: Permutation;
}

/**
 * Neighbours of one type and byte order within the answer to one request, which one loop decodes. The request compiles
 * its rows at its first answer and keeps them. `data` is the socket's own buffer; `Values` copies the bytes that it keeps.
 */
export interface Row extends NumberColumn {
  readonly decode: (data: Buffer, base: number, row: Row, into: Values) => void;
  readonly item: Item;
}

/** Compiles the decoding of items, sorted by start, of a request that begins at register or bit `start`. */
export function compileRows(items: readonly Item[], start: number): Row[] {
  return rowsOf(items).map((members) => {
    const first = members[0] as Item;
    const bits = isBitArea(first.address.area);
    return {
      decode: bits ? decodeBits : (decoders[first.address.type] ?? decodeBytes),
      // In a bit area they count bits.
      offsets: Int32Array.from(members, (item) => (item.start - start) * (bits ? 1 : 2)),
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
    if (!isBitArea(area) && widthOf(type) === undefined) {
      rows.push([item]);
      continue;
    }
    const alike = `${type} ${item.order.join('')} `;
    const place = alike + String(item.start);
    let row = open.get(place);
    if (row === undefined) rows.push((row = []));
    row.push(item);
    open.delete(place);
    open.set(alike + String(item.start + count), row);
  }
  return rows;
}

type Decoder = Row['decode'];

const decodeBits: Decoder = (data, base, { offsets, indices }, into) => {
  for (let i = 0; i < indices.length; i++)
    into.number(indices[i]!, (data[base + (offsets[i]! >> 3)]! >> (offsets[i]! & 7)) & 1);
};

const decodeRegisterBit: Decoder = (data, base, { offsets, indices, item }, into) => {
  const register = data.readUInt16BE(base + offsets[0]!);
  into.number(indices[0]!, (register >> item.address.bit) & 1);
};

const decodeText: Decoder = (data, base, { offsets, indices, item }, into) => {
  const { length, layout } = item.address;
  into.text(indices[0]!, textFrom(data, base + offsets[0]!, length, characterPlaces[layout]));
};

const decodeBytes: Decoder = (data, base, { offsets, indices, item }, into) => {
  const at = base + offsets[0]!;
  into.bytes(indices[0]!, data.subarray(at, at + item.address.length));
};

const decoders: Readonly<Partial<Record<DataType, Decoder>>> = {
  ...numberDecoders,
  [DataType.BIT]: decodeRegisterBit,
  [DataType.STRING]: decodeText,
  [DataType.BYTES]: decodeBytes,
};
