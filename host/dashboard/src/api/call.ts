import { ErrorCode } from '@tagway/schemas';
import { parseExact, stringifyExact } from './exact-json.ts';
import { inLanguage } from '../texts/refusals.ts';
import { reachability } from './reachability.ts';
import { session } from './session.ts';
import { tokenCodes } from './token-codes.ts';

/** A call that failed, with the code of the gateway's reply; code 0 when there was no reply. */
export class ApiError extends Error {
  readonly code: number;
  readonly status: number;
  /** The whole reply, whose other members depend on the call. */
  readonly reply: Readonly<Record<string, unknown>>;

  constructor(message: string, code: number, status: number, reply: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'ApiError';
    this.code = code;
    this.status = status;
    this.reply = reply;
  }
}

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

export interface CallOptions {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Why a request has no reply: it was not sent, or it was sent and its result is unknown. */
export type Unanswered = 'unsent' | 'unknown';

export const unanswered = (reason: Unanswered): ApiError => new ApiError(reason, 0, 0);

/** The URL of a path of the API. It is relative to the page, which a proxy may serve below any path. */
export function addressOf(path: string, query: CallOptions['query'] = {}): URL {
  const url = new URL(path.replace(/^\//, ''), document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  url.hash = '';
  return url;
}

/** Sends a request with the session's token. Throws an `ApiError` of status 0 when the gateway does not answer. */
export const send = (method: Method, path: string, options?: CallOptions): Promise<Response> =>
  exchange(method, path, options, async (response) => response);

/**
 * While the gateway cannot be reached, requests that change something are not sent, so that none arrives minutes later. When the
 * connection is lost, requests that are in flight are aborted.
 */
async function exchange<Result>(
  method: Method,
  path: string,
  { body, query, headers, signal }: CallOptions = {},
  read: (response: Response) => Promise<Result>,
): Promise<Result> {
  const token = session.get()?.token;
  if (token !== undefined && method !== 'GET' && reachability.isLost()) throw unanswered('unsent');
  const stop = new AbortController();
  const end = (): void => stop.abort();
  const ends = [reachability.signal(), ...(signal === undefined ? [] : [signal])];
  if (signal?.aborted === true) end();
  for (const one of ends) one.addEventListener('abort', end);
  try {
    const response = await fetch(addressOf(path, query), {
      method,
      cache: 'no-store',
      headers: {
        'Accept-Language': document.documentElement.lang,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: stringifyExact(body) }),
      signal: stop.signal,
    });
    return await read(response);
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw unanswered('unknown');
  } finally {
    for (const one of ends) one.removeEventListener('abort', end);
  }
}

/** A reply and its revision; the revision is empty when the reply has none. */
export interface Revised<Value> {
  readonly value: Value;
  readonly revision: string;
}

/** Whether a change was refused because somebody else had changed the same thing meanwhile. */
export const isStale = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === ErrorCode.REVISION_STALE;

/** Header that makes a change conditional on a revision. With an empty revision the change is unconditional. */
export const ifMatch = (revision: string): Readonly<Record<string, string>> =>
  revision === '' ? {} : { 'If-Match': revision };

/**
 * The reply of a call that succeeded; 64-bit integers are bigints. Throws an `ApiError` otherwise. When the token is refused the session
 * ends and the login is shown.
 */
export async function call<Reply = unknown>(
  method: Method,
  path: string,
  options?: CallOptions,
): Promise<Reply> {
  return (await callRevised<Reply>(method, path, options)).value;
}

/** As `call`, with the revision that a later change of the same thing is sent with. */
export async function callRevised<Reply>(
  method: Method,
  path: string,
  options?: CallOptions,
): Promise<Revised<Reply>> {
  const token = session.get()?.token;
  const { response, text } = await exchange(method, path, options, async (response) => ({
    response,
    text: await response.text(),
  }));
  const reply = parsed(text);
  const { error, message } = reply as { error?: unknown; message?: unknown };
  const failed = !response.ok || (typeof error === 'number' && error !== 0);
  if (failed) {
    if (token !== undefined && tokenCodes.has(error)) session.expire(token);
    const sentence = typeof message === 'string' ? message : `${response.status} ${response.statusText}`;
    throw new ApiError(
      sentence,
      typeof error === 'number' ? error : 0,
      response.status,
      reply as Record<string, unknown>,
    );
  }
  return { value: reply as Reply, revision: response.headers.get('ETag') ?? '' };
}

function parsed(text: string): object {
  try {
    const value = parseExact(text);
    if (typeof value !== 'object' || value === null) return {};
    return text.includes('"sentence":') ? inLanguage(value) : value;
  } catch {
    return {};
  }
}
