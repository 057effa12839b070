import { crc16, overhead } from '@tagway/modbus/rtu';
import { FunctionCode, maxPdu } from '@tagway/modbus/server';

/** A frame on the line. */
export interface LineFrame {
  readonly at: number;
  readonly end: number;
  /** It has the length of a request; what another slave answers to a write has it, too. */
  readonly isRequest: boolean;
}

/** What the bytes since the last silence are. */
export interface Findings {
  readonly frames: readonly LineFrame[];
  /** Bytes at the end that may become a frame with those to come. */
  readonly isOpen: boolean;
}

const mostFrame = maxPdu + overhead;
const leastFrame = 4;

/** Functions whose request has eight bytes. */
const short = new Set<number>([1, 2, 3, 4, FunctionCode.WRITE_COIL, FunctionCode.WRITE_REGISTER]);

/**
 * Finds the frames in the bytes of a line, where everybody hears everything: requests to this and to other slaves, and the answers of
 * these. Adapters deliver bytes in bursts that have several of them. It begins at the first byte after a silence and goes on from frame to
 * frame, each with a checksum that fits; what follows on something else is no frame, so that nothing is read out of the middle of one.
 */
export function framesIn(data: Buffer, end: number): Findings {
  const frames: LineFrame[] = [];
  let at = 0;
  while (at < end) {
    const request = requestLength(data, at, end);
    const answer = answerLength(data, at, end);
    const known = [request, answer].find((size) => isFrame(data, at, size, end));
    const size = known ?? (request === unknown ? lengthBySum(data, at, end) : undefined);
    if (size === undefined) return { frames, isOpen: mayGrow(end - at, request, answer) };
    frames.push({ at, end: at + size, isRequest: size === request || request === unknown });
    at += size;
  }
  return { frames, isOpen: false };
}

/** The length cannot be known from the function. */
const unknown = -1;
/** More bytes are needed to know it. */
const more = 0;
/** No request begins so. */
const none = -2;

function mayGrow(size: number, ...lengths: readonly number[]): boolean {
  return lengths.some(
    (length) => length === more || length > size || (length === unknown && size < mostFrame),
  );
}

function isFrame(data: Buffer, at: number, size: number, end: number): boolean {
  return size >= leastFrame && at + size <= end && crc16(data, at, at + size) === 0;
}

function requestLength(data: Buffer, at: number, end: number): number {
  const size = end - at;
  if (size < 2) return more;
  const code = data[at + 1]!;
  if (code >= 0x80) return none;
  if (short.has(code)) return 8;
  if (code === FunctionCode.MASK_WRITE_REGISTER) return 10;
  if (code === FunctionCode.WRITE_COILS || code === FunctionCode.WRITE_REGISTERS)
    return size < 7 ? more : 9 + data[at + 6]!;
  if (code === FunctionCode.READ_WRITE_REGISTERS) return size < 11 ? more : 13 + data[at + 10]!;
  return code === FunctionCode.ENCAPSULATED_TRANSPORT && data[at + 2] === 14 ? 7 : unknown;
}

function answerLength(data: Buffer, at: number, end: number): number {
  const size = end - at;
  if (size < 2) return more;
  const code = data[at + 1]!;
  if (code >= 0x80) return 5;
  if (code <= 4 || code === FunctionCode.READ_WRITE_REGISTERS) return size < 3 ? more : 5 + data[at + 2]!;
  return code === FunctionCode.MASK_WRITE_REGISTER ? 10 : 8;
}

/** The shortest frame with a checksum that fits, of a function whose length is not known. */
function lengthBySum(data: Buffer, at: number, end: number): number | undefined {
  for (let size = leastFrame; size <= Math.min(mostFrame, end - at); size++)
    if (crc16(data, at, at + size) === 0) return size;
  return undefined;
}
