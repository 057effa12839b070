import { readdir, readFile } from 'node:fs/promises';
import type { ProcessRow } from '../processes.ts';

/**
 * Seconds of CPU time that the threads of these processes have taken. Linux counts it in nanoseconds here, and in
 * hundredths of a second in a process's `stat`, which is too coarse for a cheap process in a short window. A thread that has
 * ended is no longer counted, so compare times between which none ends; runtimes keep theirs.
 */
export async function cpuSeconds(processes: readonly ProcessRow[]): Promise<number> {
  const seconds = await Promise.all(processes.map(secondsOf));
  return seconds.reduce((sum, part) => sum + part, 0);
}

async function secondsOf({ pid, cpu }: ProcessRow): Promise<number> {
  const folder = `/proc/${pid}/task`;
  try {
    const threads = await readdir(folder);
    const texts = await Promise.all(
      threads.map((thread) => readFile(`${folder}/${thread}/schedstat`, 'utf8')),
    );
    return texts.reduce((sum, text) => sum + Number(text.split(' ', 1)[0]), 0) / 1e9;
  } catch {
    return cpu; // A kernel without statistics of its scheduler.
  }
}
