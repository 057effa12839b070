import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../context.ts';

/** The runner's clock: wall time for stamps, a monotonic one for schedules, timers for both. */
export interface RunnerClock extends Clock {
  /** Milliseconds of a clock that never jumps. */
  monotonic(): number;
  /** Calls back once after at least `ms` milliseconds. */
  timer(ms: number, callback: () => void): Disposable;
}

export const systemClock: RunnerClock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  sleep: async (ms, signal) => {
    await delay(ms, undefined, signal ? { signal } : {});
  },
  timer(ms, callback) {
    const handle = setTimeout(callback, ms);
    return { [Symbol.dispose]: () => clearTimeout(handle) };
  },
};
