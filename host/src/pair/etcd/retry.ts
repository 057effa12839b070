import { setTimeout as delay } from 'node:timers/promises';
import { Unreachable } from '../ports.ts';

/** Milliseconds. */
const waits = {
  between: 100,
  /** For all attempts: an election in etcd takes 2 s, and a lease that was not renewed is gone by then. */
  all: 10_000,
} as const;

/** Repeats a request that may be repeated until etcd answers. Rejects with `Unreachable` in the end. */
export async function retry<T>(ask: () => Promise<T>): Promise<T> {
  const end = performance.now() + waits.all;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof Unreachable) || performance.now() > end) throw error;
      await delay(waits.between);
    }
  }
}
