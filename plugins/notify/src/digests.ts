import type { AlarmPriority } from '@tagway/sdk';
import type { LocalTime } from './hours.ts';
import type { Subject, ItemEvent } from './item.ts';
import type { Kept } from './kept.ts';
import type { Rule } from './rules.ts';

export type Counts = Record<AlarmPriority | 'returned' | 'acknowledged', number>;

/** What happened since the last digest of a rule. */
export interface Digest {
  /** The day on which the last one was made, or the rule was new. */
  readonly date: string;
  readonly counts: Counts;
  /** How often each alarm was raised. */
  readonly often: Readonly<Record<string, number>>;
}

/** Alarms whose numbers are kept for one digest. */
const mostNames = 100;

/** Counts what happens for the rules that send it once a day. */
export class Digests {
  readonly #kept: Kept;
  readonly #rules: readonly Rule[];
  readonly #digests = new Map<Rule, Digest>();

  constructor(kept: Kept, rules: readonly Rule[], local: LocalTime) {
    this.#kept = kept;
    this.#rules = rules.filter(({ digest }) => digest !== undefined);
    for (const [key] of kept.entries('digest/'))
      if (!this.#rules.some(({ name }) => key === `digest/${name}`)) kept.set(key, undefined);
    for (const rule of this.#rules) {
      const text = kept.get(`digest/${rule.name}`);
      if (text === undefined) this.#put(rule, emptyOf(local, rule));
      else this.#digests.set(rule, JSON.parse(text) as Digest);
    }
  }

  count(
    event: ItemEvent,
    { priority, node, group, tag }: Subject,
    names: readonly string[] | undefined,
  ): void {
    for (const rule of this.#rules) {
      if (!rule.priorities.has(priority) || !(names?.includes(rule.name) ?? true)) continue;
      const { date, counts, often } = this.#digests.get(rule)!;
      const kind = event === 'raised' ? priority : event;
      if (
        kind !== 'low' &&
        kind !== 'medium' &&
        kind !== 'high' &&
        kind !== 'returned' &&
        kind !== 'acknowledged'
      )
        continue;
      const name = group === '' ? tag : `${node}/${group}/${tag}`;
      const isNamed =
        event === 'raised' && (Object.hasOwn(often, name) || Object.keys(often).length < mostNames);
      this.#put(rule, {
        date,
        counts: { ...counts, [kind]: counts[kind] + 1 },
        often: isNamed ? { ...often, [name]: (often[name] ?? 0) + 1 } : often,
      });
    }
  }

  /** Takes those whose time of the day has come; the counts begin anew. One that was missed comes later the same day, or with the next. */
  *due(local: LocalTime): Generator<{ readonly rule: Rule; readonly digest: Digest }> {
    for (const rule of this.#rules) {
      const digest = this.#digests.get(rule)!;
      if (digest.date >= local.date || local.minute < (rule.digest ?? 0)) continue;
      this.#put(rule, { date: local.date, counts: none(), often: {} });
      yield { rule, digest };
    }
  }

  #put(rule: Rule, digest: Digest): void {
    this.#digests.set(rule, digest);
    this.#kept.set(`digest/${rule.name}`, JSON.stringify(digest));
  }
}

/** A rule that is new before its time of the day has its first digest on that day. */
function emptyOf({ date, minute }: LocalTime, { digest = 0 }: Rule): Digest {
  return { date: minute < digest ? '' : date, counts: none(), often: {} };
}

function none(): Counts {
  return { low: 0, medium: 0, high: 0, returned: 0, acknowledged: 0 };
}
