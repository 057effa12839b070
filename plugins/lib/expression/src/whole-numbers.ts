import type { Kind } from './kinds.ts';

/** Least and greatest value of a kind of whole number. */
interface Range {
  readonly least: bigint;
  readonly most: bigint;
}

const leastInt = -0x8000_0000_0000_0000n;
const mostInt = 0x7fff_ffff_ffff_ffffn;
const mostUint = 0xffff_ffff_ffff_ffffn;

const ranges: Readonly<Partial<Record<Kind, Range>>> = {
  int: { least: leastInt, most: mostInt },
  uint: { least: 0n, most: mostUint },
  integer: { least: leastInt, most: mostUint },
};

/** The range of a kind of whole number. */
export function rangeOf(kind: Kind): Range {
  return ranges[kind] ?? { least: leastInt, most: mostUint };
}

/** The same whole number as a `number`, if that is exact. */
export function narrow(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The whole number if it fits the kind, narrow; otherwise throws what `overflow` gives. */
export function fitted(value: bigint, kind: Kind, overflow: () => Error): number | bigint {
  const { least, most } = rangeOf(kind);
  if (value < least || value > most) throw overflow();
  return narrow(value);
}

/** The least `number` of a kind that needs no second look. */
export function leastNumber(kind: Kind): number {
  return kind === 'uint' ? 0 : Number.MIN_SAFE_INTEGER;
}

/** The whole part of a double, exact; throws what `overflow` gives when the kind has no such number. */
export function fromDouble(value: number, kind: Kind, overflow: () => Error): number | bigint {
  if (!Number.isFinite(value)) throw overflow();
  return fitted(BigInt(Math.trunc(value)), kind, overflow);
}
