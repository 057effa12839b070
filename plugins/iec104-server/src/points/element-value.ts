import { Kind } from '@tagway/iec104';
import { DataType, type Value } from '@tagway/sdk';

/** What an object of a kind shows of a tag's value. */
export interface ElementValue {
  readonly value: number;
  /** The value lies beyond what the kind can show, and the nearest is shown. */
  readonly isBeyond: boolean;
}

const bounds: Readonly<Partial<Record<Kind, readonly [least: number, most: number]>>> = {
  [Kind.STEP]: [-64, 63],
  [Kind.NORMALIZED]: [-1, 1],
  [Kind.SCALED]: [-32_768, 32_767],
  [Kind.BIT_STRING]: [-0x8000_0000, 0xffff_ffff],
};

/** Undefined: the kind cannot show the value. `type` is that of the tag's values. */
export function elementValue(kind: Kind, value: Value | undefined, type: DataType): ElementValue | undefined {
  const isSwitch = type === DataType.BIT || type === DataType.BOOL;
  const number = typeof value === 'boolean' || typeof value === 'bigint' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  switch (kind) {
    case Kind.SINGLE:
      return { value: number === 0 ? 0 : 1, isBeyond: false };
    case Kind.DOUBLE:
      if (isSwitch) return { value: number + 1, isBeyond: false };
      return Number.isInteger(number) && number >= 0 && number <= 3
        ? { value: number, isBeyond: false }
        : undefined;
    case Kind.COUNTER:
      return { value: number, isBeyond: false };
    case Kind.SHORT_FLOAT: {
      const single = Math.fround(number);
      if (Number.isFinite(single)) return { value: single, isBeyond: false };
      return { value: Math.sign(number) * 3.4028234663852886e38, isBeyond: true };
    }
    default: {
      const [least, most] = bounds[kind] ?? [0, 0];
      const shown = kind === Kind.NORMALIZED ? number : Math.round(number);
      return { value: Math.min(most, Math.max(least, shown)), isBeyond: shown < least || shown > most };
    }
  }
}
