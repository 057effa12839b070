import { setTimeout as sleep } from 'node:timers/promises';

export { sleep };

export interface UntilOptions {
  /** Milliseconds until the wait is given up. */
  readonly within?: number | undefined;
  /** Milliseconds between two looks. */
  readonly every?: number;
}

/**
 * Looks again and again until `look` returns something other than undefined or false, and returns that. What `look`
 * throws counts as "not yet" and is the cause of the error at the end.
 */
export async function until<T>(
  what: string,
  look: () => Promise<T> | T,
  options: UntilOptions = {},
): Promise<Exclude<T, undefined | false>> {
  const { within = 15_000, every = 50 } = options;
  const end = performance.now() + within;
  let cause: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen !== undefined && seen !== false) return seen as Exclude<T, undefined | false>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= end) throw new Error(`Waited ${within} ms in vain until ${what}.`, { cause });
    await sleep(every);
  }
}
