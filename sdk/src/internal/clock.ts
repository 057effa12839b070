import type { Clock } from '../context.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  timer(ms, callback) {
    const handle = setTimeout(callback, ms);
    return { [Symbol.dispose]: () => clearTimeout(handle) };
  },
};

/** What `sleep` of any clock is, made of its timers: it rejects with the signal's own reason, as timers/promises does not. */
export function sleepOn(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = (): void => {
    timer[Symbol.dispose]();
    reject(signal?.reason as Error);
  };
  const timer = clock.timer(ms, () => {
    signal?.removeEventListener('abort', abort);
    resolve();
  });
  signal?.addEventListener('abort', abort, { once: true });
  return promise;
}
