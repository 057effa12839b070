import type { Item } from './item.ts';
import type { Kept } from './kept.ts';
import type { Channel, Rule } from './rules.ts';

/** A rule and a way to its people. */
export interface Target {
  /** Such as `duty/mail`. */
  readonly key: string;
  readonly rule: Rule;
  readonly channel: Channel;
}

/** What waits for the next message of a target. */
export interface Waiting {
  readonly items: readonly Item[];
  /** Those that had no room, of which only the number is known. */
  readonly further: number;
}

/** Items that wait for one target, one by one; what comes beyond is counted. */
const mostItems = 300;

/** The targets of rules, in their order. */
export function targetsOf(rules: readonly Rule[]): Target[] {
  return rules.flatMap((rule) => [
    ...(rule.mail.length > 0 ? [{ key: `${rule.name}/mail`, rule, channel: 'mail' as const }] : []),
    ...(rule.hook ? [{ key: `${rule.name}/hook`, rule, channel: 'hook' as const }] : []),
  ]);
}

/** What waits for the next message of each target. */
export class Queues {
  readonly #kept: Kept;
  readonly #entries = new Map<string, Map<string, Item>>();
  readonly #further = new Map<string, number>();
  #last = 0;

  /** Takes over what an earlier run has left; what is of no target any more is deleted and counted. */
  constructor(kept: Kept, targets: readonly Target[], orphaned: (count: number) => void) {
    this.#kept = kept;
    const known = new Set(targets.map(({ key }) => key));
    let orphans = 0;
    for (const { key } of targets) this.#entries.set(key, new Map());
    for (const [key, text] of kept.entries('item/')) {
      const [, rule, channel, number = ''] = key.split('/');
      this.#last = Math.max(this.#last, Number(number));
      const target = `${rule}/${channel}`;
      if (known.has(target)) this.#entries.get(target)!.set(key, JSON.parse(text) as Item);
      else {
        kept.set(key, undefined);
        orphans++;
      }
    }
    for (const [key, text] of kept.entries('further/')) {
      const target = key.slice('further/'.length);
      if (known.has(target)) this.#further.set(target, Number(text));
      else kept.set(key, undefined);
    }
    if (orphans > 0) orphaned(orphans);
  }

  /** Whether it had room. */
  add({ key: target }: Target, item: Item): boolean {
    const entries = this.#entries.get(target)!;
    if (entries.size >= mostItems || !this.#kept.hasRoom) {
      this.#setFurther(target, (this.#further.get(target) ?? 0) + 1);
      return false;
    }
    const key = `item/${target}/${String(++this.#last).padStart(12, '0')}`;
    entries.set(key, item);
    this.#kept.set(key, JSON.stringify(item));
    return true;
  }

  of({ key }: Target): Waiting {
    return { items: [...this.#entries.get(key)!.values()], further: this.#further.get(key) ?? 0 };
  }

  count({ key }: Target): number {
    return this.#entries.get(key)!.size + (this.#further.get(key) ?? 0);
  }

  clear({ key }: Target): void {
    const entries = this.#entries.get(key)!;
    for (const one of entries.keys()) this.#kept.set(one, undefined);
    entries.clear();
    this.#setFurther(key, 0);
  }

  #setFurther(target: string, count: number): void {
    if (count === 0) this.#further.delete(target);
    else this.#further.set(target, count);
    this.#kept.set(`further/${target}`, count === 0 ? undefined : String(count));
  }
}
