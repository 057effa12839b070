import type { Sample, Subscription, TagInfo } from '@tagway/sdk';
import type { Aliases } from './aliases.ts';
import { Kind, SparkplugType, typeOf } from './datatype.ts';
import { GroupState } from './group-state.ts';
import { metricNames } from './names.ts';
import { GroupPlan } from './plan.ts';
import type { Born } from './replay.ts';

/** How devices make metrics of tags. */
export interface Naming {
  /** Names begin with the name of the group. */
  readonly path: boolean;
  /** Tags are reported whenever they are due, not only when they have changed. */
  readonly all: boolean;
  readonly aliases: Aliases | undefined;
  /** Told of names that two tags of a device want, or that differ in case alone. */
  readonly clashed: (device: string, name: string) => void;
}

/** A tag that a command may write. */
export interface Target {
  readonly group: string;
  readonly tag: TagInfo;
  readonly type: SparkplugType;
}

const kindOfType: Readonly<Record<SparkplugType, Kind>> = {
  [SparkplugType.INT8]: Kind.INT,
  [SparkplugType.INT16]: Kind.INT,
  [SparkplugType.INT32]: Kind.INT,
  [SparkplugType.UINT8]: Kind.INT,
  [SparkplugType.UINT16]: Kind.INT,
  [SparkplugType.UINT32]: Kind.INT,
  [SparkplugType.INT64]: Kind.LONG,
  [SparkplugType.UINT64]: Kind.LONG,
  [SparkplugType.FLOAT]: Kind.FLOAT,
  [SparkplugType.DOUBLE]: Kind.DOUBLE,
  [SparkplugType.BOOLEAN]: Kind.BOOLEAN,
  [SparkplugType.STRING]: Kind.STRING,
  [SparkplugType.BYTES]: Kind.BYTES,
};

/** One driver node as a device of the edge node: the metrics of all its groups that the app subscribes to. */
export class Device implements Born {
  readonly name: string;
  /** The driver runs and has its link. */
  isUp = false;
  /** Its birth was sent and no death since. */
  isBorn = false;
  /** Its metrics have changed since the last birth, or there was none since the link came. */
  wantsBirth = false;
  /** When it was born, in milliseconds of the clock that never jumps. */
  bornAt = -Infinity;
  /** The sequence of the newest message that was queued before the birth. */
  bornAfter = 0;
  /** Messages that are not sent because a birth tells what they say, until the broker is known to have it. */
  told: Buffer[] = [];
  /** Runs until it is born whether its values are known or not. */
  timer: Disposable | undefined;
  readonly #naming: Naming;
  #subscriptions: readonly Subscription[] = [];
  /** By the id of the subscription. */
  #groups = new Map<number, GroupState>();
  /** Groups as they were, for the samples that are still under way. */
  #former = new Map<number, GroupState>();
  #bornPlans = new Set<GroupPlan>();
  #targets: Map<string | number, Target> | undefined;

  constructor(name: string, naming: Naming) {
    this.name = name;
    this.#naming = naming;
  }

  /** Takes the subscriptions to the driver's groups. Returns whether the metrics are others than before. */
  update(subscriptions: readonly Subscription[]): boolean {
    const old = this.#subscriptions;
    this.#subscriptions = subscriptions;
    if (old.length === subscriptions.length && old.every((one, index) => one === subscriptions[index]))
      return false;
    const { path, all, aliases, clashed } = this.#naming;
    const groups = new Map<number, GroupState>();
    const taken = new Set<string>();
    aliases?.forget(this.name);
    let changed = this.#groups.size !== subscriptions.length;
    for (const { id, group, layout } of subscriptions) {
      const tags = [...layout.columns, ...layout.writeOnly];
      const names = metricNames(group, tags, path, taken, (name) => clashed(this.name, name));
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
    const group = this.#groups.get(id);
    const former = this.#former.get(id);
    if (group?.plan.layout === sample.layout) {
      this.#former.delete(id);
      return { messages: group.take(sample), plan: group.plan };
    }
    return former?.plan.layout === sample.layout
      ? { messages: former.take(sample), plan: former.plan }
      : undefined;
  }

  /** The values of before are in doubt: a birth had better wait for new ones. */
  doubt(): void {
    for (const group of this.#groups.values()) group.isFresh = false;
  }

  /** A birth would tell the values of all groups. */
  get isReady(): boolean {
    for (const group of this.#groups.values()) if (!group.isFresh) return false;
    return true;
  }

  /** The metrics of a birth, which from now on are those that may be sent. */
  birth(now: number): readonly Buffer[] {
    const groups = [...this.#groups.values()];
    this.#bornPlans = new Set(groups.map(({ plan }) => plan));
    this.#targets = undefined;
    this.isBorn = true;
    this.wantsBirth = false;
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

  kindOf(id: string | number): Kind | undefined {
    const target = this.target(id);
    return target && kindOfType[target.type];
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
        const target = { group: layout.group, tag, type: typeOf(tag) };
        targets.set(names[index] as string, target);
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
      if (lower.has(folded)) return this.#naming.clashed(this.name, name);
      lower.add(folded);
    }
  }
}
