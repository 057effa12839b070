import { differentAnswer, ErrorCode, errorRow, type Answer, type Profile } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk';
import type { Context } from 'koa';
import { Content, type Result } from './route.ts';

/** What may be wrong with the tags of a template. */
const partial: Readonly<Record<number, number>> = Object.fromEntries(
  [2203, 2204, 2205, 2206, 2207, 2208, 2209, 2211, 2212].map((code) => [code, 206]),
);

/** What is wrong with a tag whose read is tested is the result of the test. */
const tested: Readonly<Record<number, number>> = Object.fromEntries(
  [2203, 2204, 2205].map((code) => [code, 200]),
);

/** Where the status of a code is, under either profile, not that of the error table: by endpoint and code. */
const overrides: Readonly<Record<string, Readonly<Record<number, number>>>> = {
  'POST /api/v2/subscribe': { [ErrorCode.GROUP_SUBSCRIBED]: 200 },
  'POST /api/v2/subscribes': { [ErrorCode.GROUP_SUBSCRIBED]: 200 },
  'POST /api/v2/read/test': tested,
  'POST /api/v2/template': partial,
  'POST /api/v2/template/tag': partial,
  'PUT /api/v2/template/tag': partial,
  'DELETE /api/v2/template/tag': partial,
};

/** What an endpoint, which is written `POST /api/v2/tags`, answers under a profile where something ended with this code. */
export function answerOf(profile: Profile, endpoint: string, code: number): Answer {
  const different = differentAnswer(profile, endpoint, code);
  if (different !== undefined) return different;
  const status = overrides[endpoint]?.[code] ?? errorRow(code)?.status;
  return { status: status ?? (code >= 10_000 ? 200 : 500), code };
}

const success = Buffer.from('{"error":0}');

/** Sends what an endpoint answered. */
export function reply(ctx: Context, profile: Profile, endpoint: string, result: Result): void {
  if (result === undefined) return send(ctx, 200, success);
  if (Buffer.isBuffer(result)) return send(ctx, 200, result);
  if (result instanceof Content) {
    ctx.status = 200;
    ctx.set({ 'Content-Type': result.type, ...result.headers });
    ctx.body = result.body;
    return;
  }
  const error = 'error' in result && typeof result.error === 'number' ? result.error : 0;
  const { status, code } = answerOf(profile, endpoint, error);
  send(ctx, status, stringifyJson(code === error ? result : { ...result, error: code }));
}

/** Sends the reply of a request that failed, and returns its code. Whatever is not a fault is an internal error. */
export function replyFault(ctx: Context, profile: Profile, endpoint: string, error: unknown): number {
  const { status, code } = answerOf(profile, endpoint, isFault(error) ? error.code : ErrorCode.INTERNAL);
  replyCode(ctx, status, code);
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
