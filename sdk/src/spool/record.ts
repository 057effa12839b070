import { crc32 } from 'node:zlib';

/** One message in a spool. */
export interface SpoolRecord {
  /** Ascends with every record of a spool, also over restarts. */
  readonly sequence: number;
  /** Given by the app beside the data, for example a topic. */
  readonly key: string;
  readonly data: Uint8Array;
}

/**
 * A record in a file, little endian: marker (4 bytes), length of all that follows the header (4), CRC-32 of all that
 * follows this field (4), sequence as a double (8), length of the key (2); then the key in UTF-8 and the data.
 */
const headerSize = 22;
const marker = Buffer.from('TGS1');
const lengthAt = 4;
const crcAt = 8;
const sequenceAt = 12;
const keyLengthAt = 20;

/** Longest key in bytes. */
export const maxKeyLength = 0xffff;

/** Bytes of a record in a file. */
export function encodedSize(key: string, data: Uint8Array): number {
  return headerSize + Buffer.byteLength(key) + data.length;
}

/** Writes a record and returns where it ends. */
export function encode(record: SpoolRecord, into: Buffer, at: number): number {
  const keyLength = into.write(record.key, at + headerSize);
  const end = at + headerSize + keyLength + record.data.length;
  into.set(marker, at);
  into.writeUInt32LE(end - at - headerSize, at + lengthAt);
  into.writeDoubleLE(record.sequence, at + sequenceAt);
  into.writeUInt16LE(keyLength, at + keyLengthAt);
  into.set(record.data, at + headerSize + keyLength);
  into.writeUInt32LE(crc32(into.subarray(at + sequenceAt, end)), at + crcAt);
  return end;
}

export interface Parsed extends SpoolRecord {
  /** Where the record ends in the bytes. */
  readonly end: number;
}

/**
 * The record at a place; or the number of bytes that are needed to parse it; or undefined when there is no valid record.
 */
export function parse(bytes: Buffer, at: number): Parsed | number | undefined {
  const known = bytes.length - at;
  if (bytes.compare(marker, 0, Math.min(known, 4), at, at + Math.min(known, 4)) !== 0) return undefined;
  if (known < headerSize) return headerSize;
  const size = headerSize + bytes.readUInt32LE(at + lengthAt);
  if (known < size) return size;
  const end = at + size;
  const data = at + headerSize + bytes.readUInt16LE(at + keyLengthAt);
  if (data > end) return undefined;
  if (crc32(bytes.subarray(at + sequenceAt, end)) !== bytes.readUInt32LE(at + crcAt)) return undefined;
  return {
    sequence: bytes.readDoubleLE(at + sequenceAt),
    key: bytes.toString('utf8', at + headerSize, data),
    data: bytes.subarray(data, end),
    end,
  };
}

/** The next place where a record may begin; the length of the bytes when there is none in them. */
export function nextMarker(bytes: Buffer, after: number): number {
  const found = bytes.indexOf(marker, after + 1);
  // The bytes may end within a marker.
  return found === -1 ? Math.min(bytes.length, Math.max(after + 1, bytes.length - marker.length + 1)) : found;
}
