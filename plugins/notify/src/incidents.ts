import type { AlarmState } from '@tagway/sdk';
import { type Item, type ItemEvent, itemOf, type Subject } from './item.ts';
import type { Kept } from './kept.ts';
import type { Hours, LocalTime } from './hours.ts';
import type { Rule } from './rules.ts';

/** An alarm that nobody has acknowledged, or that was sent and is not over; a signal that is true. */
interface Incident {
  readonly subject: Subject;
  /** Somebody is to acknowledge it, or it is a signal that is true. */
  readonly isOpen: boolean;
  /** Names of the rules that get it; absent: all. */
  readonly rules?: readonly string[];
  /** Since when it is there, in milliseconds since the epoch. */
  readonly since: number;
  /** When it was sent by each rule last; 0: it waits for the hours of the rule. */
  readonly sent: Readonly<Record<string, number>>;
}

/** Incidents that are followed; of further ones only what is raised and over is sent. */
const mostIncidents = 5000;

const active = new Set<AlarmState>(['unacknowledged', 'acknowledged', 'latched', 'latched acknowledged']);
const open = new Set<AlarmState>(['unacknowledged', 'returned', 'latched']);
const hidden = new Set<AlarmState>(['shelved', 'suppressed', 'out of service']);

/** What a transition means for people; undefined when they are not sent anything. */
export function eventOf(from: AlarmState, to: AlarmState): ItemEvent | undefined {
  if (hidden.has(to)) return undefined;
  if (hidden.has(from)) return to === 'unacknowledged' || to === 'latched' ? 'raised' : undefined;
  if (active.has(to) && !active.has(from)) return 'raised';
  if (open.has(from) && !open.has(to) && to !== 'normal') return 'acknowledged';
  if (from === 'returned' && to === 'normal') return 'acknowledged';
  if (active.has(from) && !active.has(to)) return 'returned';
  return undefined;
}

/** What happened to one alarm or signal. */
export interface Happening {
  /** Names it over restarts. */
  readonly key: string;
  readonly event: ItemEvent | undefined;
  readonly subject: Subject;
  readonly isOpen: boolean;
  readonly rules: readonly string[] | undefined;
}

export function isOpen(state: AlarmState): boolean {
  return open.has(state);
}

/** Decides who is sent what. */
export class Incidents {
  readonly #kept: Kept;
  readonly #rules: readonly Rule[];
  readonly #send: (rule: Rule, item: Item) => void;
  readonly #incidents = new Map<string, Incident>();

  constructor(kept: Kept, rules: readonly Rule[], send: (rule: Rule, item: Item) => void) {
    this.#kept = kept;
    this.#rules = rules;
    this.#send = send;
    for (const [key, text] of kept.entries('incident/'))
      this.#incidents.set(key.slice('incident/'.length), JSON.parse(text) as Incident);
  }

  has(key: string): boolean {
    return this.#incidents.has(key);
  }

  /** Keys of those that begin so. */
  keys(prefix: string): string[] {
    return [...this.#incidents.keys()].filter((key) => key.startsWith(prefix));
  }

  /** It is gone, without a word to anybody. */
  forget(key: string): void {
    this.#put(key, undefined);
  }

  take({ key, event, subject, isOpen: isOpenNow, rules }: Happening, now: number, local: LocalTime): void {
    const before = this.#incidents.get(key);
    const sent: Record<string, number> = event === 'raised' ? {} : { ...before?.sent };
    for (const rule of this.#rulesFor(subject, rules)) {
      if (event === 'raised') {
        if (rule.after > 0) continue;
        if (isIn(rule.hours, local)) {
          this.#send(rule, itemOf(subject, event));
          sent[rule.name] = now;
        } else sent[rule.name] = 0;
      } else if (event !== undefined && rule.also.has(event as 'returned') && (sent[rule.name] ?? 0) > 0)
        this.#send(rule, itemOf(subject, event));
    }
    const isOver = !isOpenNow && (subject.state === 'normal' || hidden.has(subject.state as AlarmState));
    const since = event === 'raised' || before === undefined ? now : before.since;
    const next = { subject, isOpen: isOpenNow, ...(rules && { rules }), since, sent };
    const isFollowed = before !== undefined || event === 'raised';
    this.#put(key, isOver || !isFollowed ? undefined : next);
  }

  /** Sends what is due because time has passed: hours that have begun, escalations, reminders. */
  look(now: number, local: LocalTime): void {
    const inHours = new Map(this.#rules.map((rule) => [rule, isIn(rule.hours, local)]));
    for (const [key, incident] of this.#incidents) {
      if (!incident.isOpen) continue;
      let sent: Record<string, number> | undefined;
      for (const rule of this.#rulesFor(incident.subject, incident.rules)) {
        if (inHours.get(rule) !== true) continue;
        const event = dueOf(rule, incident, now);
        if (event === undefined) continue;
        this.#send(rule, itemOf({ ...incident.subject, time: incident.since }, event));
        sent = { ...(sent ?? incident.sent), [rule.name]: now };
      }
      if (sent !== undefined) this.#put(key, { ...incident, sent });
    }
  }

  /** Those that somebody is to acknowledge. */
  *open(): Generator<Subject> {
    for (const { isOpen: isNow, subject } of this.#incidents.values()) if (isNow) yield subject;
  }

  *#rulesFor({ priority }: Subject, names: readonly string[] | undefined): Generator<Rule> {
    for (const rule of this.#rules)
      if (rule.digest === undefined && rule.priorities.has(priority) && (names?.includes(rule.name) ?? true))
        yield rule;
  }

  #put(key: string, incident: Incident | undefined): void {
    const hasRoom = this.#incidents.size < mostIncidents && this.#kept.hasRoom;
    if (incident !== undefined && !this.#incidents.has(key) && !hasRoom) return;
    if (incident === undefined) this.#incidents.delete(key);
    else this.#incidents.set(key, incident);
    this.#kept.set(`incident/${key}`, incident && JSON.stringify(incident));
  }
}

function dueOf(rule: Rule, { since, sent }: Incident, now: number): ItemEvent | undefined {
  const last = sent[rule.name] ?? 0;
  if (last === 0) {
    if (rule.after > 0) return now - since >= rule.after ? 'escalation' : undefined;
    // What the rule did not have at all, because it is new, is not sent again.
    return sent[rule.name] === 0 ? 'raised' : undefined;
  }
  return rule.repeat > 0 && now - last >= rule.repeat ? 'reminder' : undefined;
}

function isIn(hours: Hours | undefined, local: LocalTime): boolean {
  return hours?.has(local) ?? true;
}
