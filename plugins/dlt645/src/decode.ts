import { DataType, numberSize, type Fault, type Values } from '@tagway/sdk';
import type { Item } from './address.ts';
import { emptyAnswer, noDigits, noSuchPart, noTime, noValue, tooWide } from './faults.ts';
import { demandSize, demandValueSize, isDemand, isStatus, isText, partSize } from './item.ts';

const signed: ReadonlySet<DataType> = new Set([
  DataType.INT8,
  DataType.INT16,
  DataType.INT32,
  DataType.INT64,
]);

/** Sets point `index` to what the answer `data[0, size)` says of its item, or to the fault of that. */
export function decode(
  item: Item,
  type: DataType,
  data: Buffer,
  size: number,
  index: number,
  into: Values,
): void {
  const fault = decodeItem(item, type, data, size, index, into);
  if (fault !== undefined) into.fault(index, fault);
}

function decodeItem(
  { identifier, part, isTime }: Item,
  type: DataType,
  data: Buffer,
  size: number,
  index: number,
  into: Values,
): Fault | undefined {
  if (size === 0) return emptyAnswer;
  const step = partSize(identifier);
  const start = part === 0 ? 0 : (part - 1) * step;
  const end = part === 0 ? size : start + step;
  if (end > size) return noSuchPart;
  if (isTime) return setTime(data, start, end, index, into);
  if (isText(identifier) && type === DataType.STRING) {
    into.text(index, textOf(data, start, end));
    return undefined;
  }
  // A demand carries its time behind the value.
  const isOneDemand = isDemand(identifier) && end - start === demandSize;
  const valueEnd = isOneDemand ? start + demandValueSize : end;
  const isBinary = isStatus(identifier);
  if (type === DataType.STRING) return setDigits(data, start, valueEnd, isBinary, index, into);
  if (valueEnd - start > (numberSize(type) ?? 0)) return tooWide;
  const value = (isBinary ? bitsOf : numberOf)(data, start, valueEnd, type);
  if (typeof value === 'number') into.number(index, value);
  else if (typeof value === 'bigint') into.integer(index, value);
  else return value;
  return undefined;
}

/** Bits as they are, the lowest byte first. */
function bitsOf(data: Buffer, start: number, end: number, type: DataType): number | bigint {
  const width = end - start;
  let value = 0n;
  for (let at = end - 1; at >= start; at--) value = (value << 8n) | BigInt(data[at] as number);
  if (signed.has(type) && width === numberSize(type)) value = BigInt.asIntN(8 * width, value);
  return numberSize(type) === 8 ? value : Number(value);
}

/** Decimal digits; of a type with a sign the highest bit is the sign. */
function numberOf(data: Buffer, start: number, end: number, type: DataType): number | bigint | Fault {
  // Eight digits at most on either side, so that neither loses any.
  let low = 0;
  let high = 0;
  let isNegative = false;
  let isAbsent = true;
  let isDecimal = true;
  for (let at = end - 1; at >= start; at--) {
    let byte = data[at] as number;
    isAbsent &&= byte === 0xff;
    if (at === end - 1 && byte >= 0x80 && signed.has(type)) {
      isNegative = true;
      byte -= 0x80;
    }
    isDecimal &&= byte >> 4 <= 9 && (byte & 0x0f) <= 9;
    const digits = (byte >> 4) * 10 + (byte & 0x0f);
    if (at - start >= 4) high = high * 100 + digits;
    else low = low * 100 + digits;
  }
  if (isAbsent) return noValue;
  if (!isDecimal) return noDigits;
  const sign = isNegative ? -1 : 1;
  if (numberSize(type) === 8) return BigInt(sign) * (BigInt(high) * 100_000_000n + BigInt(low));
  return low === 0 ? 0 : sign * low;
}

/** Digits as they are, the highest first; of bits hexadecimal ones. */
function setDigits(
  data: Buffer,
  start: number,
  end: number,
  isBinary: boolean,
  index: number,
  into: Values,
): Fault | undefined {
  const text = hexOf(data, start, end);
  if (!isBinary && !/^\d+$/.test(text)) return /^f+$/.test(text) ? noValue : noDigits;
  into.text(index, isBinary ? text.toUpperCase() : text);
  return undefined;
}

function hexOf(data: Buffer, start: number, end: number): string {
  return Buffer.from(data.subarray(start, end)).reverse().toString('hex');
}

/** Every item is sent lowest byte first (DL/T 645-2007), and ASCII is taken for no exception: the last character comes first. */
function textOf(data: Buffer, start: number, end: number): string {
  return Buffer.from(data.subarray(start, end))
    .reverse()
    .toString('latin1')
    .replace(/^\0+/, '')
    .replace(/[\0 ]+$/, '');
}

/** A time as "2024-05-31 13:45", with seconds where it has some; an empty text when it has not occurred yet. */
function setTime(data: Buffer, start: number, end: number, index: number, into: Values): Fault | undefined {
  const size = end - start;
  const at = size === demandSize ? start + demandValueSize : start;
  if (size !== demandSize && size !== 5 && size !== 6) return noTime;
  const digits = hexOf(data, at, end);
  if (!/^\d+$/.test(digits)) return /^f+$/.test(digits) ? noValue : noDigits;
  if (/^0+$/.test(digits)) {
    into.text(index, '');
    return undefined;
  }
  const [year, month, day, hour, minute, second] = digits.match(/../g) as string[];
  into.text(index, `20${year}-${month}-${day} ${hour}:${minute}${second === undefined ? '' : `:${second}`}`);
  return undefined;
}
