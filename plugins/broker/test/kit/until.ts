import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something holds; fails after so many milliseconds. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  within = 8000,
): Promise<void> {
  for (const end = performance.now() + within; performance.now() < end; await sleep(5)) {
    if (await holds()) return;
  }
  throw new Error(`Waited in vain until ${what}.`);
}
