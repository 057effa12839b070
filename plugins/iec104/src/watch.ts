import type { Report, Watch } from '@tagway/sdk';
import { disconnected } from '@tagway/sdk/link';
import { Kind } from '@tagway/iec104';
import type { Cache } from './cache.ts';
import { put } from './decode.ts';
import type { ReadPlan } from './plan.ts';

/** A group whose points are pushed. */
interface Watched {
  readonly plan: ReadPlan;
  readonly report: Report;
  /** Something was set since it was sent last. */
  isDirty: boolean;
}

/** A point of a group that shows an object. */
interface Showing {
  readonly watched: Watched;
  readonly index: number;
}

const noPoints: readonly Showing[] = [];
const none: readonly Promise<void>[] = [];

/** Passes on what the cache learns to the groups that show it. */
export class Watches {
  readonly #cache: Cache;
  readonly #groups = new Set<Watched>();
  /** By slot of the cache. */
  readonly #showing: (Showing[] | undefined)[] = [];
  readonly #dirty: Watched[] = [];
  /** Promises of reports that are full. */
  readonly #full: Promise<void>[] = [];
  /** Among what is dirty, equal values are events too. */
  #every = false;
  /** The station was interrogated on this connection: what it did not report is not there. */
  #isComplete = false;

  constructor(cache: Cache) {
    this.#cache = cache;
  }

  add(plan: ReadPlan, report: Report): Watch {
    const watched: Watched = { plan, report, isDirty: false };
    this.#groups.add(watched);
    for (const { index, fault } of plan.invalid) report.fault(index, fault);
    for (const [index, slot] of plan.slots.entries()) {
      if (slot < 0) continue;
      (this.#showing[slot] ??= []).push({ watched, index });
      if (this.#isComplete || this.#cache.kinds[slot] !== Kind.NONE) this.#put(watched, index, slot);
    }
    report.send();
    return {
      [Symbol.asyncDispose]: () => {
        this.#remove(watched);
        return Promise.resolve();
      },
    };
  }

  /** The slot of the cache has something new, which may equal the old; `every`: an equal value is an event too. */
  changed(slot: number, every: boolean): void {
    const showing = this.#showing[slot] ?? noPoints;
    if (showing.length === 0) return;
    if (every !== this.#every) {
      // Spontaneous values and others are sent apart, because only of the former equal values are events.
      this.#send();
      this.#every = every;
    }
    for (const { watched, index } of showing) {
      this.#put(watched, index, slot);
      this.#markDirty(watched);
    }
  }

  /** Sends what has changed. Returns the promises of reports that are full; each resolves when its report takes more. */
  flush(): readonly Promise<void>[] {
    this.#send();
    return this.#full.length === 0 ? none : this.#full.splice(0);
  }

  /** An interrogation has ended: objects that were never reported are faults from now on. */
  complete(): void {
    if (this.#isComplete) return;
    this.#isComplete = true;
    this.#send();
    for (const watched of this.#groups) {
      for (const [index, slot] of watched.plan.slots.entries()) {
        if (slot < 0 || this.#cache.kinds[slot] !== Kind.NONE) continue;
        watched.report.fault(index, this.#cache.absenceOf(watched.plan.points[index]!.type));
        this.#markDirty(watched);
      }
    }
  }

  /** The connection is gone. What was received is sent, and then every point gets its fault. */
  down(): void {
    this.#isComplete = false;
    const dirty = this.#dirty.slice();
    this.#send();
    this.#full.length = 0;
    for (const { plan, report } of dirty) {
      for (const index of plan.slots.keys()) report.fault(index, disconnected);
      report.send();
    }
  }

  #put({ plan, report }: Watched, index: number, slot: number): void {
    put(this.#cache, slot, report, index, plan.points[index]!.type);
  }

  #markDirty(watched: Watched): void {
    if (watched.isDirty) return;
    watched.isDirty = true;
    this.#dirty.push(watched);
  }

  #send(): void {
    for (const watched of this.#dirty) {
      watched.isDirty = false;
      if (!watched.report.send({ every: this.#every })) this.#full.push(watched.report.drained);
    }
    this.#dirty.length = 0;
  }

  #remove(watched: Watched): void {
    this.#groups.delete(watched);
    for (const slot of watched.plan.slots) {
      const showing = this.#showing[slot];
      if (showing === undefined) continue;
      const left = showing.filter((one) => one.watched !== watched);
      this.#showing[slot] = left.length === 0 ? undefined : left;
    }
    const at = this.#dirty.indexOf(watched);
    if (at >= 0) this.#dirty.splice(at, 1);
  }
}
