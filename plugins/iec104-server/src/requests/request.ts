import { asduHeaderSize, CauseBit, causeMask } from '@tagway/iec104';

/** A unit of data of a control centre, as a copy: answers mirror it. */
export interface Request {
  readonly type: number;
  readonly cause: number;
  readonly ca: number;
  readonly object: number;
  /** Marked as a test: it is answered and changes nothing. */
  readonly isTest: boolean;
  /** The whole unit. */
  readonly asdu: Buffer;
  /** Where the information element begins. */
  readonly at: number;
}

/** The request `data[at, end)`; undefined when it has not one object with an address of its own. */
export function requestOf(data: Buffer, at: number, end: number): Request | undefined {
  if (end - at < asduHeaderSize + 3 || data[at + 1] !== 1) return undefined;
  const asdu = Buffer.from(data.subarray(at, end));
  const causes = asdu[2]!;
  return {
    type: asdu[0]!,
    cause: causes & causeMask,
    ca: asdu.readUInt16LE(4),
    object: asdu.readUIntLE(asduHeaderSize, 3),
    isTest: (causes & CauseBit.TEST) !== 0,
    asdu,
    at: asduHeaderSize + 3,
  };
}

/** The request again with another cause, as the standard has answers. `ca`: of an answer to the global address. */
export function answerTo(
  { asdu, ca: asked }: Request,
  cause: number,
  isNegative = false,
  ca = asked,
): Buffer {
  const answer = Buffer.from(asdu);
  answer[2] = cause | (isNegative ? CauseBit.NEGATIVE : 0) | (asdu[2]! & CauseBit.TEST);
  answer.writeUInt16LE(ca, 4);
  return answer;
}
