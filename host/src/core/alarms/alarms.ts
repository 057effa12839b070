import type { AlarmPriority, AlarmState } from '@tagway/schemas';
import { alarmPriorities } from '@tagway/schemas';
import type { AlarmEvent, JournalPart } from '@tagway/sdk';
import type { Node } from '../model.ts';
import type { State } from '../records/state.ts';
import { Pacer } from '../system/pacer.ts';
import { AlarmRate } from './alarm-rate.ts';
import type { AlarmRecord } from './alarm-records.ts';
import { tagIdsOf } from './recording.ts';

export interface Page {
  /** From 0 on. */
  readonly page: number;
  readonly pageSize: number;
}

export interface AlarmsFilter {
  /** Empty members: all. */
  readonly node: string;
  readonly priority: AlarmPriority | '';
  readonly state: AlarmState | '';
}

export interface JournalFilter extends Omit<AlarmsFilter, 'state'> {
  readonly group: string;
  readonly tag: string;
  readonly state: string;
  /** Milliseconds since the epoch by the clock of the gateway. */
  readonly since: number;
  readonly until: number;
}

/** A transition with its node. */
export interface Entry {
  readonly node: string;
  readonly record: AlarmRecord;
  /** Of the oldest transition of a node that is left: how many were deleted before it. */
  readonly gone?: number;
}

export interface EntryPage {
  readonly entries: readonly Entry[];
  readonly pageCount: number;
}

export interface AlarmList extends EntryPage {
  /** How many alarms of the gateway are in each state that is not normal. */
  readonly counts: Readonly<Partial<Record<AlarmState, number>>>;
  readonly lastHour: number;
  readonly lastTenMinutes: number;
  readonly isFlood: boolean;
}

/** Transitions that an app gets at once. */
const mostAfter = 1000;

/** How often one alarm was announced. */
export interface AlarmFrequency {
  readonly node: string;
  readonly group: string;
  readonly tag: string;
  readonly priority: AlarmPriority;
  readonly count: number;
  /** Milliseconds since the epoch by the clock of the gateway. */
  readonly last: number;
}

export interface AlarmFrequencies {
  readonly alarms: readonly AlarmFrequency[];
  readonly total: number;
}

/** States in the order in which a list has them. */
const urgency: readonly AlarmState[] = [
  'unacknowledged',
  'latched',
  'returned',
  'acknowledged',
  'latched acknowledged',
  'shelved',
  'suppressed',
  'out of service',
];

/** The alarms of all nodes, and the journal of their transitions. */
export class Alarms {
  readonly #state: State;
  readonly #rate = new AlarmRate();

  constructor(state: State) {
    this.#state = state;
  }

  /** A page of the alarms that are not normal. */
  list({ node, priority, state }: AlarmsFilter, { page, pageSize }: Page, now: number): AlarmList {
    const counts: Partial<Record<AlarmState, number>> = {};
    const found: Entry[] = [];
    for (const one of this.#nodes()) {
      this.#rate.update(one, now);
      const tags = tagIdsOf(one);
      for (const [id, record] of one.alarms?.active ?? []) {
        if (!tags.has(id)) continue;
        counts[record.to] = (counts[record.to] ?? 0) + 1;
        if (node !== '' && one.name !== node) continue;
        if ((priority === '' || record.priority === priority) && (state === '' || record.to === state))
          found.push({ node: one.name, record });
      }
    }
    found.sort(byUrgency);
    return {
      entries: found.slice(page * pageSize, (page + 1) * pageSize),
      pageCount: Math.ceil(found.length / pageSize),
      counts,
      lastHour: this.#rate.within(3_600_000, now),
      lastTenMinutes: this.#rate.within(600_000, now),
      isFlood: this.#rate.isFlood(now),
    };
  }

  /** The latest transition of each alarm of a group that is not normal, under the names of now. Throws NODE_NOT_FOUND, GROUP_NOT_FOUND. */
  activeOf(driver: string, name: string): AlarmEvent[] {
    const group = this.#state.group(driver, name);
    const found: AlarmEvent[] = [];
    const active = group.node.alarms?.active;
    if (active === undefined || active.size === 0) return found;
    for (const { id, name: tag } of group.tags.values()) {
      const record = active.get(id);
      if (record === undefined) continue;
      const { id: _id, group: _group, ...event } = record;
      found.push({ ...event, tag });
    }
    return found;
  }

