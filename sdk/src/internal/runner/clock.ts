import { abortable } from '../../abortable.ts';
import type { Clock } from '../../context.ts';

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: (ms, signal) => sleepOn(systemClock, ms, signal),
  timer: (ms, callback) => setTimeout(callback, ms),
};

/** `sleep` for any clock that has timers; unlike timers/promises it rejects with the reason of the signal itself. */
export function sleepOn(clock: Pick<Clock, 'timer'>, ms: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = clock.timer(ms, resolve);
  return abortable(promise, signal, () => timer[Symbol.dispose]());
}
