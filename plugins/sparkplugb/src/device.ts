import type { Sample, Subscription, TagInfo } from '@tagway/sdk';
import type { Aliases } from './aliases.ts';
import { type SparkplugType, typeOf, valueKeyOf } from './datatype.ts';
import { GroupState } from './group-state.ts';
import { metricNames } from './names.ts';
import { GroupPlan } from './group-plan.ts';
import type { BirthMetrics } from './replay.ts';
import type { ValueKey } from './wire.ts';

/** How devices make metrics of tags. */
export interface Naming {
  /** Names begin with the name of the group. */
  readonly path: boolean;
  /** Tags are reported whenever they are due, not only when they have changed. */
  readonly all: boolean;
  readonly aliases: Aliases | undefined;
  /** Called with a name that two tags of a device have, or that differs from another one in case alone. */
  readonly onClash: (device: string, name: string) => void;
}

/** A tag that a command may write. */
export interface Target {
  /** Of the metric. */
  readonly name: string;
  readonly group: string;
  readonly tag: TagInfo;
  readonly type: SparkplugType;
}

/** One driver node as a device of the edge node: the metrics of all its groups that the app subscribes to. */
export class Device implements BirthMetrics {
  readonly name: string;
  /** The driver runs and has its link. */
  isUp = false;
  /** Its birth was sent, and no death after it. */
  isBorn = false;
  /** Its metrics have changed after the last birth, or it has not been born since its link was established. */
  isBirthDue = false;
  /** When it was born, in milliseconds of the monotonic clock. */
  bornAt = -Infinity;
  /** The sequence of the newest message that was queued before the birth. */
  bornAfter = 0;
  /** Messages that are not sent because a birth has their values. They are kept until the broker has the birth. */
  covered: Buffer[] = [];
  /** Ends the wait of a birth for values. */
  timer: Disposable | undefined;
  readonly #naming: Naming;
  #subscriptions: readonly Subscription[] = [];
  /** By the id of the subscription. */
  #groups = new Map<number, GroupState>();
  /** Groups before a change, for the samples of the earlier layout that still come. */
  #former = new Map<number, GroupState>();
  #bornPlans = new Set<GroupPlan>();
  #targets: Map<string | number, Target> | undefined;

  constructor(name: string, naming: Naming) {
    this.name = name;
    this.#naming = naming;
  }

  /** Takes the subscriptions to the driver's groups. Returns whether its metrics have changed. */
  update(subscriptions: readonly Subscription[]): boolean {
    const old = this.#subscriptions;
    this.#subscriptions = subscriptions;
    if (old.length === subscriptions.length && old.every((one, index) => one === subscriptions[index]))
      return false;
    const { path, all, aliases, onClash } = this.#naming;
    const groups = new Map<number, GroupState>();
    const taken = new Set<string>();
    aliases?.forget(this.name);
    let changed = this.#groups.size !== subscriptions.length;
    for (const { id, group, layout } of subscriptions) {
      const tags = [...layout.columns, ...layout.writeOnly];
      const names = metricNames(group, tags, path, taken, (name) => onClash(this.name, name));
      const before = this.#groups.get(id);
      const numbers = aliases?.of(this.name, names);
      const isSame = before?.plan.layout === layout && before.plan.isNamed(names, numbers);
      if (!isSame && before !== undefined) this.#former.set(id, before);
      changed ||= !isSame;
      groups.set(id, isSame ? before : new GroupState(new GroupPlan(layout, names, numbers), all));
    }
    this.#groups = groups;
    for (const id of this.#former.keys()) if (!groups.has(id)) this.#former.delete(id);
    if (changed) this.#warnOfCase(taken);
    return changed;
  }

  /** The messages that a sample makes, and the plan that they were made by. */
  take(
    sample: Sample,
    id: number,
  ): { readonly messages: readonly Buffer[]; readonly plan: GroupPlan } | undefined {
    const current = this.#groups.get(id);
    const isCurrent = current?.plan.layout === sample.layout;
    if (isCurrent) this.#former.delete(id);
    const group = isCurrent ? current : this.#former.get(id);
    return group?.plan.layout === sample.layout
      ? { messages: group.take(sample), plan: group.plan }
      : undefined;
  }

  /** The earlier values may be out of date: a birth should wait for new ones. */
  expectNewValues(): void {
    for (const group of this.#groups.values()) group.isFresh = false;
  }

  /** All groups have values for a birth. */
  get isReady(): boolean {
    for (const group of this.#groups.values()) if (!group.isFresh) return false;
    return true;
  }

  /** The metrics of a birth. From now on data may be sent for these metrics. */
  birth(now: number): readonly Buffer[] {
    const groups = [...this.#groups.values()];
    this.#bornPlans = new Set(groups.map(({ plan }) => plan));
    this.#targets = undefined;
    this.isBorn = true;
    this.isBirthDue = false;
    this.stopTimer();
    return groups.map((group) => group.born(now));
  }

  stopTimer(): void {
    this.timer?.[Symbol.dispose]();
    this.timer = undefined;
  }

  /** Whether the last birth holds the metrics of this plan. */
  knows(plan: GroupPlan | undefined): boolean {
    return plan !== undefined && this.#bornPlans.has(plan);
  }

  valueKeyOf(id: string | number): ValueKey | undefined {
    const target = this.target(id);
    return target && valueKeyOf(target.type);
  }

  /** The tag behind a metric of the last birth, by the metric's name or alias. */
  target(id: string | number): Target | undefined {
    this.#targets ??= this.#index();
    return this.#targets.get(id);
  }

  #index(): Map<string | number, Target> {
    const targets = new Map<string | number, Target>();
    for (const { layout, tags, names, aliases } of this.#bornPlans) {
      tags.forEach((tag, index) => {
        const name = names[index] as string;
        const target = { name, group: layout.group, tag, type: typeOf(tag) };
        targets.set(name, target);
        const alias = aliases?.[index];
        if (alias !== undefined) targets.set(alias, target);
      });
    }
    return targets;
  }

  #warnOfCase(names: ReadonlySet<string>): void {
    const lower = new Set<string>();
    for (const name of names) {
      const folded = name.toLowerCase();
      if (lower.has(folded)) return this.#naming.onClash(this.name, name);
      lower.add(folded);
    }
  }
}
