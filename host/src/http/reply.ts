import {
  differentAnswer,
  ErrorCode,
  errorRow,
  type Answer,
  type ErrorName,
  type Dialect,
} from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { stringifyJson } from '@tagway/sdk/json';
import { isLong, jsonPieces } from './body/long-json.ts';
import type { Context } from './request.ts';
import { reasonFor, type Reason } from './reason.ts';
import { StaleRevision } from './revisions.ts';
import { Content, type Result, type Route } from './route.ts';
import { reasonOf, Refusal, Sentence, sentence } from '../core/system/sentence.ts';

/** The least of a route that decides the status of a reply. */
export type Answering = Pick<Route, 'name' | 'statuses'>;

/** What a route answers in a dialect where something ended with this code. */
export function answerOf(dialect: Dialect, { name, statuses = {} }: Answering, code: number): Answer {
  const different = differentAnswer(dialect, name, code);
  if (different !== undefined) return different;
  const row = errorRow(code);
  const status = row === undefined ? undefined : (statuses[row.name as ErrorName] ?? row.status);
  return { status: status ?? (code >= 10_000 ? 200 : 500), code };
}

const success = Buffer.from('{"error":0}');

/** Sends what an endpoint answered, and returns the code of it. */
export async function reply(
  ctx: Context,
  dialect: Dialect,
  route: Answering,
  result: Result | void,
): Promise<number> {
  const { warnings } = ctx.state;
  if (result === undefined) {
    send(ctx, 200, warnings ? JSON.stringify({ error: ErrorCode.SUCCESS, warnings }) : success);
    return ErrorCode.SUCCESS;
  }
  if (Buffer.isBuffer(result)) {
    send(ctx, 200, result);
    return ErrorCode.SUCCESS;
  }
  if (result instanceof Content) {
    ctx.status = 200;
    ctx.set({ 'Content-Type': result.type, ...result.headers });
    ctx.body = result.body;
    return ErrorCode.SUCCESS;
  }
  const error = 'error' in result && typeof result.error === 'number' ? result.error : 0;
  const { status, code } = answerOf(dialect, route, error);
  const worded = withReason(ctx, result);
  const changed = code === error ? worded : { ...worded, error: code };
  const body = warnings && !Array.isArray(changed) ? { ...changed, warnings } : changed;
  send(ctx, status, isLong(body) ? await longText(body) : stringifyJson(body));
  return code;
}

/** A result whose message, if it is a sentence, is as the client reads it. */
function withReason(ctx: Context, result: object): object {
  if (!('message' in result) || !(result.message instanceof Sentence)) return result;
  return { ...result, ...reasonFor(ctx, result.message) };
}

async function longText(value: object): Promise<Buffer> {
  const pieces: string[] = [];
  for await (const piece of jsonPieces(value)) pieces.push(piece);
  return Buffer.from(pieces.join(''));
}

/**
 * Sends the reply of a request that failed, and returns its code. Any error that is no Fault is an internal error. `activeUrl` returns the
 * address of the active gateway of a pair, if that is known.
 */
export function replyFault(
  ctx: Context,
  dialect: Dialect,
  route: Answering,
  error: unknown,
  activeUrl: () => string | undefined = () => undefined,
): number {
  const fault = isFault(error) ? error : new Refusal(ErrorCode.INTERNAL, internal);
  const { status, code } = answerOf(dialect, route, fault.code);
  const reason = reasonFor(ctx, reasonOf(fault));
  if (fault instanceof StaleRevision)
    send(ctx, status, stringifyJson({ error: code, ...reason, current: fault.current }));
  else if (code === ErrorCode.STANDBY)
    send(ctx, status, JSON.stringify({ error: code, ...reason, active: activeUrl() }));
  else replyCode(ctx, status, code, reason);
  return code;
}

/** Details of internal errors are for the log, not for clients. */
const internal = sentence`The gateway failed in a way that it does not foresee; its log has more.`;

/** Replies with a code and, when that is an error, with a sentence that says why. */
export function replyCode(ctx: Context, status: number, code: number, reason: Reason): void {
  const reply = code === ErrorCode.SUCCESS ? { error: code } : { error: code, ...reason };
  send(ctx, status, JSON.stringify({ ...reply, warnings: ctx.state.warnings }));
}

function send(ctx: Context, status: number, body: Buffer | string): void {
  ctx.status = status;
  ctx.set('Content-Type', 'application/json');
  ctx.body = body;
}
