#!/usr/bin/env node
import { lateOptimizing } from './core/late-optimizing.ts';
import { isOld, runWithNewerNode } from './newer-node.ts';
import { setFlagsFromString } from 'node:v8';

if (isOld(process.versions.node)) {
  await runWithNewerNode();
} else {
  // Set before the rest is loaded, for loading makes garbage. The heap of young objects stays at its smallest size and the heap as
  // a whole grows by smaller steps: 10 MB less resident memory at idle. The latter ends when samples come and the
  // configuration has settled (sdk/src/internal/young-buffers.ts). What only a start runs is forgotten after the second collection
  // instead of the sixth, which an idle gateway does not come to: 0.7 MB.
  const flags = [
    '--semi-space-growth-factor=1',
    '--optimize-for-size',
    '--bytecode-old-age=2',
    ...lateOptimizing,
  ];
  for (const flag of flags) setFlagsFromString(flag);

  const { runAgent } = await import('./agent-command.ts');
  if (!(await runAgent())) {
    const { runCommand } = await import('./command.ts');
    await runCommand();
  }
}
