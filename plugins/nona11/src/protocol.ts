/**
 * The frame, assumed, not verified with a device: the format of these devices is not public. What is known is that a request is made by
 * site and command and that its answer is a row of bytes. Here both travel as in Modbus TCP: a header of two bytes that are 0, two
 * more for the protocol, 0 as well, and the number of bytes that follow; then the site, the command, and in an answer its
 * bytes. A refusal is an answer with the highest bit of the command set, and one byte that says why. Nothing outside
 * this file knows any of that but the limits.
 */

const headerSize = 6;
const bodyAt = headerSize + 2;
const refusalFlag = 0x80;

/** The highest site and the commands that a frame has room for. */
export const mostSite = 255;
export const mostCommand = 127;
/** Most bytes of a frame. */
export const mostBytes = 4096;

export interface Answer {
  readonly site: number;
  readonly command: number;
  /** Why the device refuses; undefined when it does not. */
  readonly refusal: number | undefined;
  readonly bytes: Buffer;
}

export function requestFrame(site: number, command: number): Buffer {
  return Buffer.of(0, 0, 0, 0, 0, 2, site, command);
}

/** Bytes of the frame at `at`: 0 when more is needed, -1 when none begins here. */
export function frameLength(bytes: Buffer, at: number, end: number): number {
  for (let i = 0; i < 4 && at + i < end; i++) if (bytes[at + i] !== 0) return -1;
  if (end - at < headerSize) return 0;
  const length = bytes.readUInt16BE(at + 4);
  return length < 2 || headerSize + length > mostBytes ? -1 : headerSize + length;
}

/** Takes the frame `data[at, end)` apart; its bytes are a copy. */
export function answerOf(data: Buffer, at: number, end: number): Answer {
  const code = data[at + headerSize + 1] as number;
  const isRefusal = (code & refusalFlag) !== 0;
  return {
    site: data[at + headerSize] as number,
    command: code & ~refusalFlag,
    refusal: isRefusal ? (data[at + bodyAt] ?? 0) : undefined,
    bytes: Buffer.from(data.subarray(at + bodyAt, end)),
  };
}
