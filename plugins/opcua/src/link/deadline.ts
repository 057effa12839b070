import { disconnected, noResponse } from '../faults.ts';

/** Rejects with NO_RESPONSE after `ms`, with DISCONNECTED when the signal aborts. */
export async function withDeadline<T>(ms: number, call: Promise<T>, signal?: AbortSignal): Promise<T> {
  // The call may fail after the deadline.
  call.catch(() => undefined);
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(noResponse), ms);
  const abort = (): void => reject(disconnected);
  signal?.addEventListener('abort', abort, { once: true });
  try {
    if (signal?.aborted) throw disconnected;
    return await Promise.race([call, promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
  }
}
