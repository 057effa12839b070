import { maxPdu } from './protocol.ts';

/**
 * Framing of Modbus TCP and UDP: transaction id, protocol id 0, length and unit id before the protocol data unit
 * (MODBUS Messaging on TCP/IP Implementation Guide V1.0b, section 3.1.3).
 */

/** Bytes of a frame before its protocol data unit. */
export const overhead = 7;

export const maxFrame = overhead + maxPdu;

/** Writes the frame of a protocol data unit and returns where it ends. The transaction id comes back with the answer. */
export function writeFrame(out: Buffer, at: number, id: number, unit: number, pdu: Uint8Array): number {
  writeHeader(out, at, id, unit, pdu.length);
  out.set(pdu, at + overhead);
  return at + overhead + pdu.length;
}

/** Writes what stands before a protocol data unit of `size` bytes. */
export function writeHeader(out: Buffer, at: number, id: number, unit: number, size: number): void {
  const length = size + 1;
  out[at] = id >> 8;
  out[at + 1] = id & 0xff;
  out[at + 2] = 0;
  out[at + 3] = 0;
  out[at + 4] = length >> 8;
  out[at + 5] = length & 0xff;
  out[at + 6] = unit;
}

/** Bytes of the frame whose header begins at `at`: 0 while more is needed to know, -1 when it is no header. */
export function frameLength(data: Buffer, at: number, end: number): number {
  if (end - at < overhead) return 0;
  const length = (data[at + 4]! << 8) | data[at + 5]!;
  const sound = data[at + 2] === 0 && data[at + 3] === 0 && length >= 2 && length <= maxPdu + 1;
  return sound ? 6 + length : -1;
}

/** The transaction id of the frame that begins at `at`. */
export function transactionOf(data: Buffer, at: number): number {
  return (data[at]! << 8) | data[at + 1]!;
}
