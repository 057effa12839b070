/**
 * A node in a process of its own, so that it can be killed, whose store is a file. Arguments: its folder, that file, and its settings as JSON.
 * Delivers a thousand samples a second, whose values count up from what the folder's `count` says, and prints after each the number so far.
 * Each batch is a line of the file: its id and its numbers; the line is there before the batch is confirmed.
 */
import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreSettings } from '../src/index.ts';
import { TestNode } from './kit/index.ts';
import { NumbersApp, numbersOf, sampleOf, settings, subscription } from './nodes.ts';

const [folder = '', file = '', from = '0', params = '{}'] = process.argv.slice(2);
const run = await TestNode.idle<StoreSettings, Record<string, unknown>>({
  node: 'numbers',
  folder,
  create: (context) =>
    new NumbersApp(context, async (batch) => {
      appendFileSync(file, `${batch.id} ${numbersOf(batch).join(',')}\n`);
      // The confirmation takes its time, so that a kill often comes before it.
      await sleep(20);
      return undefined;
    }),
});
await run.start({ ...settings, ...(JSON.parse(params) as Partial<StoreSettings>) });
run.app.subscriptionsChanged([subscription]);
const begun = performance.now();
for (let count = 0; ; await sleep(5))
  while (count < performance.now() - begun) {
    await run.app.deliver(sampleOf(Number(from) + count), subscription);
    writeSync(1, `${Number(from) + ++count}\n`);
  }
