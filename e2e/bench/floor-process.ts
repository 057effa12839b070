// One process that reads every tag and publishes the reading, at every multiple of the interval. Argument: JSON of
// `FloorOptions`.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FloorOptions } from './floor.ts';
import { openPipeline } from './floor-pipeline.ts';

const options = JSON.parse(process.argv[2] ?? '{}') as FloorOptions;
const { interval } = options;
const pipeline = await openPipeline(options);
process.stdin.on('end', () => process.exit()).resume();
process.stdout.write('The floor reads.\n');
for (let due = performance.now(); ;) {
  await pipeline.cycle();
  const now = performance.now();
  // A tick that the cycle overran is not made up for.
  due += Math.max(1, Math.ceil((now - due) / interval)) * interval;
  await sleep(Math.ceil(due - now));
}
