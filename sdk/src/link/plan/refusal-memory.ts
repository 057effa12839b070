import type { Range } from './range.ts';
import { Recovery } from './recovery.ts';
import { RetryTimer } from './retry-timer.ts';

/** Milliseconds after which one place is tried of a device that refuses everything. */
const probePause = 10_000;

interface Refusal<Reason> {
  readonly timer: RetryTimer;
  reason: Reason;
}

/**
 * What a device, or one unit of it, has refused to read: single places, requests across a boundary, whole areas. The driver keeps one
 * for its whole run and all groups share it, so it survives changes of the groups. Every refusal is tried again after
 * growing pauses; refused places and areas also on a new connection. What a device refuses in a time in which it reads nothing at all is
 * forgotten once it reads something. `Reason` is what the driver wants to know of a
 * refusal, such as a fault or the device's code. Times are milliseconds of any one clock.
 * @experimental May change until more drivers have used it.
 */
export class RefusalMemory<Reason> {
  /** Grows whenever requests have to be packed anew. */
  version = 1;
  readonly #refused = new Map<string, Refusal<Reason>>();
  readonly #cuts = new Map<string, RetryTimer>();
  /** The cuts that requests respect now. A cut that is missing here is due, and requests reach across it to try it again. */
  readonly #activeCuts = new Set<string>();
  readonly #areas = new Map<number, RetryTimer>();
  #generation = 0;
  readonly #recovery = new Recovery();
  /** Refused for the first time since the device last read something. */
  readonly #doubtful = new Set<string>();
  readonly #doubtfulAreas = new Set<number>();
  #wasAccepted = false;
  #wasRefused = false;
  #now = 0;
  #probedAt = -Infinity;
  #probes = 0;

  /** A read pass begins, over connection number `generation`. */
  begin(now: number, generation: number): void {
    this.#now = now;
    if (this.#wasRefused && !this.#wasAccepted) this.#recovery.refused();
    this.#wasRefused = this.#wasAccepted = false;
    if (this.#recovery.refusesAll && now - this.#probedAt >= probePause) this.#probe(now);
    if (generation !== this.#generation) {
      for (const { timer } of this.#refused.values()) timer.expire();
      for (const timer of this.#areas.values()) timer.expire();
      this.#generation = generation;
    }
    for (const cut of this.#activeCuts) {
      if (this.#cuts.get(cut)?.due(now) !== true) continue;
      this.#activeCuts.delete(cut);
      this.version++;
    }
  }

  /** Why the device refuses this place, or undefined when it does not. */
  reasonOf(place: Range): Reason | undefined {
    return this.#refused.size > 0 ? this.#refused.get(keyOf(place))?.reason : undefined;
  }

  /** Whether to try a refused place now. When it answers true, it answers false to others until the pause has passed again. */
  tries(place: Range, now: number): boolean {
    const refusal = this.#refused.get(keyOf(place));
    if (refusal?.timer.due(now) !== true) return false;
    refusal.timer.tried(now);
    return true;
  }

  /** The device refused this place, for the first time or again. */
  refuse(place: Range, reason: Reason, now: number): void {
    let refusal = this.#refused.get(keyOf(place));
    if (refusal === undefined) {
      refusal = { timer: new RetryTimer(), reason };
      this.#refused.set(keyOf(place), refusal);
      this.version++;
      this.#doubtful.add(keyOf(place));
    }
    this.#wasRefused = true;
    refusal.timer.refused(now);
    refusal.reason = reason;
  }

  /** The device could read this place: neither it nor its area counts as refused any more. */
  accept(place: Range): void {
    this.#wasAccepted = true;
    if (this.#recovery.answered(this.#now)) this.#forgetDoubtful();
    this.#doubtful.clear();
    this.#doubtfulAreas.clear();
    if (this.#areas.size > 0) this.#areas.delete(place.area);
    if (this.#refused.size > 0 && this.#refused.delete(keyOf(place))) this.version++;
  }

  /** Whether no request may reach across the start of this place. */
  isCut(place: Range): boolean {
    return this.#activeCuts.size > 0 && this.#activeCuts.has(boundaryOf(place));
  }

  /** The device read both sides of this place's start, but refused them in one request. */
  cut(place: Range, now: number): void {
    const boundary = boundaryOf(place);
    const timer = this.#cuts.get(boundary) ?? new RetryTimer();
    timer.refused(now);
    this.#cuts.set(boundary, timer);
    this.#activeCuts.add(boundary);
    this.version++;
  }

  /** The device cannot read this area at all. */
  refuseArea(area: number, now: number): void {
    if (!this.#areas.has(area)) this.#doubtfulAreas.add(area);
    this.#wasRefused = true;
    const timer = this.#areas.get(area) ?? new RetryTimer();
    timer.refused(now);
    this.#areas.set(area, timer);
  }

  /** Whether the area is refused, and not yet due to be tried again. */
  isAreaRefused(area: number, now: number): boolean {
    return this.#areas.size > 0 && this.#areas.get(area)?.due(now) === false;
  }

  /** Has another doubtful place tried each time, and the doubtful areas, which are few. */
  #probe(now: number): void {
    this.#probedAt = now;
    for (const area of this.#doubtfulAreas) this.#areas.get(area)?.expire();
    const key = [...this.#doubtful][this.#probes++ % this.#doubtful.size];
    if (key !== undefined) this.#refused.get(key)?.timer.expire();
  }

  #forgetDoubtful(): void {
    for (const key of this.#doubtful) this.#refused.delete(key);
    for (const area of this.#doubtfulAreas) this.#areas.delete(area);
    this.version++;
  }
}

function boundaryOf({ area, start }: Range): string {
  return `${area} ${start}`;
}

/** A long value may be refused where a short one is not. */
function keyOf({ area, start, end }: Range): string {
  return `${area} ${start} ${end}`;
}
