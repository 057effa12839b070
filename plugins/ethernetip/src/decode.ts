import type { Values } from '@tagway/sdk';
import { tooShort } from './faults.ts';
import type { Decoding } from './reads.ts';
import { textOf } from './text.ts';
import { Kind } from './types.ts';

/** Bytes of values of a kind that has a fixed size; of the others the least. */
const sizes = Uint8Array.of(0, 1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1, 1, 2, 0, 1, 4);

/** Gives all points their values out of `data`. A value that ends behind it is a fault. */
export function decode({ kinds, offsets, extras, indices }: Decoding, data: Buffer, into: Values): void {
  const { length } = data;
  for (let i = 0; i < kinds.length; i++) {
    const at = offsets[i]!;
    if (at + sizes[kinds[i]!]! > length) into.fault(indices[i]!, tooShort);
    else decodeOne(kinds[i]!, data, at, extras[i]!, indices[i]!, into);
  }
}

function decodeOne(kind: number, data: Buffer, at: number, extra: number, index: number, into: Values): void {
  switch (kind) {
    case Kind.BIT:
      return into.number(index, (data[at]! >> extra) & 1);
    case Kind.BOOL:
      return into.number(index, data[at] === 0 ? 0 : 1);
    case Kind.INT8:
      return into.number(index, (data[at]! << 24) >> 24);
    case Kind.UINT8:
      return into.number(index, data[at]!);
    case Kind.INT16:
      return into.number(index, data.readInt16LE(at));
    case Kind.UINT16:
      return into.number(index, data.readUInt16LE(at));
    case Kind.INT32:
      return into.number(index, data.readInt32LE(at));
    case Kind.UINT32:
      return into.number(index, data.readUInt32LE(at));
    case Kind.INT64:
      return into.integer(index, data.readBigInt64LE(at));
    case Kind.UINT64:
      return into.integer(index, data.readBigUInt64LE(at));
    case Kind.FLOAT:
      return into.number(index, data.readFloatLE(at));
    case Kind.DOUBLE:
      return into.number(index, data.readDoubleLE(at));
    case Kind.TEXT:
      return into.text(index, textOf(data, at + 2, data.readUInt16LE(at)));
    case Kind.SHORT_TEXT:
      return into.text(index, textOf(data, at + 1, data[at]!));
    case Kind.STRUCTURE_TEXT:
      // Programs may leave any length behind.
      return into.text(index, textOf(data, at + 4, Math.min(Math.max(0, data.readInt32LE(at)), extra)));
    default:
      if (at + extra > data.length) return into.fault(index, tooShort);
      return into.bytes(index, data.subarray(at, at + extra));
  }
}
