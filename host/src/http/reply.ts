import { ErrorCode, errorRow } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk';
import type { Context } from 'koa';
import type { Result } from './route.ts';

/** Every tag code of a batch: the tags before the bad one were taken. */
const partial: Readonly<Record<number, number>> = Object.fromEntries(
  [2201, 2202, 2203, 2204, 2205, 2206, 2207, 2208, 2209, 2211, 2212].map((code) => [code, 206]),
);

/** Where the status of a code is not that of the error table: by endpoint and code. */
const overrides: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  'POST /api/v2/node/setting': { [ErrorCode.NODE_NOT_FOUND]: 400 },
  'POST /api/v2/tags': partial,
  'PUT /api/v2/tags': partial,
  'POST /api/v2/write/tags': { [ErrorCode.WRITE_TAGS_UNSUPPORTED]: 200 },
  'POST /api/v2/subscribe': { [ErrorCode.GROUP_SUBSCRIBED]: 200 },
  'POST /api/v2/subscribes': { [ErrorCode.GROUP_SUBSCRIBED]: 200 },
};

/** The HTTP status of a reply with this code of an endpoint, which is written `POST /api/v2/tags`. */
export function statusOf(endpoint: string, code: number): number {
  const status = overrides[endpoint]?.[code] ?? errorRow(code)?.status;
  return status ?? (code >= 10_000 ? 200 : 500);
}

const success = Buffer.from('{"error":0}');

/** Sends what an endpoint answered. */
export function reply(ctx: Context, endpoint: string, result: Result): void {
  if (result === undefined) return send(ctx, 200, success);
  if (Buffer.isBuffer(result)) return send(ctx, 200, result);
  const code = 'error' in result && typeof result.error === 'number' ? result.error : 0;
  send(ctx, statusOf(endpoint, code), stringifyJson(result));
}

/** Sends the reply of a request that failed, and returns its code. Whatever is not a fault is an internal error. */
export function replyFault(ctx: Context, endpoint: string, error: unknown): number {
  const code = isFault(error) ? error.code : ErrorCode.INTERNAL;
  replyCode(ctx, statusOf(endpoint, code), code);
  return code;
}

export function replyCode(ctx: Context, status: number, code: number): void {
  send(ctx, status, `{"error":${code}}`);
}

function send(ctx: Context, status: number, body: Buffer | string): void {
  ctx.status = status;
  ctx.set('Content-Type', 'application/json');
  ctx.body = body;
}
