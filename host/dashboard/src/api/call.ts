import { parseExact, stringifyExact } from './exact-json.ts';
import { session } from './session.ts';
import { tokenCodes } from './token-codes.ts';

/** What the gateway answered instead of doing what it was asked for; code 0 when it did not answer at all. */
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

/** Of a path of the API, below whatever path this page is served. */
export function addressOf(path: string, query: CallOptions['query'] = {}): URL {
  const url = new URL(path.replace(/^\//, ''), document.baseURI);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') url.searchParams.set(name, String(value));
  }
  url.hash = '';
  return url;
}

/** Sends a request with the session's token. Throws an `ApiError` of status 0 when the gateway does not answer. */
export async function send(
  method: Method,
  path: string,
  { body, query, headers, signal }: CallOptions = {},
): Promise<Response> {
  const token = session.get()?.token;
  let response: Response;
  try {
    response = await fetch(addressOf(path, query), {
      method,
      cache: 'no-store',
      headers: {
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: stringifyExact(body) }),
      ...(signal !== undefined && { signal }),
    });
  } catch (cause) {
    if (signal?.aborted === true) throw cause;
    throw new ApiError('', 0, 0);
  }
  return response;
}

/** A reply, and the revision of what it shows; empty where that has none. */
export interface Revised<Value> {
  readonly value: Value;
  readonly revision: string;
}

/** Makes a change only of what is of a revision; of whatever is there where that is empty. */
export const ifMatch = (revision: string): Readonly<Record<string, string>> =>
  revision === '' ? {} : { 'If-Match': revision };

/**
 * The reply of a call that succeeded; 64-bit integers are bigints. Throws an `ApiError` otherwise. A token that is refused ends the
 * session, which leads to the login.
 */
export async function call<Reply = unknown>(
  method: Method,
  path: string,
  options?: CallOptions,
): Promise<Reply> {
  return (await callRevised<Reply>(method, path, options)).value;
}

/** As `call`, with the revision of what the reply is about, which a change of it is to be sent with. */
export async function callRevised<Reply>(
  method: Method,
  path: string,
  options?: CallOptions,
): Promise<Revised<Reply>> {
  const token = session.get()?.token;
  const response = await send(method, path, options);
  const text = await response.text();
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
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
