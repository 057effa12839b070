import { parseExact } from '../api/exact-json.ts';
import { tokenCodes } from '../api/token-codes.ts';

/** Where the gateway is, and as whom it is asked. */
export interface Access {
  readonly base: string;
  readonly token: string;
}

/** What the gateway said instead of doing what it was asked for. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }

  /** Whether the gateway does not take the token any more. */
  get isOfToken(): boolean {
    return tokenCodes.has(this.code);
  }
}

/** A reply. Throws a `Refusal`, and a TypeError where nothing answers, or something that is not the gateway. */
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
  throw new Refusal(error, String(message));
}

/** As `request`, with the reply read. */
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
