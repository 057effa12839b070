import type { TransitionOf } from '@tagway/sdk';
import type { Happening, KeptAlarm } from './kept-alarm.ts';
import type { AlarmState } from './machine/states.ts';

/** Most changes that wait to be stored. */
const waitingMost = 50_000;

/** Most changes, and characters of their texts, in one write. */
const most = { count: 1000, length: 400_000 } as const;

/** What is stored in one step. */
export interface Batch {
  readonly states: ReadonlyMap<KeptAlarm, AlarmState>;
  readonly transitions: readonly TransitionOf[];
}

/** Changes of alarms that wait to be stored, in their order. Beyond a bound the oldest loses its record in the journal, and no state. */
export class Waiting {
  #happenings: Happening[] = [];
  /** States of alarms whose changes were left out; those that wait come after them. */
  readonly #states = new Map<KeptAlarm, AlarmState>();

  get isEmpty(): boolean {
    return this.#happenings.length === 0 && this.#states.size === 0;
  }

  /** Returns how many transitions were left out for it. */
  add(happening: Happening): number {
    this.#happenings.push(happening);
    return this.#trim();
  }

  /** Stores the oldest with `store`, which returns whether it is stored; if not they go on waiting. Returns the same. */
  async storeSome(store: (batch: Batch) => Promise<boolean>): Promise<boolean> {
    const happenings = this.#happenings.splice(0, this.#countOfBatch());
    const before = new Map(this.#states);
    const states = new Map(before);
    for (const { after, alarm } of happenings) states.set(alarm, after);
    const isStored = await store({
      states,
      transitions: happenings.flatMap(({ transition }) => transition ?? []),
    });
    if (isStored) for (const [alarm, state] of before) this.#forget(alarm, state);
    else this.#happenings = [...happenings, ...this.#happenings];
    return isStored;
  }

  #forget(alarm: KeptAlarm, state: AlarmState): void {
    if (this.#states.get(alarm) === state) this.#states.delete(alarm);
  }

  #countOfBatch(): number {
    let length = 0;
    let count = 0;
    for (const { transition } of this.#happenings) {
      length += lengthOf(transition);
      if (count === most.count || (count > 0 && length > most.length)) break;
      count++;
    }
    return count;
  }

  #trim(): number {
    let lost = 0;
    while (this.#happenings.length > waitingMost) {
      const { after, alarm, transition } = this.#happenings.shift()!;
      this.#states.set(alarm, after);
      if (transition !== undefined) lost++;
    }
    return lost;
  }
}

function lengthOf(transition: TransitionOf | undefined): number {
  if (transition === undefined) return 0;
  const { comment = '', text, value } = transition;
  return text.length + comment.length + (typeof value === 'string' ? value.length : 0);
}
