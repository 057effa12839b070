import type { JsonValue } from '@tagway/sdk';
import type { CommandMetric, WireValue } from './decode.ts';
import { SparkplugType } from './datatype.ts';
import { ValueKey } from './wire.ts';

/** What a tag is to be written, or why nothing is: a clause such as "it has no value". */
export type CommandValue = { readonly value: JsonValue } | { readonly problem: string };

/** Types of a command that no metric of ours has, by their numbers (Sparkplug 3.0, 6.4.16), and the types whose values they have. */
const others: Readonly<Record<number, SparkplugType>> = {
  // DateTime, Text, UUID.
  13: SparkplugType.UINT64,
  14: SparkplugType.STRING,
  15: SparkplugType.STRING,
};

const known: ReadonlySet<number> = new Set(Object.values(SparkplugType));

interface IntegerType {
  readonly bits: number;
  readonly isSigned: boolean;
}

const integers: Readonly<Partial<Record<SparkplugType, IntegerType>>> = {
  [SparkplugType.INT8]: { bits: 8, isSigned: true },
  [SparkplugType.INT16]: { bits: 16, isSigned: true },
  [SparkplugType.INT32]: { bits: 32, isSigned: true },
  [SparkplugType.INT64]: { bits: 64, isSigned: true },
  [SparkplugType.UINT8]: { bits: 8, isSigned: false },
  [SparkplugType.UINT16]: { bits: 16, isSigned: false },
  [SparkplugType.UINT32]: { bits: 32, isSigned: false },
  [SparkplugType.UINT64]: { bits: 64, isSigned: false },
};

const typeNames = new Map<number, string>(
  Object.entries(SparkplugType).map(([name, type]) => [
    type,
    name.replace(
      /^(U?)(.)(.*)$/,
      (_all, u: string, first: string, rest: string) => u + first + rest.toLowerCase(),
    ),
  ]),
);

const fieldNames = new Map<number, string>(
  Object.entries(ValueKey).map(([name, key]) => [key, `${name.toLowerCase()}_value`]),
);

/**
 * The value of a command for a metric of this type. A command that does not say its type has that of the metric, as Sparkplug recommends;
 * one that does is taken at its word, and refused where the metric cannot hold what it says.
 */
export function commandValue(
  type: SparkplugType,
  { datatype, value, field }: Pick<CommandMetric, 'datatype' | 'value' | 'field'>,
): CommandValue {
  if (value === undefined) return { problem: 'it has no value' };
  if (datatype === undefined) return fitted(type, meantBy(type, value, field));
  const sent = known.has(datatype) ? (datatype as SparkplugType) : others[datatype];
  if (sent === undefined)
    return { problem: `its data type is ${datatype}, which is none that a tag can be written with` };
  if (field !== undefined && !fieldsOf(sent).includes(field))
    return {
      problem: `its data type is ${typeNames.get(sent)}, but its value is in ${fieldNames.get(field)}`,
    };
  return fitted(type, meantBy(sent, value, field));
}

/** The fields that may hold values of a type. */
function fieldsOf(type: SparkplugType): readonly ValueKey[] {
  if (integers[type] !== undefined) return [ValueKey.INT, ValueKey.LONG];
  if (type === SparkplugType.BOOLEAN) return [ValueKey.BOOLEAN];
  if (type === SparkplugType.STRING) return [ValueKey.STRING];
  return type === SparkplugType.BYTES ? [ValueKey.BYTES] : [ValueKey.FLOAT, ValueKey.DOUBLE];
}

/** What a value on the wire means: integers have no sign there. */
function meantBy(type: SparkplugType, value: WireValue, field: ValueKey | undefined): WireValue {
  const integer = integers[type];
  if (integer?.isSigned !== true) return value;
  if (typeof value === 'bigint') return BigInt.asIntN(64, value);
  if (field !== ValueKey.INT) return value;
  // Hosts send a negative number as 32 bits, or as the bits of its own type.
  const narrow = Math.max(0, 32 - integer.bits);
  return Number(value) < 2 ** integer.bits ? (Number(value) << narrow) >> narrow : Number(value) | 0;
}

/** A value as a tag takes whose metric has this type. */
function fitted(type: SparkplugType, value: WireValue): CommandValue {
  const refused = { problem: `${shown(value)} is no value of its type ${typeNames.get(type)}` };
  if (type === SparkplugType.STRING) return typeof value === 'string' ? { value } : refused;
  if (type === SparkplugType.BYTES) return value instanceof Uint8Array ? { value } : refused;
  if (type === SparkplugType.BOOLEAN) {
    if (typeof value === 'boolean') return { value };
    return value === 0 || value === 1 || value === 0n || value === 1n
      ? { value: Number(value) === 1 }
      : refused;
  }
  if (typeof value !== 'number' && typeof value !== 'bigint') return refused;
  const integer = integers[type];
  if (integer === undefined) return { value: Number(value) };
  if (typeof value === 'number' && !Number.isInteger(value)) return refused;
  const whole = BigInt(value);
  const { bits, isSigned } = integer;
  if ((isSigned ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole)) !== whole) return refused;
  return { value: bits === 64 ? whole : Number(whole) };
}

function shown(value: WireValue): string {
  if (typeof value === 'string') return 'a text';
  return value instanceof Uint8Array ? 'a row of bytes' : String(value);
}
