import { readdir } from 'node:fs/promises';
import type { Gateway } from '../kit/gateway.ts';
import { processesOf } from '../kit/processes.ts';
import { collectedHeap } from './heap.ts';
import type { Reading } from './slope.ts';

/** The lives of processes of one kind, by pid. */
export interface Lives {
  /** Megabytes. */
  readonly memory: Map<number, Reading[]>;
  readonly descriptors: Map<number, Reading[]>;
}

/** Takes memory and descriptors of the gateway's processes from time to time. */
export class Meter {
  /** By kind of process: the gateway, or the id of the plugin of a runner. */
  readonly kinds = new Map<string, Lives>();
  /** Megabytes that are left when garbage is collected, by kind of process and by pid. */
  readonly heaps = new Map<string, Map<number, Reading[]>>();
  readonly #gateway: Gateway;
  #present = new Map<number, string>();
  readonly #born = new Map<number, number>();

  constructor(gateway: Gateway) {
    this.#gateway = gateway;
  }

  async take(): Promise<void> {
    const { pid: own } = this.#gateway;
    const present = new Map<number, string>();
    for (const { pid, title, rss } of await processesOf(own, this.#gateway.data)) {
      const kind = pid === own ? 'gateway' : title.replace(/^tagway: /, 'runner ');
      // A process that has just been started does not have its title yet.
      if (kind.includes('/')) continue;
      const open = await readdir(`/proc/${pid}/fd`).catch(() => undefined);
      if (open === undefined) continue;
      present.set(pid, kind);
      const now = performance.now();
      const born = this.#born.get(pid) ?? now;
      this.#born.set(pid, born);
      const age = (now - born) / 3_600_000;
      let lives = this.kinds.get(kind);
      if (lives === undefined) this.kinds.set(kind, (lives = { memory: new Map(), descriptors: new Map() }));
      note(lives.memory, pid, { age, value: rss / 1e6 });
      note(lives.descriptors, pid, { age, value: open.length });
    }
    this.#present = present;
  }

  /** The processes that were there the last time, and their kinds. */
  get present(): ReadonlyMap<number, string> {
    return this.#present;
  }

  /** Notes what is left of each process that is there when its garbage is collected. */
  async takeHeaps(): Promise<void> {
    for (const [pid, kind] of this.#present) {
      const heap = await collectedHeap(pid);
      const born = this.#born.get(pid);
      if (heap === undefined || born === undefined) continue;
      const age = (performance.now() - born) / 3_600_000;
      const lives = this.heaps.get(kind) ?? new Map<number, Reading[]>();
      this.heaps.set(kind, lives);
      note(lives, pid, { age, value: heap.used + heap.outside });
    }
  }

  /** Megabytes now, by kind. */
  latest(): Map<string, number> {
    return new Map(
      [...this.kinds].map(([kind, { memory }]) => [kind, [...memory.values()].at(-1)?.at(-1)?.value ?? 0]),
    );
  }
}

function note(lives: Map<number, Reading[]>, pid: number, reading: Reading): void {
  const life = lives.get(pid);
  if (life === undefined) lives.set(pid, [reading]);
  else life.push(reading);
}
