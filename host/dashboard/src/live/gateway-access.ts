import { parseExact } from '../api/exact-json.ts';
import { tokenCodes } from '../api/token-codes.ts';

/** The address of the gateway and the token of the user. */
export interface Access {
  readonly base: string;
  readonly token: string;
}

/** An error code and sentence with which the gateway has refused a request. */
export class GatewayError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  /** Whether the token is not valid, or no longer valid. */
  get isTokenError(): boolean {
    return tokenCodes.has(this.code);
  }
}

/** Sends a request. Throws a `GatewayError` when it is refused, and a TypeError when there is no reply or it is not the gateway's. */
export async function request(
  { base, token }: Access,
  [method, path]: readonly [method: string, path: string],
  signal: AbortSignal,
  body?: object,
): Promise<Response> {
  const response = await fetch(new URL(path, base), {
    method,
    signal,
    cache: 'no-store',
    headers: { Authorization: `Bearer ${token}`, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.ok) return response;
  const { error, message } = (await response.json()) as { error?: unknown; message?: unknown };
  if (typeof error !== 'number') throw new TypeError(`Status ${response.status} is not the gateway's.`);
  throw new GatewayError(error, String(message));
}

/** As `request`, with the parsed body of the reply. */
export async function ask<Reply>(
  access: Access,
  call: readonly [method: string, path: string],
  signal: AbortSignal,
  body?: object,
): Promise<Reply> {
  const response = await request(access, call, signal, body);
  return parseExact(await response.text()) as Reply;
}

/** Resolves after a time, or as soon as the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end);
  });
}
