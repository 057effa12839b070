import { existsSync, readFileSync } from 'node:fs';
import { memoryLimit } from './memory-watch.ts';

const shell = '/bin/sh';
/** Sets the limit for itself, if the system takes it, and becomes the program. */
const script = 'ulimit -d "$1" 2>/dev/null; shift; exec "$@"';

/** Megabytes of memory that counts and is not used: stacks of threads, and what an allocator keeps at hand. */
const reserve = 128;

/** A command with its arguments. */
export type Command = readonly [command: string, ...args: string[]];

/**
 * A command that runs `command` with a limit of the kernel on its private memory (`RLIMIT_DATA`), which what it starts inherits, each
 * process for itself. An allocation beyond it fails at once, however fast the process is. Without Linux or a shell it is the command itself.
 */
export function limited(command: Command, heapMegabytes: number): Command {
  if (process.platform !== 'linux' || !existsSync(shell)) return command;
  const megabytes = (range ??= codeRange()) + reserve + memoryLimit(heapMegabytes);
  return [shell, '-c', script, 'sh', String(megabytes * 1024), ...command];
}

let range: number | undefined;

/** To be called before the first command: later there may be no descriptor left for what it reads. */
export function prepareLimit(): void {
  if (process.platform === 'linux') range ??= codeRange();
}

/** Megabytes that V8 maps for compiled code and hardly uses, which the kernel counts: as many in a runner as in this process. */
function codeRange(): number {
  const megabytes = Array.from(
    readFileSync('/proc/self/maps', 'latin1').matchAll(/^([0-9a-f]+)-([0-9a-f]+) rwxp/gm),
    ([, from = '', to = '']) => (parseInt(to, 16) - parseInt(from, 16)) / 2 ** 20,
  ).reduce((sum, size) => sum + size, 0);
  return Math.ceil(megabytes);
}

/** How V8 says that it ends the process, and how a runner says that nobody caught the error of an allocation. */
const fatal = /\b(?:Fatal process out of memory|JavaScript heap out of memory)\b/;
const uncaught =
  /^The plugin left an error uncaught: RangeError: .*\b(?:allocation failed|allocate memory|grow)\b/;

/** Whether a line that a runner wrote or logged says that it has no memory left. */
export const saysNoMemory = (line: string): boolean => fatal.test(line) || uncaught.test(line);
