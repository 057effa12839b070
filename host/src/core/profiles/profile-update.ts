import { isDeepStrictEqual } from 'node:util';
import type { GivenGroup, Node, NodeProfile, Params, Tag, TagBody } from '../model.ts';
import { tagDefaults } from '../model.ts';
import { tagOf } from '../records/records.ts';

/** What an update does with something, or leaves alone. */
export type ChangeKind =
  /** The profile brings it. */
  | 'add'
  /** The profile has changed it, and nobody else has. */
  | 'change'
  /** People have changed or deleted it, and the profile has not: it stays as it is. */
  | 'kept'
  /** The profile has it no more, and nobody has changed it: somebody has to say whether it goes. */
  | 'remove'
  /** The profile and people have changed it in different ways: somebody has to say which counts. */
  | 'conflict';

/** What one of two sides has; undefined where it has nothing. */
export type Member = string | number | boolean | object | null | undefined;

/** One member of something that differs. */
export interface ChangedField {
  readonly field: string;
  readonly before: Member;
  readonly now: Member;
  readonly next: Member;
}

/** A tag, a group without its tags, or a setting. */
export interface ProfileChange {
  readonly kind: ChangeKind;
  readonly group?: string;
  readonly tag?: string;
  readonly setting?: string;
  /** Of what is there on several sides. */
  readonly fields?: readonly ChangedField[];
}

/** Which side somebody wants to count. */
export type Side = 'profile' | 'node';

/** What a decision is about. */
export type Place = Pick<ProfileChange, 'group' | 'tag' | 'setting'>;

/** What becomes of a group of the node. */
export interface GroupOutcome {
  readonly name: string;
  readonly interval: number;
  readonly isNew: boolean;
  readonly removed: ReadonlySet<Tag>;
  /** By their names. */
  readonly changed: ReadonlyMap<string, Tag>;
  readonly added: readonly TagBody[];
}

export interface ProfileUpdate {
  readonly changes: readonly ProfileChange[];
  /** What nobody has decided about. */
  readonly open: readonly ProfileChange[];
  readonly groups: readonly GroupOutcome[];
  /** Undefined: they stay. */
  readonly params: Params | undefined;
}

type Decide = (place: Place) => Side | undefined;

/** Members of a tag that a profile gives. */
const fields = [
  ...(['address', 'type', 'attribute', 'precision', 'decimal', 'bias'] as const),
  ...(['description', 'deadband', 'unit', 'low', 'high'] as const),
] as const;

/**
 * Compares what a profile gave, what it gives now, and what the node has. Where only the profile has changed something, it counts; where
 * only people have, theirs does; where both have, and where something is to go, it is asked.
 */
export function compareWithProfile(
  { groups, params = {} }: Pick<Node, 'groups' | 'params'>,
  given: Pick<NodeProfile, 'groups' | 'settings'>,
  next: Pick<NodeProfile, 'groups' | 'settings'>,
  decide: Decide,
): ProfileUpdate {
  const comparison = new Comparison(decide);
  const names = new Set([...given.groups, ...next.groups].map(({ name }) => name));
  for (const name of names)
    comparison.group(name, groups.get(name), groupNamed(given.groups, name), groupNamed(next.groups, name));
  const settings = comparison.settings(params, given.settings, next.settings);
  const { changes, open, outcomes } = comparison;
  return { changes, open, groups: outcomes, params: settings };
}

function groupNamed(groups: readonly GivenGroup[], name: string): GivenGroup | undefined {
  return groups.find((group) => group.name === name);
}

type NodeGroup = Node['groups'] extends Map<string, infer G> ? G : never;

class Comparison {
  readonly changes: ProfileChange[] = [];
  readonly open: ProfileChange[] = [];
  readonly outcomes: GroupOutcome[] = [];
  readonly #decide: Decide;

  constructor(decide: Decide) {
    this.#decide = decide;
  }

  group(
    name: string,
    now: NodeGroup | undefined,
    given: GivenGroup | undefined,
    next: GivenGroup | undefined,
  ): void {
    const removed = new Set<Tag>();
    const changed = new Map<string, Tag>();
    const added: TagBody[] = [];
    const before = byName(given);
    const after = byName(next);
    let interval = now?.interval ?? next?.interval ?? 0;
    if (given !== undefined && next !== undefined && now !== undefined && given.interval !== next.interval)
      interval = this.#interval(name, now.interval, given.interval, next.interval);
    for (const tag of new Set([...before.keys(), ...after.keys()])) {
      const place = { group: name, tag };
      const present = now?.tags.get(tag);
      const old = before.get(tag);
      const fresh = after.get(tag);
      if (present === undefined) this.#missing(place, old, fresh, added);
      else if (fresh === undefined) this.#leaving(place, present, old, removed);
      else {
        const result = this.#both(place, present, old, fresh);
        if (result !== undefined) changed.set(tag, result);
      }
    }
    const isNew = now === undefined;
    if (
      isNew ? added.length > 0 : removed.size + changed.size + added.length > 0 || interval !== now.interval
    )
      this.outcomes.push({ name, interval, isNew, removed, changed, added });
  }

