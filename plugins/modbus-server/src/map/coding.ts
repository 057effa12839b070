import {
  characterPlaces,
  encodeRegisters,
  numberFrom,
  type Permutation,
  putNumber,
  textFrom,
} from '@tagway/modbus/server';
import { DataType, type Inputs, isFault, type JsonValue } from '@tagway/sdk';
import type { Row } from '../table/row.ts';

/** Orders of a text or of bytes come with the address. */
const noOrders = { endianess: 1, endianess_64: 1 } as const;

type NumberRow = Pick<Row, 'address' | 'order' | 'scale'>;

function isWide(type: DataType | undefined): boolean {
  return type === DataType.INT64 || type === DataType.UINT64;
}

function isFraction(type: DataType): boolean {
  return type === DataType.FLOAT || type === DataType.DOUBLE;
}

/** Writes the number of an input to the beginning of `into`. False: it has none that the registers can hold. */
export function putInput(row: NumberRow, inputs: Inputs, input: number, into: Uint8Array): boolean {
  const type = inputs.type(input);
  if (type === undefined || type === DataType.STRING || type === DataType.BYTES) return false;
  const value = isWide(type) ? inputs.integer(input) : inputs.number(input);
  return putScaled(row, value, into);
}

/** As `putInput` for any value. */
export function putScaled(
  { address: { type }, order, scale }: NumberRow,
  value: number | bigint,
  into: Uint8Array,
): boolean {
  if (isWide(type) && typeof value === 'bigint' && scale === 1) return isPut(type, value, into, order);
  const scaled = scale === 1 ? Number(value) : clean(Number(value) * scale);
  if (isFraction(type)) return isPut(type, scaled, into, order);
  const whole = Math.round(scaled);
  if (!isWide(type)) return isPut(type, whole, into, order);
  return Number.isFinite(whole) && isPut(type, BigInt(whole), into, order);
}

function isPut(type: DataType, value: number | bigint, into: Uint8Array, order: Permutation): boolean {
  return putNumber(type, value, into, order) === undefined;
}

/** What a tag of `type` is to be when a master has written these registers; undefined: it takes no such value. */
export function numberOf(
  { address, order, scale }: NumberRow,
  type: DataType | undefined,
  data: Uint8Array,
  at: number,
): JsonValue | undefined {
  const raw = numberFrom(address.type, data, at, order);
  switch (type) {
    case undefined:
    case DataType.STRING:
    case DataType.BYTES:
      return undefined;
    case DataType.INT64:
    case DataType.UINT64: {
      if (typeof raw === 'bigint' && scale === 1) return raw;
      const whole = unscaled(raw, scale);
      return Number.isInteger(whole) ? BigInt(whole) : undefined;
    }
    case DataType.BOOL: {
      const value = unscaled(raw, scale);
      return value === 0 || value === 1 ? value === 1 : undefined;
    }
    default: {
      if (typeof raw === 'bigint' && scale === 1)
        return Number.isSafeInteger(Number(raw)) ? Number(raw) : undefined;
      const value = unscaled(raw, scale);
      return Number.isFinite(value) ? value : undefined;
    }
  }
}

/** Which value of a tag of `type` a bit stands for. */
export function bitValue(type: DataType | undefined, bit: number): JsonValue | undefined {
  if (type === DataType.BOOL) return bit === 1;
  if (isWide(type)) return BigInt(bit);
  return type === undefined || type === DataType.STRING || type === DataType.BYTES ? undefined : bit;
}

/** The bit that an input is; undefined: it has none. */
export function bitOfInput(inputs: Inputs, input: number): 0 | 1 | undefined {
  const type = inputs.type(input);
  if (type === undefined || type === DataType.STRING || type === DataType.BYTES) return undefined;
  if (isWide(type)) return inputs.integer(input) === 0n ? 0 : 1;
  const value = inputs.number(input);
  return Number.isNaN(value) ? undefined : value === 0 ? 0 : 1;
}

/** Registers of a text, which is cut where they end, or of bytes. Undefined: they do not fit. */
export function registersOf(
  { address }: Pick<Row, 'address'>,
  value: string | Uint8Array,
): Buffer | undefined {
  const cut = typeof value === 'string' ? cutText(value, address.length) : value;
  const data = encodeRegisters(address, cut, noOrders);
  return isFault(data) ? undefined : data;
}

/** The text or the bytes that a master has written; undefined: they are no text. */
export function objectOf(
  { address }: Pick<Row, 'address'>,
  data: Uint8Array,
  at: number,
): JsonValue | undefined {
  if (address.type === DataType.BYTES) return data.slice(at, at + address.length);
  const places = characterPlaces[address.layout];
  const text = textFrom(data, at, address.length, places);
  // A question mark stands for what is no UTF-8.
  return text === '?' && data[at + places.swap] !== 0x3f ? undefined : text;
}

/** A text or bytes of an input; undefined where it has none of the type of the row. */
export function objectOfInput(
  { address }: Pick<Row, 'address'>,
  inputs: Inputs,
  input: number,
): string | Uint8Array | undefined {
  if (inputs.type(input) !== address.type) return undefined;
  return address.type === DataType.STRING ? inputs.text(input) : inputs.bytes(input);
}

/** As much of a text as fits into `most` bytes of UTF-8, whole characters alone. */
function cutText(text: string, most: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= most) return text;
  let end = most;
  while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

function unscaled(raw: number | bigint, scale: number): number {
  return scale === 1 ? Number(raw) : clean(Number(raw) / scale);
}

/** Without what the last binary digits add: 3 / 0.1 is 30. */
function clean(value: number): number {
  return Number(value.toPrecision(15));
}
