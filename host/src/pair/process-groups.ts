import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** For a process that was killed to be gone, in milliseconds. */
const patience = 1000;

/** Ends process groups at once; resolves when their leaders are gone: false when one of them is not in time. */
export async function killGroups(leaders: Iterable<number>): Promise<boolean> {
  let left = [...leaders];
  for (const pid of left) kill(-pid);
  const end = performance.now() + patience;
  for (;;) {
    left = left.filter(lives);
    if (left.length === 0) return true;
    if (performance.now() > end) return false;
    await sleep(2);
  }
}

/** Ends one process at once, if it is there. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** A process that has ended is there until its parent has noticed; it does nothing any more. */
function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2));
  } catch {
    return false;
  }
}
