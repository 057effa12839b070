import { StatusCodes } from 'node-opcua-status-code';
import { Refused } from './history-part.ts';

/** Where a read goes on. The client keeps it and gives it back, so that nothing is held for it. */
export interface Continuation {
  readonly time: number;
  /** Values of this time that the client has. */
  readonly skip: number;
  /** Values that are still asked for; 0 where the range says it. */
  readonly left: number;
}

const length = 16;

export function pointOf({ time, skip, left }: Continuation): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeDoubleBE(time);
  bytes.writeUInt32BE(skip, 8);
  bytes.writeUInt32BE(left, 12);
  return bytes;
}

/** Undefined: the read begins. Throws BadContinuationPointInvalid for one that this server has not made. */
export function continuationOf(bytes: Buffer | null, latest: number): Continuation | undefined {
  if (bytes === null || bytes.length === 0) return undefined;
  const invalid = new Refused(StatusCodes.BadContinuationPointInvalid);
  if (bytes.length !== length) throw invalid;
  const time = bytes.readDoubleBE();
  const skip = bytes.readUInt32BE(8);
  // More values of one time than a read has at once are not skipped.
  if (!(time >= 0 && time <= latest) || skip > 20_000) throw invalid;
  return { time, skip, left: bytes.readUInt32BE(12) };
}
