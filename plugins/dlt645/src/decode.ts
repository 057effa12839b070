import { DataType, isFault, numberSize, type Fault, type Values } from '@tagway/sdk';
import type { Address } from './address.ts';
import { emptyAnswer, impossibleTime, noDigits, noSuchPart, noTime, noValue, tooWide } from './faults.ts';
import { demandSize, demandValueSize, isBlock, isDemand, isStatus, isText, partSize } from './identifier.ts';

const signed: ReadonlySet<DataType> = new Set([
  DataType.INT8,
  DataType.INT16,
  DataType.INT32,
  DataType.INT64,
]);

/** Gives point `index` what the answer `data[0, size)` says of its address, or the fault of that. */
export function decode(
  address: Address,
  type: DataType,
  data: Buffer,
  size: number,
  index: number,
  into: Values,
): void {
  const value = valueOf(address, type, data, size);
  if (typeof value === 'string') into.text(index, value);
  else if (typeof value === 'number') into.number(index, value);
  else if (typeof value === 'bigint') into.integer(index, value);
  else into.fault(index, value);
}

function valueOf(
  { identifier, part, isTime }: Address,
  type: DataType,
  data: Buffer,
  size: number,
): string | number | bigint | Fault {
  if (size === 0) return emptyAnswer;
  const step = partSize(identifier);
  const start = part * step;
  const isWhole = part === 0 && (size < step || !isBlock(identifier));
  const end = isWhole ? size : start + step;
  if (end > size) return noSuchPart;
  if (isTime) return timeOf(data, start, end);
  if (isText(identifier) && type === DataType.STRING) return textOf(data, start, end);
  // A demand carries its time behind the value.
  const isOneDemand = isDemand(identifier) && end - start === demandSize;
  const valueEnd = isOneDemand ? start + demandValueSize : end;
  const isBinary = isStatus(identifier);
  if (type === DataType.STRING)
    return isBinary ? hexOf(data, start, valueEnd).toUpperCase() : digitsOf(data, start, valueEnd);
  if (valueEnd - start > (numberSize(type) ?? 0)) return tooWide(valueEnd - start, type);
  return (isBinary ? bitsOf : numberOf)(data, start, valueEnd, type);
}

/** Bits as they are, the lowest byte first. */
function bitsOf(data: Buffer, start: number, end: number, type: DataType): number | bigint {
  const width = end - start;
  let value = 0n;
  for (let at = end - 1; at >= start; at--) value = (value << 8n) | BigInt(data[at]!);
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
    let byte = data[at]!;
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

/** Digits as they are, the highest first. */
function digitsOf(data: Buffer, start: number, end: number): string | Fault {
  const digits = hexOf(data, start, end);
  if (/^\d+$/.test(digits)) return digits;
  return /^f+$/.test(digits) ? noValue : noDigits;
}

/** Bytes as hexadecimal digits, the highest first. */
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
function timeOf(data: Buffer, start: number, end: number): string | Fault {
  const size = end - start;
  if (size !== demandSize && size !== 5 && size !== 6) return noTime;
  const digits = digitsOf(data, size === demandSize ? start + demandValueSize : start, end);
  if (isFault(digits)) return digits;
  if (/^0+$/.test(digits)) return '';
  const [year, month, day, hour, minute, second] = digits.match(/../g) as string[];
  const text = `20${year}-${month}-${day}T${hour}:${minute}:${second ?? '00'}.000Z`;
  // A date reads 31 February as 2 March.
  const at = Date.parse(text);
  if (Number.isNaN(at) || new Date(at).toISOString() !== text) return impossibleTime;
  return `20${year}-${month}-${day} ${hour}:${minute}${second === undefined ? '' : `:${second}`}`;
}
