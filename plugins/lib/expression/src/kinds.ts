import { DataType } from '@tagway/sdk';

/**
 * What an expression or a part of it gives. `int` and `uint` are CEL's, 64 bits wide; `integer` is what a mixture of the two gives, from the
 * least `int` to the greatest `uint`. `unknown`: it depends on a tag that is not known yet.
 */
export type Kind = 'bool' | 'int' | 'uint' | 'integer' | 'double' | 'string' | 'bytes' | 'unknown';

/** A value while it is calculated. A whole number is a `number` as long as that is exact, and only then a `bigint`. */
export type Operand = boolean | number | bigint | string | Uint8Array;

const kinds: Readonly<Record<DataType, Kind>> = {
  [DataType.INT8]: 'int',
  [DataType.UINT8]: 'uint',
  [DataType.INT16]: 'int',
  [DataType.UINT16]: 'uint',
  [DataType.INT32]: 'int',
  [DataType.UINT32]: 'uint',
  [DataType.INT64]: 'int',
  [DataType.UINT64]: 'uint',
  [DataType.FLOAT]: 'double',
  [DataType.DOUBLE]: 'double',
  [DataType.BIT]: 'bool',
  [DataType.BOOL]: 'bool',
  [DataType.STRING]: 'string',
  [DataType.BYTES]: 'bytes',
};

/** What a tag of this type is in an expression. */
export function kindOf(type: DataType): Kind {
  return kinds[type];
}

const names: Readonly<Record<Kind, string>> = {
  bool: 'true or false',
  int: 'a whole number',
  uint: 'a whole number',
  integer: 'a whole number',
  double: 'a number',
  string: 'a text',
  bytes: 'bytes',
  unknown: 'unknown',
};

/** The kind in words. */
export const kindName = (kind: Kind): string => names[kind];

export function isWhole(kind: Kind): boolean {
  return kind === 'int' || kind === 'uint' || kind === 'integer';
}

export function isNumber(kind: Kind): boolean {
  return kind === 'double' || isWhole(kind);
}

/** The kind that two parts have in common, or undefined when they have none. */
export function joined(one: Kind, other: Kind): Kind | undefined {
  if (one === other) return one;
  if (one === 'unknown' || other === 'unknown') return 'unknown';
  if (!isNumber(one) || !isNumber(other)) return undefined;
  return one === 'double' || other === 'double' ? 'double' : 'integer';
}
