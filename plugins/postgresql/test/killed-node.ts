/**
 * A PostgreSQL node in a process of its own, so that it can be killed. Arguments: its folder, the port of the server and the first value.
 * Delivers about a thousand samples a second, whose values count up and whose times are the clock's, and prints each value that it has
 * delivered. At the end of its input it delivers no more and stops in order.
 */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeIn, paramsFor, sampleOf, subscription } from './nodes.ts';

const [folder = '', port = '', first = '0'] = process.argv.slice(2);
const run = await nodeIn(folder);
await run.start(paramsFor(Number(port)));
let isOver = false;
process.stdin.on('end', () => (isOver = true)).resume();
const begun = performance.now();
for (let count = 0; !isOver; await sleep(5))
  while (count < performance.now() - begun) {
    const value = Number(first) + count++;
    await run.app.deliver(sampleOf(value, { timestamp: Date.now() }), subscription);
    writeSync(1, `${value}\n`);
  }
await run.stop();
process.exit();
