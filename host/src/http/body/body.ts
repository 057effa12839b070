import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { Refusal, sentence } from '../../core/system/sentence.ts';

/** Most bytes of the body of a request that needs no token. */
export const openBodyLimit = 16 << 10;
/** Milliseconds in which such a body must have come. */
export const openBodyTime = 10_000;

/** A body beyond its limit is read and discarded up to this many times the limit, so that the client gets the reply and no reset. */
const discardFactor = 16;
/** Most bytes that are discarded. */
const discardMost = 64 << 20;
/** Most bytes of all bodies that are in memory at once. */
const heldMost = 64 << 20;
/** Milliseconds without a byte after which a body is given up. */
const stall = 10_000;

/** Bytes of the bodies that are in memory, each from its first byte to the reply. */
let held = 0;

/** What a body may be and take. */
export interface BodyLimits {
  /** Most bytes. */
  readonly bytes: number;
  /** Milliseconds within which the whole body must have come; undefined: only `stall` limits the pauses. */
  readonly within?: number;
}

/**
 * Reads the body of a request. Rejects with BODY_INVALID when it is not UTF-8 or the client went away or stopped sending, with
 * BODY_TOO_BIG, after the body was thrown away, when it is longer than its limit, and with BUSY when the bodies of all requests
 * together would take too much memory.
 */
export function readBody(
  request: IncomingMessage,
  response: ServerResponse,
  { bytes: limit, within }: BodyLimits,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    let refusal: Fault | undefined;
    const holds = holding(response);
    const late = (): void => {
      // The rest of the body must not be taken for the next request.
      response.setHeader('Connection', 'close');
      reject(new Refusal(ErrorCode.BODY_INVALID, sentence`The request body did not come in time.`));
    };
    const stalled = setTimeout(late, within ?? stall);
    const refuse = (fault: Fault): void => {
      refusal ??= fault;
      chunks = [];
      holds.release();
    };
    if (expectsContinue(request)) response.writeContinue();
    request.on('data', (chunk: Buffer) => {
      if (within === undefined) stalled.refresh();
      length += chunk.length;
      if (length > limit) refuse(tooBig(limit));
      else if (refusal === undefined && !holds.take(chunk.length)) refuse(tooMany());
      if (refusal === undefined) chunks.push(chunk);
      else if (length > Math.min(limit * discardFactor, discardMost)) {
        request.pause();
        clearTimeout(stalled);
        reject(refusal);
      }
    });
    request.on('end', () => {
      clearTimeout(stalled);
      if (refusal !== undefined) return reject(refusal);
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
      if (isUtf8(body)) resolve(body);
      else reject(new Refusal(ErrorCode.BODY_INVALID, sentence`The request body is not UTF-8.`));
    });
    const gone = (): void => {
      clearTimeout(stalled);
      reject(
        new Refusal(ErrorCode.BODY_INVALID, sentence`The client went away before the request was complete.`),
      );
    };
    request.on('error', gone);
    request.on('close', () => {
      if (!request.readableEnded) gone();
    });
  });
}

/** Counts the bytes of one body until its reply is sent or its connection closed. */
function holding(response: ServerResponse): { take(bytes: number): boolean; release(): void } {
  let own = 0;
  const release = (): void => {
    held -= own;
    own = 0;
  };
  response.once('close', release);
  return {
    take(bytes) {
      if (held + bytes > heldMost) return false;
      held += bytes;
      own += bytes;
      return true;
    },
    release,
  };
}

function expectsContinue({ headers }: IncomingMessage): boolean {
  return headers.expect?.toLowerCase() === '100-continue';
}

/** Whether so much of a body may still come after the reply that its connection is better closed. */
export function mayBeLong(request: IncomingMessage): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  return encoding !== undefined || Number(length) > openBodyLimit * discardFactor || expectsContinue(request);
}

/** An escaped surrogate pair, half of one, or any other escape. */
const escapes = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(ud[89a-f][0-9a-f]{2})|[^])/gi;

/**
 * False for JSON text with half of a surrogate pair, which only an escape can produce. It cannot be encoded in UTF-8: a name with one
 * could neither be stored nor be asked for.
 */
export function isUnicode(json: string): boolean {
  if (!/\\ud/i.test(json)) return true;
  for (const [, half] of json.matchAll(escapes)) if (half !== undefined) return false;
  return true;
}

function tooBig(limit: number): Fault {
  return new Refusal(ErrorCode.BODY_TOO_BIG, sentence`A request body has at most ${limit} bytes.`);
}

function tooMany(): Fault {
  return new Refusal(
    ErrorCode.BUSY,
    sentence`The bodies of all requests under way take as much memory as they may; send this one again in a moment.`,
  );
}
