import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds, for fifteen seconds at most. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 15_000; performance.now() < end; await sleep(10))
    if (await condition()) return;
  throw new Error(`It did not come to this within fifteen seconds: ${what}.`);
}
