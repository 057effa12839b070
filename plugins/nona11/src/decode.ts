import { DataType, type Fault, type Values } from '@tagway/sdk';
import type { Address } from './address.ts';
import { beyondAnswer, noText } from './faults.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Gives point `index` the value that its address names in an answer, the highest byte first, or a fault. */
export function decode(
  { start, end }: Address,
  type: DataType,
  bytes: Buffer,
  index: number,
  into: Values,
): void {
  if (end > bytes.length) return into.fault(index, beyondAnswer);
  if (type === DataType.STRING) {
    const text = textOf(bytes.subarray(start, end));
    return typeof text === 'string' ? into.text(index, text) : into.fault(index, text);
  }
  into.number(index, numberOf(type, bytes, start));
}

function numberOf(type: DataType, bytes: Buffer, at: number): number {
  switch (type) {
    case DataType.INT16:
      return bytes.readInt16BE(at);
    case DataType.UINT16:
      return bytes.readUInt16BE(at);
    case DataType.INT32:
      return bytes.readInt32BE(at);
    case DataType.UINT32:
      return bytes.readUInt32BE(at);
    default:
      return bytes.readFloatBE(at);
  }
}

/** The text up to the first NUL. */
function textOf(bytes: Buffer): string | Fault {
  const end = bytes.indexOf(0);
  try {
    return utf8.decode(end < 0 ? bytes : bytes.subarray(0, end));
  } catch {
    return noText;
  }
}
