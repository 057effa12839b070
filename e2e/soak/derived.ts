import { Attribute, DataType } from '@tagway/schemas';
import type { Client } from '../kit/client.ts';
import { addDriver, type TagBody } from '../kit/configure.ts';
import type { Session } from './session.ts';

/** Milliseconds of the groups that follow from others. */
export const derivedInterval = 500;

const group = 'group';
/** True and false in turns, 2 s each, by the clock of the gateway. */
const wave = 'int(now() / 2000.0) % 2 == 0';
const alarmCount = 10;
/** How much less than it was a total may be after a kill, in seconds: what is a second old is saved, on a busy machine a little later. */
const unsaved = 10;

const tag = (name: string, address: string, type: DataType, more: Partial<TagBody> = {}): TagBody => ({
  name,
  address,
  type,
  attribute: Attribute.READ,
  ...more,
});

/** Adds nodes that calculate from the devices and from each other, and alarms on them. */
export async function addDerived(client: Client): Promise<void> {
  const { BIT, DOUBLE, INT64, STRING } = DataType;
  const span = { deadband: '2%', unit: 'Cel', low: 0, high: 100 };
  await addDriver(client, 'sums', {
    plugin: 'Calculation',
    interval: derivedInterval,
    settings: { save_interval: 1 },
    tags: [
      tag('sum', 'tag("plant/fast/tag0") + tag("plant/fast/tag1")', DOUBLE, span),
      tag('wave', wave, BIT),
      tag('waves', `count(${wave})`, INT64),
      tag('seconds', 'total(tag("press/words/word0") == 0 ? 1.0 : 1.0)', DOUBLE),
    ],
  });
  await addDriver(client, 'chain', {
    plugin: 'Calculation',
    interval: derivedInterval,
    settings: {},
    tags: [
      tag('again', 'tag("sums/group/sum") + tag("plant/slow/tag0")', DOUBLE),
      tag('wave', 'tag("sums/group/wave")', BIT),
    ],
  });
  await addDriver(client, 'alarms', {
    plugin: 'Alarms',
    interval: derivedInterval,
    settings: {},
    tags: [
      ...Array.from({ length: alarmCount }, (_, index) => {
        const source = index % 2 === 0 ? 'sums' : 'chain';
        return tag(`wave ${index}`, `condition(tag("${source}/group/wave"), acknowledge: false)`, STRING);
      }),
      tag('written', 'high(tag("plant/control/tag0"), 100, acknowledge: false)', STRING),
    ],
  });
}

interface Transition {
  readonly sequence: number;
  readonly recorded: number;
  readonly tag: string;
  readonly from: string;
  readonly to: string;
}

/** Looks whether alarms and totals go on through all kills as if there had been none. */
export class Derived {
  transitions = 0;
  /** Transitions that are missing, come twice or do not follow from the one before. */
  readonly broken: string[] = [];
  /** Totals that have lost more than what may be unsaved. */
  readonly fallen: string[] = [];
  readonly #session: Session;
  readonly #states = new Map<string, string>();
  readonly #totals = new Map<string, number>();
  #last = 0;
  #since = 0;

  constructor(session: Session) {
    this.#session = session;
  }

  /** Looks at what is new. */
  async next(): Promise<void> {
    await this.#lookAtJournal();
    await this.#lookAtTotals();
  }

  /** Looks at what is new, and whether anything has happened at all. */
  async verify(): Promise<void> {
    await this.next();
    if (this.transitions < alarmCount) this.broken.push(`There were only ${this.transitions} transitions.`);
    for (const name of ['waves', 'seconds'])
      if (!(Number(this.#totals.get(name)) > 0)) this.fallen.push(`The total "${name}" has no value.`);
  }

  async #lookAtJournal(): Promise<void> {
    const query = { node: 'alarms', page_size: 1000, since: Math.floor(this.#since / 1000) };
    const { transitions } = await this.#session.ok<{ transitions: Transition[] }>(
      'GET',
      '/alarms/journal',
      query,
    );
    const newest = transitions[0]?.sequence ?? this.#last;
    if (newest < this.#last)
      this.broken.push(`${now()} the journal ends with ${newest}, and ended with ${this.#last} before.`);
    for (const { sequence, recorded, tag: name, from, to } of transitions.toReversed()) {
      if (sequence <= this.#last) continue;
      const before = this.#states.get(name) ?? 'normal';
      if (sequence !== this.#last + 1 || from !== before)
        this.broken.push(
          `${now()} ${sequence} of "${name}" from ${from} to ${to} follows ${this.#last}, and its alarm was ${before}.`,
        );
      this.#states.set(name, to);
      this.#last = sequence;
      this.#since = recorded;
      this.transitions += 1;
    }
  }

  async #lookAtTotals(): Promise<void> {
    const body = { node: 'sums', group };
    const { tags } = await this.#session.ok<{ tags: { name: string; value?: unknown }[] }>(
      'POST',
      '/read',
      body,
    );
    for (const { name, value } of tags) {
      if ((name !== 'waves' && name !== 'seconds') || typeof value !== 'number') continue;
      const before = this.#totals.get(name) ?? 0;
      if (value < before - unsaved) this.fallen.push(`${now()} "${name}" was ${before} and is ${value}.`);
      this.#totals.set(name, value);
    }
  }
}

const now = (): string => new Date().toISOString();
