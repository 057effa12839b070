import { textOf } from './text.ts';

/** What a controller says of a variable (AdsSymbolEntry of the TwinCAT ADS headers). */
export interface SymbolEntry {
  readonly name: string;
  /** Name of the type in the program, such as `LREAL` or `ARRAY [1..3] OF ST_Motor`. */
  readonly type: string;
  readonly comment: string;
  /** Bytes. */
  readonly size: number;
  /** One of `AdsType`. */
  readonly dataType: number;
  readonly flags: number;
}

/** Data types of ADS (ADST_…). */
export const AdsType = {
  VOID: 0,
  INT16: 2,
  INT32: 3,
  REAL32: 4,
  REAL64: 5,
  INT8: 16,
  UINT8: 17,
  UINT16: 18,
  UINT32: 19,
  INT64: 20,
  UINT64: 21,
  STRING: 30,
  WSTRING: 31,
  REAL80: 32,
  BIT: 33,
  BIG_TYPE: 65,
} as const;

const fixed = 30;

/**
 * The entry of a symbol in `data[at, end)` and where the next one begins, or undefined when it does not fit. What was cut off of an entry that
 * was read with too little room is left empty.
 */
export function symbolEntryAt(
  data: Buffer,
  at: number,
  end: number,
): { readonly entry: SymbolEntry; readonly next: number } | undefined {
  if (end - at < fixed) return undefined;
  const length = data.readUInt32LE(at);
  if (length < fixed) return undefined;
  const entry = {
    ...textsAt(data, at + fixed, at + 24, Math.min(end, at + length)).texts,
    size: data.readUInt32LE(at + 12),
    dataType: data.readUInt32LE(at + 16),
    flags: data.readUInt32LE(at + 20),
  };
  return { entry, next: at + length };
}

/**
 * The texts of an entry, which lie from `at` on, each with a zero behind it, and where they end. Their lengths are three words from `lengths`
 * on. What lies beyond `limit` is left empty.
 */
export function textsAt(
  data: Buffer,
  at: number,
  lengths: number,
  limit: number,
): { readonly texts: Pick<SymbolEntry, 'name' | 'type' | 'comment'>; readonly end: number } {
  const type = at + data.readUInt16LE(lengths) + 1;
  const comment = type + data.readUInt16LE(lengths + 2) + 1;
  const end = comment + data.readUInt16LE(lengths + 4) + 1;
  const texts = {
    name: textBetween(data, at, type, limit),
    type: textBetween(data, type, comment, limit),
    comment: textBetween(data, comment, end, limit),
  };
  return { texts, end };
}

function textBetween(data: Buffer, at: number, end: number, limit: number): string {
  return at >= limit ? '' : textOf(data, at, Math.min(end, limit) - at);
}
