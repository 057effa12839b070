import { DataType, type Values } from '@tagway/sdk';
import type { Form } from './form.ts';
import { textOf, wideTextOf } from './text.ts';

/** Gives point `index` the value whose bytes begin at `at`. The caller has made sure that all bytes are there. */
export function decode(into: Values, index: number, form: Form, data: Buffer, at: number): void {
  switch (form.type) {
    case DataType.BOOL:
      return into.number(index, data[at] === 0 ? 0 : 1);
    case DataType.INT8:
      return into.number(index, data.readInt8(at));
    case DataType.UINT8:
      return into.number(index, data[at] as number);
    case DataType.INT16:
      return into.number(index, data.readInt16LE(at));
    case DataType.UINT16:
      return into.number(index, data.readUInt16LE(at));
    case DataType.INT32:
      return into.number(index, data.readInt32LE(at));
    case DataType.UINT32:
      return into.number(index, data.readUInt32LE(at));
    case DataType.INT64:
      return into.integer(index, data.readBigInt64LE(at));
    case DataType.UINT64:
      return into.integer(index, data.readBigUInt64LE(at));
    case DataType.FLOAT:
      return into.number(index, data.readFloatLE(at));
    case DataType.DOUBLE:
      return into.number(index, data.readDoubleLE(at));
    case DataType.STRING:
      return into.text(index, form.isWide ? wideTextOf(data, at, form.size) : textOf(data, at, form.size));
    default:
      return into.bytes(index, data.subarray(at, at + form.size));
  }
}
