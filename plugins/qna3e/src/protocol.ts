/** Binary 3E frames of MC protocol (Mitsubishi SH-080008, sections 4.2 and 8). All numbers are little-endian but the subheader. */

/** Commands; subcommand 0 is for words, 1 for bits. */
export const Command = { READ: 0x0401, WRITE: 0x1401, WRITE_RANDOM: 0x1402 } as const;
export const Unit = { WORDS: 0, BITS: 1 } as const;
export type Unit = (typeof Unit)[keyof typeof Unit];

/** Most points of one request to a Q or L CPU. */
export const mostWords = 960;
export const mostBits = 7168;

/** Bytes of the largest frame; a reply with 7168 bits has 3595. */
export const mostBytes = 8192;

/** Bytes of subheader, route and length. */
const headerSize = 9;

/** Where the data of a reply begin: behind the end code. */
const dataAt = headerSize + 2;

/** The PLC that is asked: as a request names it, and a reply repeats it. */
export interface Route {
  readonly network: number;
  readonly pc: number;
  readonly module_io: number;
  readonly station: number;
}

/** The bytes of a route. */
export function routeBytes({ network, pc, module_io, station }: Route): Buffer {
  return Buffer.from([network, pc, module_io & 0xff, module_io >> 8, station]);
}

/** The monitoring timer that a request carries, in units of 250 ms: the PLC gives up just before the gateway does. */
export function timerOf(timeout: number): number {
  return Math.max(1, Math.floor(timeout / 250) - 1);
}

/** A request with its data. `timer`: see `timerOf`. */
export function requestFrame(
  route: Buffer,
  timer: number,
  command: number,
  unit: Unit,
  data: Uint8Array,
): Buffer {
  const frame = Buffer.alloc(headerSize + 6 + data.length);
  frame[0] = 0x50;
  route.copy(frame, 2);
  frame.writeUInt16LE(6 + data.length, 7);
  frame.writeUInt16LE(timer, 9);
  frame.writeUInt16LE(command, 11);
  frame.writeUInt16LE(unit, 13);
  frame.set(data, 15);
  return frame;
}

/** Bytes of the reply that begins at `at`: 0 when more is needed to know, -1 when no reply of this route begins there. */
export function frameLength(route: Buffer, bytes: Buffer, at: number, end: number): number {
  if (bytes[at] !== 0xd0) return -1;
  if (end - at > 1 && bytes[at + 1] !== 0) return -1;
  for (let i = 0; i < route.length && at + 2 + i < end; i++) if (bytes[at + 2 + i] !== route[i]) return -1;
  if (end - at < headerSize) return 0;
  const size = headerSize + bytes.readUInt16LE(at + 7);
  return size < dataAt || size > mostBytes ? -1 : size;
}

/** The end code of a reply; 0 is success. */
export function endCodeOf(frame: Buffer, at = 0): number {
  return frame.readUInt16LE(at + headerSize);
}

/** The data of a reply, as a copy. */
export function dataOf(frame: Buffer, at: number, end: number): Buffer {
  return Buffer.from(frame.subarray(at + dataAt, end));
}

/** Names a device: three bytes of its number, then its code. */
function deviceBytes(number: number, code: number): number[] {
  return [number & 0xff, (number >> 8) & 0xff, number >> 16, code];
}

/** Data of a batch read, and the beginning of those of a batch write. */
export function batch(code: number, start: number, count: number): Buffer {
  return Buffer.from([...deviceBytes(start, code), count & 0xff, count >> 8]);
}

/** A value of a random write: one bit, one word or two words. */
export interface RandomValue {
  readonly area: number;
  readonly start: number;
  readonly data: Uint8Array;
}

/** Data of a random write of single words and double words. */
export function randomWords(values: readonly RandomValue[]): Buffer {
  const single = values.filter(({ data }) => data.length === 2);
  const double = values.filter(({ data }) => data.length === 4);
  const bytes = [...single, ...double].flatMap(({ area, start, data }) => [
    ...deviceBytes(start, area),
    ...data,
  ]);
  return Buffer.from([single.length, double.length, ...bytes]);
}

/** Data of a random write of bits, each 0 or 1. */
export function randomBits(values: readonly RandomValue[]): Buffer {
  const bytes = values.flatMap(({ area, start, data }) => [...deviceBytes(start, area), ...data]);
  return Buffer.from([values.length, ...bytes]);
}

/** Bytes that `count` bits take in a batch. */
export function packedSize(count: number): number {
  return (count + 1) >> 1;
}

/** Two bits a byte, the first in the high half. */
export function packBits(bits: Uint8Array): Buffer {
  const packed = Buffer.alloc(packedSize(bits.length));
  bits.forEach((bit, index) => (packed[index >> 1]! |= bit << (index % 2 === 0 ? 4 : 0)));
  return packed;
}

/** One byte a bit. */
export function unpackBits(packed: Buffer, count: number): Buffer {
  const bits = Buffer.alloc(count);
  for (let i = 0; i < count; i++) bits[i] = (packed[i >> 1]! >> (i % 2 === 0 ? 4 : 0)) & 1;
  return bits;
}
