import { Area, Exception, FunctionCode, limits } from '@tagway/modbus/server';
import { isWithin } from './request.ts';

/** A request to write that is sound as such. */
export interface WriteRequest {
  readonly area: typeof Area.COIL | typeof Area.HOLDING_REGISTER;
  readonly start: number;
  readonly count: number;
  /** Registers as they came, or one byte, 0 or 1, for each coil. */
  readonly data: Buffer;
  /** Of a masked write: 1 for each bit that it is about. */
  readonly mask?: number;
  /** What is read when it is done. */
  readonly read?: { readonly start: number; readonly count: number };
}

const lengths: Readonly<Record<number, number>> = {
  [FunctionCode.WRITE_COIL]: 5,
  [FunctionCode.WRITE_REGISTER]: 5,
  [FunctionCode.MASK_WRITE_REGISTER]: 7,
};

/** Whether a function writes. */
export function isWrite(code: number): boolean {
  return (
    code in lengths ||
    code === FunctionCode.WRITE_COILS ||
    code === FunctionCode.WRITE_REGISTERS ||
    code === FunctionCode.READ_WRITE_REGISTERS
  );
}

/** The write of a protocol data unit, or an exception code. */
export function writeRequestOf(pdu: Buffer): WriteRequest | number {
  const code = pdu[0]!;
  if (code in lengths && pdu.length !== lengths[code]) return Exception.ILLEGAL_DATA_VALUE;
  switch (code) {
    case FunctionCode.WRITE_COIL:
      return coil(pdu);
    case FunctionCode.WRITE_REGISTER:
      return { area: Area.HOLDING_REGISTER, start: pdu.readUInt16BE(1), count: 1, data: pdu.subarray(3, 5) };
    case FunctionCode.MASK_WRITE_REGISTER:
      return {
        area: Area.HOLDING_REGISTER,
        start: pdu.readUInt16BE(1),
        count: 1,
        data: pdu.subarray(5, 7),
        mask: ~pdu.readUInt16BE(3) & 0xffff,
      };
    case FunctionCode.WRITE_COILS:
      return coils(pdu);
    case FunctionCode.WRITE_REGISTERS:
      return registers(pdu, 1, limits.writeRegisters);
    default:
      return readAndWrite(pdu);
  }
}

/** The first bytes of the answer, which a write repeats: all of a short one, otherwise function, start and count. */
export function confirmation(pdu: Buffer): Buffer {
  return pdu.subarray(0, lengths[pdu[0]!] ?? 5);
}

function coil(pdu: Buffer): WriteRequest | number {
  const value = pdu.readUInt16BE(3);
  if (value !== 0 && value !== 0xff00) return Exception.ILLEGAL_DATA_VALUE;
  const data = Buffer.of(value === 0 ? 0 : 1);
  return { area: Area.COIL, start: pdu.readUInt16BE(1), count: 1, data };
}

function coils(pdu: Buffer): WriteRequest | number {
  if (pdu.length < 6) return Exception.ILLEGAL_DATA_VALUE;
  const start = pdu.readUInt16BE(1);
  const count = pdu.readUInt16BE(3);
  const bytes = Math.ceil(count / 8);
  if (count < 1 || count > limits.writeBits || pdu[5] !== bytes || pdu.length !== 6 + bytes)
    return Exception.ILLEGAL_DATA_VALUE;
  if (!isWithin(start, count)) return Exception.ILLEGAL_DATA_ADDRESS;
  const data = Buffer.alloc(count);
  for (let index = 0; index < count; index++) data[index] = (pdu[6 + (index >> 3)]! >> (index & 7)) & 1;
  return { area: Area.COIL, start, count, data };
}

/** Start, count, bytes and registers, which begin at `pdu[at]` and end with it. */
function registers(pdu: Buffer, at: number, most: number): WriteRequest | number {
  if (pdu.length < at + 5) return Exception.ILLEGAL_DATA_VALUE;
  const start = pdu.readUInt16BE(at);
  const count = pdu.readUInt16BE(at + 2);
  if (count < 1 || count > most || pdu[at + 4] !== 2 * count || pdu.length !== at + 5 + 2 * count)
    return Exception.ILLEGAL_DATA_VALUE;
  if (!isWithin(start, count)) return Exception.ILLEGAL_DATA_ADDRESS;
  return { area: Area.HOLDING_REGISTER, start, count, data: pdu.subarray(at + 5) };
}

function readAndWrite(pdu: Buffer): WriteRequest | number {
  const write = registers(pdu, 5, limits.writeRegistersAndRead);
  if (typeof write === 'number' && pdu.length < 10) return Exception.ILLEGAL_DATA_VALUE;
  const read = { start: pdu.readUInt16BE(1), count: pdu.readUInt16BE(3) };
  if (read.count < 1 || read.count > limits.readRegisters) return Exception.ILLEGAL_DATA_VALUE;
  if (typeof write === 'number') return write;
  return isWithin(read.start, read.count) ? { ...write, read } : Exception.ILLEGAL_DATA_ADDRESS;
}
