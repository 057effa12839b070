/**
 * An MQTT node in a process of its own, so that it can be killed. Arguments: its folder and its settings as JSON. Delivers a thousand samples
 * a second, whose values count up from 0 and whose times are the clock's, and prints after each the number of samples so far.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sampleWith } from '@tagway/mqtt-client/test';
import { layout, nodeIn, settingsOf, subscription } from './nodes.ts';

const [folder = '', params = '{}'] = process.argv.slice(2);
const run = await nodeIn(folder);
await run.start(settingsOf(JSON.parse(params) as Record<string, unknown>));
const route = { ...subscription, params: { topic: 'up' } };
run.app.subscriptionsChanged([route]);
const begun = performance.now();
for (let count = 0; ; await sleep(5))
  while (count < performance.now() - begun) {
    await run.app.deliver(sampleWith(layout, [count, 0n], { timestamp: Date.now() }), route);
    writeSync(1, `${++count}\n`);
  }
