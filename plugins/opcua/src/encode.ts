import type { DataType, Fault, Value } from '@tagway/sdk';
import { DataType as UaType, VariantArrayType, type VariantOptions } from 'node-opcua-client';
import { readOnlyText, typeMismatch } from './faults.ts';
import { tagTypes, written } from './value-types.ts';

/** In which form the server has a value. */
export interface Form {
  readonly type: UaType;
  readonly isScalar: boolean;
}

/**
 * The value to send for a write. `known` is the form of the value that the server has, as far as that was found out; `dimensions` is how
 * many indices the address has.
 */
export function encode(
  type: DataType,
  value: Value,
  dimensions: number,
  known: Form | undefined,
): VariantOptions | Fault {
  const plain = written[type];
  if (plain === undefined || (known !== undefined && tagTypes[known.type] !== tagTypes[plain]))
    return typeMismatch;
  if (known?.type === UaType.LocalizedText) return readOnlyText;
  const dataType = known?.type === UaType.DateTime ? known.type : plain;
  const native = nativeOf(dataType, value);
  // A part of a text is a text (OPC 10000-4, 7.27), while an element of an array is an array.
  if (dimensions === 0 || known?.isScalar === true)
    return { dataType, arrayType: VariantArrayType.Scalar, value: native };
  if (dimensions === 1) return { dataType, arrayType: VariantArrayType.Array, value: [native] };
  const ones = new Array<number>(dimensions).fill(1);
  return { dataType, arrayType: VariantArrayType.Matrix, dimensions: ones, value: [native] };
}

function nativeOf(dataType: UaType, value: Value): unknown {
  if (dataType === UaType.DateTime) return new Date(Number(value) * 1000);
  if (dataType === UaType.Boolean) return value === true || value === 1;
  if (typeof value !== 'bigint') return value;
  const bits = BigInt.asUintN(64, value);
  return [Number(bits >> 32n), Number(bits & 0xffff_ffffn)];
}
