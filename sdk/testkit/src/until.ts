import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds; fails after `within` milliseconds. */
export async function until(
  what: string,
  condition: () => boolean | Promise<boolean>,
  within = 15_000,
): Promise<void> {
  for (const end = performance.now() + within; performance.now() < end; await sleep(10))
    if (await condition()) return;
  throw new Error(`It did not come to this within ${within / 1000} s: ${what}.`);
}
