import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds within which a killed process must be gone. */
const timeout = 1000;

/** Kills process groups; resolves to true when their leaders are gone, and to false when one is still there after `timeout`. */
export async function killGroups(leaders: Iterable<number>): Promise<boolean> {
  let left = [...leaders];
  for (const pid of left) kill(-pid);
  const end = performance.now() + timeout;
  for (;;) {
    left = left.filter(lives);
    if (left.length === 0) return true;
    if (performance.now() > end) return false;
    await sleep(2);
  }
}

/** Kills one process, if it is there. */
export function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** A zombie, which has ended and whose parent has not noticed yet, does not live. */
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