  /** A page of the journal, newest first. */
  async journal(filter: JournalFilter, { page, pageSize }: Page): Promise<EntryPage> {
    const entries: Entry[] = [];
    let count = 0;
    for await (const entry of this.transitions(filter)) {
      if (count >= page * pageSize && entries.length < pageSize) entries.push(entry);
      count++;
    }
    return { entries, pageCount: Math.ceil(count / pageSize) };
  }

  /** The alarms that were announced most often among the transitions that a filter takes, and how many times any was. */
  async frequent(filter: JournalFilter, most: number): Promise<AlarmFrequencies> {
    const counted = new Map<string, AlarmFrequency>();
    let total = 0;
    for await (const { node, record } of this.transitions(filter)) {
      if (!isAnnounced(record)) continue;
      total++;
      const key = `${record.id} ${node}`;
      const { group, priority, recorded, tag } = record;
      // The newest comes first, and has the names of now.
      const { count, ...known } = counted.get(key) ?? {
        node,
        group,
        tag,
        priority,
        last: recorded,
        count: 0,
      };
      counted.set(key, { ...known, count: count + 1 });
    }
    const sorted = [...counted.values()].sort((a, b) => b.count - a.count || b.last - a.last);
    return { alarms: sorted.slice(0, most), total };
  }

  /** The transitions that a filter takes, newest first by when they were recorded. */
  async *transitions(filter: JournalFilter): AsyncGenerator<Entry> {
    const nodes = this.#nodes().filter(({ name }) => filter.node === '' || filter.node === name);
    const streams = nodes.map((node) => newestFirst(node, filter));
    const heads = streams.map((stream) => stream.next());
    const pace = new Pacer();
    for (;;) {
      let newest = -1;
      let time = -Infinity;
      for (const [index, { done, value }] of heads.entries())
        if (done !== true && value.record.recorded > time) {
          newest = index;
          time = value.record.recorded;
        }
      const head = heads[newest];
      if (head === undefined || head.done === true) return;
      yield head.value;
      heads[newest] = streams[newest]!.next();
      if (pace.isDue) await pace.rest();
    }
  }

  /** The transitions of a driver after one of them, the oldest first, at most 1000. Throws NODE_NOT_FOUND. */
  after(driver: string, after: number): JournalPart {
    const { alarms } = this.#state.driver(driver);
    if (alarms === undefined) return { events: [], last: 0 };
    const { journal } = alarms;
    const events = Array.from(journal.after(after, mostAfter), ({ id: _id, ...event }) => event);
    return { events, last: journal.last };
  }

  #nodes(): Node[] {
    return [...this.#state.nodes.values()].filter(({ alarms }) => alarms !== undefined);
  }
}

function* newestFirst({ name: node, alarms }: Node, filter: JournalFilter): Generator<Entry> {
  const { group, priority, since, state, tag, until } = filter;
  if (alarms === undefined) return;
  const { journal } = alarms;
  const { oldest } = journal;
  for (const records of journal.newestFirst(since))
    for (const record of records) {
      if (record.recorded < since || record.recorded >= until) continue;
      if ((group !== '' && record.group !== group) || (tag !== '' && record.tag !== tag)) continue;
      if ((priority !== '' && record.priority !== priority) || (state !== '' && record.to !== state))
        continue;
      const isOldest = record.sequence === oldest && oldest > 1;
      yield isOldest ? { node, record, gone: oldest - 1 } : { node, record };
    }
}

/** An alarm that nobody has to acknowledge goes straight to being acknowledged. */
function isAnnounced({ cause, to }: AlarmRecord): boolean {
  return to === 'unacknowledged' || (to === 'acknowledged' && cause === 'condition');
}

function byUrgency({ record: a }: Entry, { record: b }: Entry): number {
  return (
    urgency.indexOf(a.to) - urgency.indexOf(b.to) ||
    alarmPriorities.indexOf(b.priority) - alarmPriorities.indexOf(a.priority) ||
    b.recorded - a.recorded ||
    b.sequence - a.sequence
  );
}
