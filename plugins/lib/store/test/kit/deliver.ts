import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Sample, Subscription } from '@tagway/sdk';
import type { TestNode } from './test-node.ts';

/** Samples a second. */
const rate = 500;

/**
 * What the process of a node does that `killInTurns` kills: delivers samples that count up, and prints each number, until its input ends; then
 * waits until the store has everything, and stops.
 */
export async function deliverUntilEnd<Settings>(
  run: TestNode<Settings, Record<string, unknown>>,
  sampleOf: (number: number) => Sample,
  subscription: Subscription,
): Promise<void> {
  const from = Number(process.argv.at(-1));
  let isEnded = false;
  process.stdin.on('end', () => (isEnded = true)).resume();
  run.app.subscriptionsChanged([subscription]);
  const begun = performance.now();
  for (let count = 0; !isEnded; await sleep(5))
    while (count < ((performance.now() - begun) * rate) / 1000) {
      await run.app.deliver(sampleOf(from + count), subscription);
      print(`${from + count++}\n`);
    }
  // What is measured is renewed when a batch is sent.
  for (let tries = 0; tries < 600 && run.gauges.get('cached_msgs') !== 0; tries++) await sleep(100);
  await run.stop();
}

/** Prints a line before it returns, also when the reader is slow and its pipe full. */
function print(line: string): void {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
    }
  }
}
