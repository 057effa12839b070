#!/usr/bin/env node
import { lateOptimizing } from './core/late-optimizing.ts';
import { isOld, runWithNewerNode } from './newer-node.ts';
import { setFlagsFromString } from 'node:v8';

const nodeModules = [
  'http',
  'crypto',
  'sqlite',
  'child_process',
  'zlib',
  'worker_threads',
  'stream/promises',
  'stream/consumers',
  'perf_hooks',
  'assert',
  // What a server that listens loads.
  'cluster',
  'dgram',
];

if (isOld(process.versions.node)) {
  await runWithNewerNode();
} else {
  // Node brings its own modules compiled, for V8 with the flags of its start: what is loaded later is compiled anew. The host uses all of these.
  for (const module of nodeModules) process.getBuiltinModule(`node:${module}`);

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
