/**
 * Settles as `promise` does, or rejects with the signal's reason when that aborts before; `withdraw` is called first then, for example to
 * take a request out of its queue.
 */
export async function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  withdraw?: () => void,
): Promise<T> {
  if (signal === undefined) return promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    withdraw?.();
    reject(signal.reason as Error);
  };
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([aborted, promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
