/**
 * Flags of V8, which a process is started with: Node may crash when they change later. The host runs without them too, with more memory.
 */

const sharedFlags: readonly string[] = [
  // Megabytes of young objects: the least that V8 takes.
  '--max-semi-space-size=1',
  // Waking up other threads for a collection this small costs more than they help.
  '--no-parallel-scavenge',
  // Functions are compiled anew for speed after two and a half times as many calls as otherwise, loops as early as ever. What runs some
  // hundred times while a process starts costs more to compile than it saves, and the compilers are 7 MB of resident memory.
  '--invocation-count-for-maglev=1000',
  '--invocation-count-for-turbofan=7500',
  // Two samples of a very large group do not call for a collection of everything: the heap may grow by half in between.
  '--heap-growing-percent=50',
];

/**
 * Messages bring buffers many times the size of their objects, and V8 counts objects alone: young ones are collected when they fill this many
 * percent of it, instead of 80. In the host that costs little, because hardly any are alive; with 4 percent each cycle of a small group had a
 * collection. A runner of five hundred nodes has more that is alive at any time, and its large buffers are used again and again.
 */
const collectAt = (percent: number): string => `--minor-gc-task-trigger=${percent}`;

export const runnerFlags: readonly string[] = [collectAt(25), ...sharedFlags];

export const hostFlags: readonly string[] = [
  collectAt(10),
  '--optimize-for-size',
  // What only a start runs is forgotten after the second collection instead of the sixth, which an idle gateway does not come to.
  '--bytecode-old-age=2',
  ...sharedFlags,
];
