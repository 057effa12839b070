/**
 * Settles as `promise` does, or rejects with the signal's reason when that aborts before; `withdraw` is called first then, for example to
 * take a request out of its queue.
 */
export function abortable<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  withdraw?: () => void,
): Promise<T> {
  if (signal === undefined) return promise;
  // By hand: a race of promises makes five more, and this waits for requests that come by the thousand.
  const { promise: settled, resolve, reject } = Promise.withResolvers<T>();
  const abort = (): void => {
    withdraw?.();
    reject(signal.reason);
  };
  promise.then(
    (value) => {
      signal.removeEventListener('abort', abort);
      resolve(value);
    },
    (error: unknown) => {
      signal.removeEventListener('abort', abort);
      reject(error);
    },
  );
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort, { once: true });
  return settled;
}
