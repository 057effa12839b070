// Child processes: started in one place, so that a signal reaches each of them once and none is left behind.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { root } from './workspace.mjs';

const children = new Set();
let stopSignal;

const exitCodeOf = (code, signal) => code ?? 128 + constants.signals[signal];

function signalChildren(signal) {
  for (const child of children) child.kill(signal);
}

function stop(signal) {
  if (stopSignal !== undefined) return;
  stopSignal = signal;
  if (children.size === 0) process.exit(exitCodeOf(null, signal));
  // ^C in a terminal reaches the whole process group, so the children have it already. SIGTERM follows only for a
  // child that is still there later: the signal may have been sent to this process alone.
  if (signal === 'SIGINT' && process.stdin.isTTY) setTimeout(signalChildren, 5_000, 'SIGTERM').unref();
  else signalChildren(signal);
  setTimeout(() => {
    console.error('A child process did not stop within 20 seconds and is killed.');
    signalChildren('SIGKILL');
  }, 20_000).unref();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop, signal);

/**
 * Runs a program to its end and resolves to its exit code and, when `capture` is set, what it printed.
 * After a signal it never resolves: the last child's end is the end of this process as well, with the exit code of
 * the child where `decides` is set (a gateway that stopped well is a success) and of the signal elsewhere.
 */
export function run(
  command,
  args,
  { cwd = root, env = process.env, capture = false, decides = false, started } = {},
) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd, env, stdio: capture ? ['ignore', 'pipe', 'pipe'] : 'inherit' });
    children.add(child);
    started?.(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text) => (output += text));
    }
    child.on('error', (error) => {
      children.delete(child);
      reject(error);
    });
    child.on('close', (code, signal) => {
      children.delete(child);
      if (stopSignal === undefined) resolve({ code: exitCodeOf(code, signal), output });
      else if (children.size === 0)
        process.exit(decides ? exitCodeOf(code, signal) : exitCodeOf(null, stopSignal));
    });
  });
}

/**
 * Does `work` for every item, on `width` lanes, which take the next one whenever they are free; the first lane takes those of `before` first.
 * While `hasRoom`, which is asked every two seconds, says so, one item more is begun beside the lanes, up to `width` of them at a time.
 * Resolves to the results.
 */
export async function pool(items, width, work, before = [], hasRoom = () => false) {
  const results = [];
  const queue = items.values();
  const lane = async (list) => {
    for (const item of list) results.push(await work(item));
  };
  const extra = new Set();
  const beginExtra = () => {
    const { value, done } = extra.size < width && hasRoom() ? queue.next() : { done: true };
    if (done) return;
    const running = lane([value]).finally(() => extra.delete(running));
    extra.add(running);
  };
  const timer = setInterval(beginExtra, 2_000);
  const others = Array.from({ length: width - 1 }, () => lane(queue));
  await Promise.all([lane(before).then(() => lane(queue)), ...others]).finally(() => clearInterval(timer));
  await Promise.all(extra);
  return results;
}