  /** Undefined: they stay. */
  settings(now: Params, given: Params, next: Params): Params | undefined {
    const result: Record<string, unknown> = { ...now };
    for (const name of new Set([...Object.keys(given), ...Object.keys(next)])) {
      const [before, present, after] = [given[name], now[name], next[name]] as Member[];
      if (isDeepStrictEqual(before, after)) continue;
      if (isDeepStrictEqual(present, after)) continue;
      const change = { setting: name, fields: [{ field: name, before, now: present, next: after }] };
      const isOwn = !isDeepStrictEqual(present, before);
      if (!this.#takes({ kind: isOwn ? 'conflict' : 'change', ...change })) continue;
      if (after === undefined) Reflect.deleteProperty(result, name);
      else result[name] = after;
    }
    return isDeepStrictEqual(result, now) ? undefined : result;
  }

  #interval(group: string, now: number, before: number, next: number): number {
    if (now === next) return now;
    const change = { group, fields: [{ field: 'interval', before, now, next }] };
    return this.#takes({ kind: now === before ? 'change' : 'conflict', ...change }) ? next : now;
  }

  /** The node has no such tag. */
  #missing(place: Place, old: Tag | undefined, fresh: Tag | undefined, added: TagBody[]): void {
    if (fresh === undefined) return;
    if (old !== undefined) this.changes.push({ kind: 'kept', ...place });
    else if (this.#takes({ kind: 'add', ...place })) added.push(fresh);
  }

  /** The profile has no such tag any more. */
  #leaving(place: Place, present: Tag, old: Tag | undefined, removed: Set<Tag>): void {
    if (old === undefined) return;
    const own = differences(old, present);
    const change = {
      ...place,
      fields: own.map((field) => ({ field, before: old[field], now: present[field], next: undefined })),
    };
    if (this.#takes({ kind: own.length > 0 ? 'conflict' : 'remove', ...change })) removed.add(present);
  }

  /** Undefined: the tag stays as it is. */
  #both(place: Place, present: Tag, old: Tag | undefined, fresh: Tag): Tag | undefined {
    const byProfile = old === undefined ? fields : differences(old, fresh);
    const byPeople = old === undefined ? differences(present, fresh) : differences(old, present);
    const kept = byPeople.filter((field) => !byProfile.includes(field));
    const wanted = byProfile.filter((field) => !isDeepStrictEqual(present[field], fresh[field]));
    const show = (some: readonly (typeof fields)[number][]): ChangedField[] =>
      some.map((field) => ({ field, before: old?.[field], now: present[field], next: fresh[field] }));
    if (kept.length > 0) this.changes.push({ kind: 'kept', ...place, fields: show(kept) });
    const disputed = wanted.filter((field) => byPeople.includes(field));
    const free = wanted.filter((field) => !byPeople.includes(field));
    const taken = [
      ...(free.length > 0 && this.#takes({ kind: 'change', ...place, fields: show(free) }) ? free : []),
      ...(disputed.length > 0 && this.#takes({ kind: 'conflict', ...place, fields: show(disputed) })
        ? disputed
        : []),
    ];
    if (taken.length === 0) return undefined;
    const source = Object.fromEntries(taken.map((field) => [field, fresh[field]]));
    return tagOf(present.id, { ...present, ...source });
  }

  /** Records a change, and whether the profile counts. */
  #takes(change: ProfileChange): boolean {
    this.changes.push(change);
    if (change.kind === 'add' || change.kind === 'change') return true;
    const { group, tag, setting } = change;
    const place = {
      ...(group !== undefined && { group }),
      ...(tag !== undefined && { tag }),
      ...(setting !== undefined && { setting }),
    };
    const side = this.#decide(place);
    if (side === undefined) this.open.push(change);
    return side === 'profile';
  }
}

function byName(group: GivenGroup | undefined): Map<string, Tag> {
  return new Map((group?.tags ?? []).map((tag) => [tag.name, tagOf(0, tag)]));
}

/** The members that differ; what is left out has its default. */
function differences(one: Tag, other: Tag): (typeof fields)[number][] {
  const valueOf = (tag: Tag, field: (typeof fields)[number]): unknown =>
    tag[field] ?? tagDefaults[field as keyof typeof tagDefaults];
  return fields.filter((field) => !isDeepStrictEqual(valueOf(one, field), valueOf(other, field)));
}
