import { readFile, statfs } from 'node:fs/promises';
import { arch, cpus, freemem, release, totalmem, type } from 'node:os';
import type { SystemFacts } from '../core/ports/machine.ts';

interface Ticks {
  readonly busy: number;
  readonly all: number;
}

/** Asks the system for its facts. One that the system does not give is 0 or empty. */
export class System {
  readonly #folder: string;
  #os: Promise<SystemFacts['os']> | undefined;
  #last: Ticks = { busy: 0, all: 0 };

  /** `folder` lies on the file system whose space is reported. */
  constructor(folder: string) {
    this.#folder = folder;
  }

  async facts(): Promise<SystemFacts> {
    const space = await statfs(this.#folder).catch(() => undefined);
    const size = space === undefined ? 0 : space.blocks * space.bsize;
    return {
      os: await (this.#os ??= describeOs()),
      cpuPercent: this.#cpuPercent(),
      cpuCores: cpus().length,
      memory: await memory(),
      disk: {
        size,
        used: space === undefined ? 0 : size - space.bfree * space.bsize,
        available: space === undefined ? 0 : space.bavail * space.bsize,
      },
      uptimeSeconds: Math.floor(process.uptime()),
    };
  }

  #cpuPercent(): number {
    const before = this.#last;
    const now = cpus().reduce(
      ({ busy, all }, { times: { user, nice, sys, idle, irq } }) => ({
        busy: busy + user + nice + sys + irq,
        all: all + user + nice + sys + irq + idle,
      }),
      { busy: 0, all: 0 },
    );
    this.#last = now;
    const elapsed = now.all - before.all;
    return elapsed > 0 ? Math.round(((now.busy - before.busy) / elapsed) * 100) : 0;
  }
}

async function describeOs(): Promise<SystemFacts['os']> {
  const text = await readFile('/etc/os-release', 'utf8').catch(() => '');
  const name = /^PRETTY_NAME="?([^"\n]*)/m.exec(text)?.[1] ?? type();
  // Asking for names of network addresses may take seconds.
  (process.report as { excludeNetwork?: boolean }).excludeNetwork = true;
  const header = (process.report.getReport() as { header?: { glibcVersionRuntime?: string } }).header;
  const glibc = header?.glibcVersionRuntime;
  return {
    version: name,
    kernel: release(),
    machine: arch(),
    clib: glibc === undefined ? '' : `glibc ${glibc}`,
  };
}

async function memory(): Promise<SystemFacts['memory']> {
  const text = await readFile('/proc/meminfo', 'utf8').catch(() => '');
  const cached = Number(/^Cached:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024;
  const total = totalmem();
  return { total, used: total - freemem(), cache: cached, own: process.memoryUsage.rss() };
}
