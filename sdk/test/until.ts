import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something holds, for ten seconds at most. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 10_000; performance.now() < end; await sleep(5))
    if (await holds()) return;
  throw new Error(`It did not come about within 10 s that ${what}.`);
}
