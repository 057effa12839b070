import { DataType, dataTypeName, type Fault } from '@tagway/sdk';
import { sizeOf } from './address.ts';
import { typeMismatch } from './faults.ts';
import { AdsType, type SymbolEntry } from './symbol-entry.ts';

/** How the bytes of a value are to be understood. */
export interface Form {
  readonly type: DataType;
  /** Bytes. */
  readonly size: number;
  /** A text of two bytes a character. */
  readonly isWide: boolean;
  /** Whether the last character has to stay zero: a STRING(20) of a program has 21 bytes. */
  readonly isEnded: boolean;
}

/** The form of a value of `size` bytes, but for texts of variables. */
export function plainForm(type: DataType, size: number): Form {
  return { type, size, isWide: false, isEnded: false };
}

const floats: readonly number[] = [AdsType.REAL32, AdsType.REAL64];

/** How a tag of `type` reads the variable, or the fault of a type that does not fit. */
export function formOf(type: DataType, { name, type: has, size, dataType }: SymbolEntry): Form | Fault {
  const isWide = dataType === AdsType.WSTRING;
  if (type === DataType.STRING) {
    return !isArray(has) && (isWide || dataType === AdsType.STRING)
      ? { type, size, isWide, isEnded: true }
      : typeMismatch(name, has, size, 'a tag of type STRING needs a STRING or WSTRING');
  }
  if (type === DataType.BYTES) return plainForm(type, size);
  const width = sizeOf(type) ?? 0;
  const wantsFloat = type === DataType.FLOAT || type === DataType.DOUBLE;
  const isFloat = floats.includes(dataType);
  const isNumber = !isArray(has) && dataType !== AdsType.BIG_TYPE && dataType !== AdsType.STRING && !isWide;
  if (!isNumber || width !== size || wantsFloat !== isFloat) {
    const wanted = `${wantsFloat ? 'a floating-point number' : type === DataType.BOOL ? 'a BOOL' : 'an integer'} of ${width} bytes`;
    return typeMismatch(name, has, size, `a tag of type ${dataTypeName(type)} needs ${wanted}`);
  }
  return plainForm(type, size);
}

/** Whether the name of a type is that of an array: its data type is then that of its elements. */
export function isArray(type: string): boolean {
  return type.startsWith('ARRAY ');
}

const types: Readonly<Record<number, DataType>> = {
  [AdsType.INT8]: DataType.INT8,
  [AdsType.UINT8]: DataType.UINT8,
  [AdsType.INT16]: DataType.INT16,
  [AdsType.UINT16]: DataType.UINT16,
  [AdsType.INT32]: DataType.INT32,
  [AdsType.UINT32]: DataType.UINT32,
  [AdsType.INT64]: DataType.INT64,
  [AdsType.UINT64]: DataType.UINT64,
  [AdsType.REAL32]: DataType.FLOAT,
  [AdsType.REAL64]: DataType.DOUBLE,
  [AdsType.STRING]: DataType.STRING,
  [AdsType.WSTRING]: DataType.STRING,
};

/** The type of a tag that reads a variable of this kind; 0 when it takes more than one value. */
export function tagTypeOf(dataType: number, type: string, size: number): DataType | 0 {
  if (isArray(type)) return 0;
  if (size === 1 && (dataType === AdsType.BIT || type === 'BOOL')) return DataType.BOOL;
  return types[dataType] ?? 0;
}
