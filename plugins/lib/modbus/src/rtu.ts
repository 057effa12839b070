/** Frames of Modbus RTU: unit, protocol data unit, CRC with its low byte first (MODBUS over Serial Line V1.02, section 2.5.1). */

/** Bytes of a frame beyond its protocol data unit. */
export const overhead = 3;

const table = Uint16Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  return crc;
});

/** The checksum of `data[start, end)`; 0 when that ends with its own checksum. */
export function crc16(data: Uint8Array, start: number, end: number): number {
  let crc = 0xffff;
  for (let at = start; at < end; at++) crc = (crc >> 8) ^ table[(crc ^ data[at]!) & 0xff]!;
  return crc;
}

export function frameOf(unit: number, pdu: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(pdu.length + overhead);
  frame[0] = unit;
  frame.set(pdu, 1);
  frame.writeUInt16LE(crc16(frame, 0, pdu.length + 1), pdu.length + 1);
  return frame;
}
