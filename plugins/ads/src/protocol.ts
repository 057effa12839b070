/**
 * Frames of AMS over TCP (Beckhoff Information System, "AMS/TCP packet", "AMS header" and "ADS commands"): six bytes that hold the length, the
 * AMS header of 32 bytes, then the data of the command. All numbers have their low byte first.
 */

/** ADS commands. */
export const Command = { READ: 2, WRITE: 3, READ_STATE: 4, READ_WRITE: 9 } as const;

/** Reserved index groups (TwinCAT ADS, "Specification of the index groups": ADSIGRP_…). */
export const IndexGroup = {
  /** Written with a name, read with a handle. */
  HANDLE_BY_NAME: 0xf003,
  /** Written with a name, read with the value. */
  VALUE_BY_NAME: 0xf004,
  /** The offset is a handle. */
  VALUE_BY_HANDLE: 0xf005,
  /** Written with a handle. */
  RELEASE_HANDLE: 0xf006,
  /** One byte, another one after every change of the program. */
  SYMBOL_VERSION: 0xf008,
  /** Written with a name, read with the entry of the symbol. */
  SYMBOL_BY_NAME: 0xf009,
  SYMBOL_UPLOAD: 0xf00b,
  SYMBOL_COUNT: 0xf00c,
  TYPE_UPLOAD: 0xf00e,
  SYMBOL_AND_TYPE_COUNT: 0xf00f,
  SUM_READ: 0xf080,
  SUM_WRITE: 0xf081,
  SUM_READ_WRITE: 0xf082,
} as const;

/** Where a PLC program is in its life: the first number that READ_STATE answers. */
export const PlcState = { RUN: 5, STOP: 6 } as const;

/** Bytes before the data of a command. */
export const headerSize = 38;

/** The largest frame that is taken: the symbols of a very large program come in one. */
export const maxFrame = 16 << 20;

const Flag = { RESPONSE: 1, ADS_COMMAND: 4 } as const;

export interface AmsAddress {
  /** Six bytes. */
  readonly netId: Uint8Array;
  readonly port: number;
}

/** Who asks whom. */
export interface Route {
  readonly target: AmsAddress;
  readonly source: AmsAddress;
}

/** The bytes of a NetId such as `5.23.91.10.1.1`, which the settings' schema has checked. */
export function netIdOf(text: string): Uint8Array {
  return Uint8Array.from(text.split('.'), Number);
}

/** The frame of a request, in a buffer of its own. */
export function requestFrame({ target, source }: Route, command: number, id: number, data: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(headerSize + data.length);
  frame.writeUInt16LE(0, 0);
  frame.writeUInt32LE(headerSize - 6 + data.length, 2);
  frame.set(target.netId, 6);
  frame.writeUInt16LE(target.port, 12);
  frame.set(source.netId, 14);
  frame.writeUInt16LE(source.port, 20);
  frame.writeUInt16LE(command, 22);
  frame.writeUInt16LE(Flag.ADS_COMMAND, 24);
  frame.writeUInt32LE(data.length, 26);
  frame.writeUInt32LE(0, 30);
  frame.writeUInt32LE(id, 34);
  data.copy(frame, headerSize);
  return frame;
}

/** Bytes of the frame that begins at `at`: 0 while more is needed to know, -1 when no frame begins there. */
export function frameLength(bytes: Buffer, at: number, end: number): number {
  if (bytes[at] !== 0 || (end - at > 1 && bytes[at + 1] !== 0)) return -1;
  if (end - at < 6) return 0;
  const length = bytes.readUInt32LE(at + 2);
  return length >= headerSize - 6 && length <= maxFrame - 6 ? 6 + length : -1;
}

export interface Response {
  readonly id: number;
  readonly command: number;
  /** Error of the AMS header; 0 when the request has reached its target. */
  readonly error: number;
}

/** The response in `data[at, end)`, `foreign` when the frame is none for this route, or undefined when it contradicts itself. */
export function parseResponse(
  { source }: Route,
  data: Buffer,
  at: number,
  end: number,
): Response | 'foreign' | undefined {
  if (data.readUInt32LE(at + 26) !== end - at - headerSize) return undefined;
  const isOurs = source.netId.every((byte, index) => data[at + 6 + index] === byte);
  if (!isOurs || data.readUInt16LE(at + 12) !== source.port) return 'foreign';
  if ((data.readUInt16LE(at + 24) & Flag.RESPONSE) === 0) return 'foreign';
  const command = data.readUInt16LE(at + 22);
  return { id: data.readUInt32LE(at + 34), command, error: data.readUInt32LE(at + 30) };
}

/** Data of READ. */
export function readData(group: number, offset: number, length: number): Buffer {
  const data = Buffer.allocUnsafe(12);
  writePlace(data, 0, group, offset, length);
  return data;
}

/** Data of WRITE. */
export function writeData(group: number, offset: number, value: Uint8Array): Buffer {
  const data = Buffer.allocUnsafe(12 + value.length);
  writePlace(data, 0, group, offset, value.length);
  data.set(value, 12);
  return data;
}

/** Data of READ_WRITE: writes `written`, then reads up to `readLength` bytes. */
export function readWriteData(
  group: number,
  offset: number,
  readLength: number,
  written: Uint8Array,
): Buffer {
  const data = Buffer.allocUnsafe(16 + written.length);
  writePlace(data, 0, group, offset, readLength);
  data.writeUInt32LE(written.length, 12);
  data.set(written, 16);
  return data;
}

/** Index group, index offset and length, as requests and the items of sum requests have them. */
export function writePlace(data: Buffer, at: number, group: number, offset: number, length: number): void {
  data.writeUInt32LE(group, at);
  data.writeUInt32LE(offset, at + 4);
  data.writeUInt32LE(length, at + 8);
}
