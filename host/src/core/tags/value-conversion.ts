import { DataType, dataTypeName, ErrorCode, Limits } from '@tagway/schemas';
import type { JsonValue, Value } from '@tagway/sdk';
import { integerRange, isNumeric } from '@tagway/sdk/internal';
import type { Tag } from '../model.ts';
import { Refusal, sentence } from '../system/sentence.ts';

const floatMax = 3.4028234663852886e38;

/**
 * The value of a tag's type that a client's JSON value stands for. An integer may be written as a real (`3.0`).
 * Throws TYPE_MISMATCH, VALUE_OUT_OF_RANGE or STRING_TOO_LONG.
 */
export function fromJson(type: DataType, json: JsonValue, longestText: number = Limits.stringValue): Value {
  switch (type) {
    case DataType.BOOL:
      return typeof json === 'boolean' ? json : mismatch(type, json);
    case DataType.STRING:
      if (typeof json !== 'string') return mismatch(type, json);
      checkString(json, longestText);
      return json;
    case DataType.BYTES:
      return toBytes(json);
    case DataType.FLOAT:
    case DataType.DOUBLE:
      return toReal(type, Number(toNumber(type, json)));
    case DataType.BIT: {
      const bit = Number(toNumber(type, json));
      if (bit % 1 !== 0 && Number.isFinite(bit)) return mismatch(type, json);
      return bit === 0 || bit === 1 ? bit : outOfRange(type, json);
    }
    default: {
      const number = toNumber(type, json);
      return typeof number === 'number' && number % 1 !== 0 && Number.isFinite(number)
        ? mismatch(type, json)
        : toInteger(type, number);
    }
  }
}

/**
 * The value to write to the device for the value that a client wants to see: `(value − bias) ÷ decimal`, integers rounded half
 * away from zero. Throws as `fromJson` does; the range is that of the device's value.
 */
export function toDevice(
  tag: Pick<Tag, 'type' | 'decimal' | 'bias'>,
  json: JsonValue,
  longestText: number = Limits.stringValue,
): Value {
  const { type, decimal, bias } = tag;
  if (!isNumeric(type) || (decimal === 0 && bias === 0)) return fromJson(type, json, longestText);
  const raw = (Number(toNumber(type, json)) - bias) / (decimal === 0 ? 1 : decimal);
  if (type === DataType.FLOAT || type === DataType.DOUBLE) return toReal(type, raw);
  if (!Number.isFinite(raw)) return outOfRange(type, json);
  // 0.15 ÷ 0.1 is 1.4999999999999998 in binary; at 15 digits it is the 1.5 that the client means.
  const exact = Number(raw.toPrecision(15));
  return toInteger(type, Math.sign(exact) * Math.round(Math.abs(exact)));
}

/** Throws STRING_TOO_LONG. `longest` is in bytes of UTF-8; with `tag` the sentence names the tag. */
export function checkString(text: string, longest: number, tag?: string): void {
  if (Buffer.byteLength(text) > longest) {
    const problem = sentence`A text written here has at most ${longest} bytes of UTF-8, and this one ${Buffer.byteLength(text)}.`;
    throw new Refusal(
      ErrorCode.STRING_TOO_LONG,
      tag === undefined ? problem : sentence`The tag "${tag}": ${problem}`,
    );
  }
}

function toNumber(type: DataType, json: JsonValue): number | bigint {
  return typeof json === 'number' || typeof json === 'bigint' ? json : mismatch(type, json);
}

function toReal(type: DataType, value: number): number {
  const max = type === DataType.FLOAT ? floatMax : Number.MAX_VALUE;
  return Math.abs(value) <= max ? value : outOfRange(type, value);
}

/** `value` is integral. */
function toInteger(type: DataType, value: number | bigint): number | bigint {
  if (typeof value === 'number' && !Number.isFinite(value)) return outOfRange(type, value);
  const range = integerRange[type];
  if (range === undefined || value < range[0] || value > range[1]) return outOfRange(type, value);
  if (type === DataType.INT64 || type === DataType.UINT64) return BigInt(value);
  // Adding zero turns -0 into 0.
  return Number(value) + 0;
}

function toBytes(json: JsonValue): Uint8Array {
  if (json instanceof Uint8Array) return json;
  if (!Array.isArray(json)) return mismatch(DataType.BYTES, json);
  const numbers: readonly unknown[] = json;
  for (const number of numbers) {
    if (!Number.isInteger(number)) return mismatch(DataType.BYTES, json);
    if (Number(number) < 0 || Number(number) > 0xff) return outOfRange(DataType.BYTES, json);
  }
  return Uint8Array.from(numbers, Number);
}

function mismatch(type: DataType, json: unknown): never {
  throw new Refusal(
    ErrorCode.TYPE_MISMATCH,
    sentence`${show(json)} is not a value for a tag of type ${dataTypeName(type)}.`,
  );
}

function outOfRange(type: DataType, json: unknown): never {
  throw new Refusal(
    ErrorCode.VALUE_OUT_OF_RANGE,
    sentence`${show(json)} is out of the range of type ${dataTypeName(type)}.`,
  );
}

function show(json: unknown): string {
  const text = typeof json === 'string' ? JSON.stringify(json) : String(json);
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`;
}
