/**
 * Flags of V8, which a process is started with: Node may crash when they change later. The host runs without them too, with more memory.
 */

export const runnerFlags: readonly string[] = [
  // Megabytes of young objects: the least that V8 takes.
  '--max-semi-space-size=1',
  // Messages bring buffers many times the size of their objects, and V8 counts objects alone: young ones are collected when they fill 10
  // percent of it, instead of 80. That costs little, because hardly any are alive; with 4 percent each cycle of a small group had a collection.
  '--minor-gc-task-trigger=10',
  // Waking up other threads for a collection this small costs more than they help.
  '--no-parallel-scavenge',
  // Functions are compiled anew for speed after two and a half times as many calls as otherwise, loops as early as ever. What runs some
  // hundred times while a process starts costs more to compile than it saves, and the compilers are 7 MB of resident memory.
  '--invocation-count-for-maglev=1000',
  '--invocation-count-for-turbofan=7500',
  // Two samples of a very large group do not call for a collection of everything: the heap may grow by half in between.
  '--heap-growing-percent=50',
];

export const hostFlags: readonly string[] = [
  '--optimize-for-size',
  // What only a start runs is forgotten after the second collection instead of the sixth, which an idle gateway does not come to.
  '--bytecode-old-age=2',
  ...runnerFlags,
];
