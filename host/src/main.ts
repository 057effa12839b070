#!/usr/bin/env node
import { isOld, runWithNewerNode } from './newer-node.ts';
import { setFlagsFromString } from 'node:v8';

if (isOld(process.versions.node)) {
  await runWithNewerNode();
} else {
  // Set before the rest is loaded, for loading makes garbage. The heap of young objects stays at its smallest size and the heap as
  // a whole grows by smaller steps: 10 MB less resident memory at idle, 60 MB less with 50,000 tags at 100 ms, and no difference
  // in speed that the benchmark shows, because the data path hardly makes garbage. What it makes are the buffers of samples, which are given back sooner and for less
  // by collecting young objects long before their space is full than by collecting everything when the buffers have become many.
  for (const flag of ['--semi-space-growth-factor=1', '--optimize-for-size', '--minor-gc-task-trigger=5'])
    setFlagsFromString(flag);

  const { runCommand } = await import('./command.ts');
  await runCommand();
}
