import { DataType, type TagInfo } from '@tagway/sdk';
import { ValueKey } from './wire.ts';

/** Data types of Sparkplug, by their numbers there (Sparkplug 3.0, 6.4.16). */
export const SparkplugType = {
  INT8: 1,
  INT16: 2,
  INT32: 3,
  INT64: 4,
  UINT8: 5,
  UINT16: 6,
  UINT32: 7,
  UINT64: 8,
  FLOAT: 9,
  DOUBLE: 10,
  BOOLEAN: 11,
  STRING: 12,
  BYTES: 17,
} as const;
export type SparkplugType = (typeof SparkplugType)[keyof typeof SparkplugType];

const types: Readonly<Record<DataType, SparkplugType>> = {
  [DataType.INT8]: SparkplugType.INT8,
  [DataType.UINT8]: SparkplugType.UINT8,
  [DataType.INT16]: SparkplugType.INT16,
  [DataType.UINT16]: SparkplugType.UINT16,
  [DataType.INT32]: SparkplugType.INT32,
  [DataType.UINT32]: SparkplugType.UINT32,
  [DataType.INT64]: SparkplugType.INT64,
  [DataType.UINT64]: SparkplugType.UINT64,
  [DataType.FLOAT]: SparkplugType.FLOAT,
  [DataType.DOUBLE]: SparkplugType.DOUBLE,
  [DataType.BIT]: SparkplugType.BOOLEAN,
  [DataType.BOOL]: SparkplugType.BOOLEAN,
  [DataType.STRING]: SparkplugType.STRING,
  [DataType.BYTES]: SparkplugType.BYTES,
};

/** The Sparkplug type of a tag's values. */
export function typeOf({ valueType }: Pick<TagInfo, 'valueType'>): SparkplugType {
  return types[valueType];
}

/** The field of a metric that holds values of a type. */
export function valueKeyOf(type: SparkplugType): ValueKey {
  if (type === SparkplugType.INT64 || type === SparkplugType.UINT64) return ValueKey.LONG;
  if (type === SparkplugType.FLOAT) return ValueKey.FLOAT;
  if (type === SparkplugType.DOUBLE) return ValueKey.DOUBLE;
  if (type === SparkplugType.BOOLEAN) return ValueKey.BOOLEAN;
  if (type === SparkplugType.STRING) return ValueKey.STRING;
  return type === SparkplugType.BYTES ? ValueKey.BYTES : ValueKey.INT;
}
