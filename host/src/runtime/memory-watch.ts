import { readFileSync } from 'node:fs';

/** Between two looks, in milliseconds. */
const interval = 500;
/** A peak may be this long, in milliseconds. */
const grace = 3000;
/** What a process takes beside its heap, in megabytes. */
const base = 64;

/** Megabytes of memory of its own that a runner with this heap limit may have: buffers lie outside of the heap. */
export function memoryLimit(heapMegabytes: number): number {
  return 2 * heapMegabytes + base;
}

/**
 * Watches the memory of a process, which Linux alone tells. Calls `exceeded` once: when the process has more than its limit for a
 * while, or more than twice as much at one look. `reason` completes the sentence "The runner …". Returns what ends the watch.
 */
export function watchMemory(
  pid: number,
  heapMegabytes: number,
  exceeded: (reason: string) => void,
): () => void {
  if (process.platform !== 'linux') return () => undefined;
  const limit = memoryLimit(heapMegabytes);
  let since: number | undefined;
  const look = (): void => {
    const megabytes = memoryOf(pid);
    const now = performance.now();
    if (megabytes <= limit) {
      since = undefined;
      return;
    }
    since ??= now;
    if (megabytes <= 2 * limit && now - since < grace) return;
    clearInterval(timer);
    exceeded(
      `took ${Math.round(megabytes)} MB of memory and was ended; ${limit} MB are allowed with a heap of ${heapMegabytes} MB (--runner-memory)`,
    );
  };
  const timer = setInterval(look, interval).unref();
  return () => clearInterval(timer);
}

/** Resident memory without files that are mapped, in megabytes; 0 when the process is gone. It is no file on a disk that is read. */
function memoryOf(pid: number): number {
  try {
    // As UTF-8 it needs no buffers: Node would make 64 kB ones for what has no size.
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const [, kilobytes] = /^RssAnon:\s*(\d+) kB/m.exec(status) ?? /^VmRSS:\s*(\d+) kB/m.exec(status) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
