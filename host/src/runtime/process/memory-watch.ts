import { closeSync, openSync, readSync } from 'node:fs';

/** Between two looks, in milliseconds: while no process has half of its limit, and while one has. */
const pause = { calm: 1000, near: 250 };
/** A peak may be this long, in milliseconds. */
const grace = 3000;
/** What a process takes beside its heap, in megabytes. */
const base = 64;

/** Megabytes of memory of its own that a runner with this heap limit may have: buffers lie outside of the heap. */
export function memoryLimit(heapMegabytes: number): number {
  return 2 * heapMegabytes + base;
}

/** What is allowed, as a part of a sentence. */
export function allowed(heapMegabytes: number): string {
  return `${memoryLimit(heapMegabytes)} MB are allowed with a heap of ${heapMegabytes} MB (--runner-memory)`;
}

/** A process whose memory is watched. */
interface Watched {
  /** Descriptor of its `status`. It stays that of this process when another one gets the same number. */
  readonly status: number;
  readonly heapMegabytes: number;
  readonly exceeded: (reason: string) => void;
  /** Since when it has too much, on a clock in milliseconds that never goes back. */
  since: number | undefined;
}

/** One timer for all processes: a timer for each would cost more than reading its memory. */
const watched = new Set<Watched>();
let timer: NodeJS.Timeout | undefined;

/**
 * Watches the memory of a process, on Linux only. Calls `exceeded` once: when the process has more than its limit for a
 * while, or more than twice as much at one look. `reason` completes the sentence "The runner …". Returns what ends the watch.
 */
export function watchMemory(
  pid: number,
  heapMegabytes: number,
  exceeded: (reason: string) => void,
): () => void {
  const status = statusOf(pid);
  if (status === undefined) return () => undefined;
  const one: Watched = { status, heapMegabytes, exceeded, since: undefined };
  watched.add(one);
  timer ??= setTimeout(lookAtAll, pause.calm).unref();
  return () => forget(one);
}

function forget(one: Watched): void {
  if (!watched.delete(one)) return;
  closeSync(one.status);
  if (watched.size > 0) return;
  clearTimeout(timer);
  timer = undefined;
}

function lookAtAll(): void {
  timer = undefined;
  let isNear = false;
  for (const one of watched) if (look(one)) isNear = true;
  if (watched.size > 0) timer ??= setTimeout(lookAtAll, isNear ? pause.near : pause.calm).unref();
}

/** Whether the process has half of what it may have. */
function look(one: Watched): boolean {
  const { heapMegabytes } = one;
  const limit = memoryLimit(heapMegabytes);
  const megabytes = memoryOf(one.status);
  const now = performance.now();
  if (megabytes <= limit) {
    one.since = undefined;
    return megabytes > limit / 2;
  }
  one.since ??= now;
  if (megabytes <= 2 * limit && now - one.since < grace) return true;
  forget(one);
  one.exceeded(`took ${Math.round(megabytes)} MB of memory and was ended; ${allowed(heapMegabytes)}`);
  return true;
}

function statusOf(pid: number): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    return openSync(`/proc/${pid}/status`, 'r');
  } catch {
    return undefined;
  }
}

/** More than a `status` has up to the lines about memory. */
const page = Buffer.alloc(4096);

/** Resident memory without files that are mapped, in megabytes; 0 when the process is gone. It is no file on a disk that is read. */
function memoryOf(status: number): number {
  try {
    const text = page.toString('latin1', 0, readSync(status, page, 0, page.length, 0));
    const [, kilobytes] = /^RssAnon:\s*(\d+) kB/m.exec(text) ?? /^VmRSS:\s*(\d+) kB/m.exec(text) ?? [];
    return Number(kilobytes ?? 0) / 1024;
  } catch {
    return 0;
  }
}
