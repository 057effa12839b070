import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';

/** How many times the limit is read and thrown away, so that the client sees the reply instead of a reset. */
const discardFactor = 16;

/**
 * Reads the body of a request as UTF-8 text. Rejects with BODY_INVALID when it is not UTF-8 or the client went away,
 * and with BODY_TOO_BIG, after the body was thrown away, when it has more than `limit` bytes.
 */
export function readBody(request: IncomingMessage, limit: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= limit) chunks.push(chunk);
      else if (length > limit * discardFactor) {
        request.pause();
        reject(tooBig(limit));
      }
    });
    request.on('end', () => {
      if (length > limit) return reject(tooBig(limit));
      const body = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length);
      if (isUtf8(body)) resolve(body.toString('utf8'));
      else reject(new Fault(ErrorCode.BODY_INVALID, 'The request body is not UTF-8.'));
    });
    const gone = () =>
      reject(new Fault(ErrorCode.BODY_INVALID, 'The client went away before the request was complete.'));
    request.on('error', gone);
    request.on('close', () => {
      if (!request.readableEnded) gone();
    });
  });
}

/** An escaped surrogate pair, half of one, or any other escape. */
const escapes = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(ud[89a-f][0-9a-f]{2})|[^])/gi;

/**
 * False for JSON text with half of a surrogate pair, which only an escape can bring in. It has no UTF-8: a name with one could
 * neither be stored nor be asked for.
 */
export function isUnicode(json: string): boolean {
  if (!/\\ud/i.test(json)) return true;
  for (const [, half] of json.matchAll(escapes)) if (half !== undefined) return false;
  return true;
}

function tooBig(limit: number): Fault {
  return new Fault(ErrorCode.BODY_TOO_BIG, `A request body has at most ${limit} bytes.`);
}
