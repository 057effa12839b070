import { DataType } from '@tagway/sdk';
import { DataType as UaType } from 'node-opcua-client';

/** The built-in type that a tag's type stands for when it is written. */
export const written: Readonly<Partial<Record<DataType, UaType>>> = {
  [DataType.INT8]: UaType.SByte,
  [DataType.UINT8]: UaType.Byte,
  [DataType.INT16]: UaType.Int16,
  [DataType.UINT16]: UaType.UInt16,
  [DataType.INT32]: UaType.Int32,
  [DataType.UINT32]: UaType.UInt32,
  [DataType.INT64]: UaType.Int64,
  [DataType.UINT64]: UaType.UInt64,
  [DataType.FLOAT]: UaType.Float,
  [DataType.DOUBLE]: UaType.Double,
  [DataType.BIT]: UaType.Boolean,
  [DataType.BOOL]: UaType.Boolean,
  [DataType.STRING]: UaType.String,
};

/** The types of tags by the built-in type of the server's value; BIT reads a Boolean too. */
export const tagTypes: Readonly<Partial<Record<UaType, DataType>>> = {
  ...Object.fromEntries(Object.entries(written).map(([type, ua]) => [ua, Number(type) as DataType])),
  [UaType.Boolean]: DataType.BOOL,
  [UaType.DateTime]: DataType.UINT32,
  [UaType.LocalizedText]: DataType.STRING,
};

/** The type of a tag for values of a built-in type, or 0 when there is none. */
export function tagTypeOf(ua: UaType): DataType | 0 {
  return tagTypes[ua] ?? 0;
}

/** Whether a tag of this type may stand for values of more than one built-in type, so that a write must find out which. */
export function isAmbiguous(type: DataType): boolean {
  return type === DataType.UINT32 || type === DataType.STRING;
}
