import { timeSize } from './time.ts';

/** As what an object is reported; the number is a bit in masks of kinds. */
export const Kind = {
  NONE: 0,
  SINGLE: 1,
  DOUBLE: 2,
  STEP: 3,
  BIT_STRING: 4,
  NORMALIZED: 5,
  SCALED: 6,
  SHORT_FLOAT: 7,
  COUNTER: 8,
} as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

/** Bits of quality octets (IEC 60870-5-101, 7.2.6.1 to 7.2.6.4). */
export const QualityBit = {
  OVERFLOW: 0x01,
  BLOCKED: 0x10,
  SUBSTITUTED: 0x20,
  NOT_TOPICAL: 0x40,
  INVALID: 0x80,
} as const;

/** Bits of the fifth octet of a counter (7.2.6.9). */
export const CounterBit = { CARRY: 0x20, ADJUSTED: 0x40, INVALID: 0x80 } as const;

export const transientBit = 0x80;

export interface Format {
  /** As the standard has it, such as M_SP_NA_1. */
  readonly name: string;
  readonly kind: Kind;
  /** Octets of the information element, without the time. */
  readonly size: number;
  readonly hasTime: boolean;
}

/** Monitored types by their identification (IEC 60870-5-101, 7.3.1; those of the companion standard 104 with CP56Time2a). */
const formats = new Map<number, Format>();

function addFormat(type: number, name: string, kind: Kind, size: number, hasTime = false): void {
  formats.set(type, { name, kind, size, hasTime });
}

addFormat(1, 'M_SP_NA_1', Kind.SINGLE, 1);
addFormat(30, 'M_SP_TB_1', Kind.SINGLE, 1, true);
addFormat(3, 'M_DP_NA_1', Kind.DOUBLE, 1);
addFormat(31, 'M_DP_TB_1', Kind.DOUBLE, 1, true);
addFormat(5, 'M_ST_NA_1', Kind.STEP, 2);
addFormat(32, 'M_ST_TB_1', Kind.STEP, 2, true);
addFormat(7, 'M_BO_NA_1', Kind.BIT_STRING, 5);
addFormat(33, 'M_BO_TB_1', Kind.BIT_STRING, 5, true);
addFormat(9, 'M_ME_NA_1', Kind.NORMALIZED, 3);
addFormat(34, 'M_ME_TD_1', Kind.NORMALIZED, 3, true);
addFormat(11, 'M_ME_NB_1', Kind.SCALED, 3);
addFormat(35, 'M_ME_TE_1', Kind.SCALED, 3, true);
addFormat(13, 'M_ME_NC_1', Kind.SHORT_FLOAT, 5);
addFormat(36, 'M_ME_TF_1', Kind.SHORT_FLOAT, 5, true);
addFormat(15, 'M_IT_NA_1', Kind.COUNTER, 5);
addFormat(37, 'M_IT_TB_1', Kind.COUNTER, 5, true);
/** Normalized without a quality. */
export const bareNormalized = 21;
addFormat(bareNormalized, 'M_ME_ND_1', Kind.NORMALIZED, 2);

/** Octets of a normalized value in a step from -1 to 1. */
export const normalizedScale = 32_768;

export function isMonitored(type: number): boolean {
  return formats.has(type);
}

/** How objects of a monitored type are reported; undefined for other types. */
export function formatOf(type: number): Format | undefined {
  return formats.get(type);
}

/** How one information element of a monitored type lies in an ASDU, for explaining it; undefined for other types. */
export function elementOf(type: number):
  | {
      readonly name: string;
      /** Octets with the time. */
      readonly size: number;
      valueAt(data: Buffer, at: number): number;
    }
  | undefined {
  const format = formats.get(type);
  if (format === undefined) return undefined;
  const { name, kind, size, hasTime } = format;
  return {
    name,
    size: size + (hasTime ? timeSize : 0),
    valueAt: (data, at) => valueOf(kind, data, at),
  };
}

/** The value of an information element. */
export function valueOf(kind: Kind, data: Buffer, at: number): number {
  const first = data[at]!;
  switch (kind) {
    case Kind.SINGLE:
      return first & 1;
    case Kind.DOUBLE:
      return first & 3;
    case Kind.STEP:
      // Seven bits with a sign.
      return ((first & 0x7f) << 25) >> 25;
    case Kind.BIT_STRING:
      return data.readUInt32LE(at);
    case Kind.NORMALIZED:
      return data.readInt16LE(at) / normalizedScale;
    case Kind.SCALED:
      return data.readInt16LE(at);
    case Kind.SHORT_FLOAT:
      return data.readFloatLE(at);
    case Kind.COUNTER:
      return data.readInt32LE(at);
    default:
      return 0;
  }
}
