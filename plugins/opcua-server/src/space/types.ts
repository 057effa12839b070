import { DataType as TagType } from '@tagway/sdk';
import { DataType } from 'node-opcua-variant';

/** The type of a variable by the type of the values of its tag. The numbers are those of the standard's own data types, too. */
const types: Readonly<Record<TagType, DataType>> = {
  [TagType.INT8]: DataType.SByte,
  [TagType.UINT8]: DataType.Byte,
  [TagType.INT16]: DataType.Int16,
  [TagType.UINT16]: DataType.UInt16,
  [TagType.INT32]: DataType.Int32,
  [TagType.UINT32]: DataType.UInt32,
  [TagType.INT64]: DataType.Int64,
  [TagType.UINT64]: DataType.UInt64,
  [TagType.FLOAT]: DataType.Float,
  [TagType.DOUBLE]: DataType.Double,
  [TagType.BIT]: DataType.Byte,
  [TagType.BOOL]: DataType.Boolean,
  [TagType.STRING]: DataType.String,
  [TagType.BYTES]: DataType.ByteString,
};

export function variableType(type: TagType): DataType {
  return types[type];
}
