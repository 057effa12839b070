import type { TransitionOf } from '@tagway/sdk';
import {
  Flag,
  initialState,
  isAbnormal,
  nameOf,
  shownOf,
  type AlarmState,
  type Beneath,
} from './machine/states.ts';
import type { AlarmEvent } from './machine/table.ts';
import { transition, type Rules } from './machine/transition.ts';

/** Most events of one alarm that wait for a command. */
const deferredMost = 1000;

/** What the journal has of a transition beside the states. */
export type Facts = Omit<TransitionOf, 'from' | 'to'>;

/** A change of an alarm's state that is to be stored. */
export interface Happening {
  readonly alarm: KeptAlarm;
  readonly after: AlarmState;
  /** Absent when the shown state is the same: the state beneath has changed while the alarm is hidden. */
  readonly transition?: TransitionOf | undefined;
}

interface Deferred {
  readonly event: AlarmEvent;
  readonly rules: Rules;
  readonly facts: Facts;
}

export interface KeptAlarmEvents {
  happened(happening: Happening): void;
  /** Events that were left out, because too many waited for a command. */
  lost(count: number): void;
}

/** The state of one tag's alarm, whatever plan it is in. */
export class KeptAlarm {
  /** Number of the tag. */
  readonly id: number | undefined;
  state: AlarmState = initialState;
  /** Whether there is a state: from an earlier run, or because the condition was known once. */
  isKnown = false;
  readonly #events: KeptAlarmEvents;
  /** What has happened since a command began to be stored; undefined while none is. */
  #deferred: Deferred[] | undefined;

  constructor(id: number | undefined, events: KeptAlarmEvents) {
    this.id = id;
    this.#events = events;
  }

  /** Whether the condition is there as far as the state knows, or will know. */
  get isAbnormal(): boolean {
    const last = this.#deferred?.findLast(({ event }) => event === 'active' || event === 'inactive');
    return last === undefined ? isAbnormal(this.state) : last.event === 'active';
  }

  /** Whether it is suppressed by design as far as the state knows, or will know. */
  get isSuppressed(): boolean {
    const last = this.#deferred?.findLast(({ event }) => event === 'suppress' || event === 'unsuppress');
    return last === undefined ? (this.state.flags & Flag.SUPPRESSED) !== 0 : last.event === 'suppress';
  }

  /** Something happens that is no command. While a command is stored, it waits for that. */
  happen(event: AlarmEvent, rules: Rules, facts: Facts): void {
    if (this.#deferred !== undefined) {
      this.#defer(this.#deferred, { event, rules, facts });
      return;
    }
    const after = transition(this.state, event, rules, facts.time);
    if (after === undefined) return;
    const happening = this.happeningOf(after, facts);
    this.state = after;
    this.#events.happened(happening);
  }

  /** The change from the state that it has to another one. */
  happeningOf(after: AlarmState, facts: Facts): Happening {
    const from = nameOf(shownOf(this.state));
    const to = nameOf(shownOf(after));
    if (from === to && facts.cause !== 'comment') return { alarm: this, after };
    const shelf = to === 'shelved' && { shelf: { until: after.shelfEnd, once: after.isOneShot } };
    return { alarm: this, after, transition: { ...facts, from, to, ...shelf } };
  }

  /** A command begins to be stored: until `release` the state stays as it is. */
  hold(): void {
    this.#deferred = [];
  }

  /** A command was stored, which made this state, or was not: then there is none. */
  release(state: AlarmState | undefined): void {
    const deferred = this.#deferred ?? [];
    this.#deferred = undefined;
    if (state !== undefined) {
      this.state = state;
      this.isKnown = true;
    }
    for (const { event, facts, rules } of deferred) this.happen(event, rules, facts);
  }

  #defer(deferred: Deferred[], one: Deferred): void {
    deferred.push(one);
    if (deferred.length <= deferredMost) return;
    // The oldest two: a condition that has come and gone leaves the state as it was.
    deferred.splice(0, 2);
    this.#events.lost(2);
  }
}

/** The state as a text for the store. */
export function textOf({ beneath, flags, isOneShot, occurrence, shelfEnd, since }: AlarmState): string {
  return JSON.stringify([beneath, flags, occurrence, since, shelfEnd, isOneShot]);
}

/** The state that a text of the store is, undefined when it is none. */
export function stateOf(text: string): AlarmState | undefined {
  const parts = parsed(text);
  if (parts === undefined) return undefined;
  const [beneath, flags, occurrence, since, shelfEnd, isOneShot] = parts;
  if (!isWhole(beneath, 5) || !isWhole(flags, 7) || !isWhole(occurrence) || typeof isOneShot !== 'boolean')
    return undefined;
  if (typeof since !== 'number' || typeof shelfEnd !== 'number') return undefined;
  return { beneath: beneath as Beneath, flags, occurrence, since, shelfEnd, isOneShot };
}

function parsed(text: string): readonly unknown[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? (value as unknown[]) : undefined;
  } catch {
    return undefined;
  }
}

function isWhole(value: unknown, most = Number.MAX_SAFE_INTEGER): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= most;
}
