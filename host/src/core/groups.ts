import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { GroupPlace } from './group-place.ts';
import type { TagGroup } from './model.ts';
import { rekey } from './named-places.ts';
import type { State } from './state.ts';

/** What is left out stays as it is. */
export interface GroupChange {
  readonly newName?: string | undefined;
  /** Milliseconds. */
  readonly interval?: number | undefined;
}

/** The groups of drivers, or of templates. */
export class Groups<G extends TagGroup> {
  readonly #state: State;
  readonly #place: GroupPlace<G>;

  constructor(state: State, place: GroupPlace<G>) {
    this.#state = state;
    this.#place = place;
  }

  /** In the order of creation. */
  list(owner: string): G[] {
    this.#place.checkLengths(owner);
    return [...this.#place.groups(owner).values()];
  }

  async add(owner: string, name: string, interval: number): Promise<void> {
    const place = this.#place;
    checkGroupName(name);
    place.checkLengths(owner, name);
    await this.#state.change(async () => {
      place.checkOwner(owner);
      checkInterval(interval);
      const groups = place.groups(owner);
      checkFree(groups, owner, name);
      const group = place.newGroup(owner, name, interval);
      await this.#state.commit({ set: [place.groupEntry(group)] });
      groups.set(name, group);
      place.changed(group);
    });
  }

  async update(owner: string, name: string, change: GroupChange): Promise<void> {
    const place = this.#place;
    const { newName = name, interval } = change;
    if (change.newName === undefined && interval === undefined)
      throw new Fault(ErrorCode.BODY_INVALID, 'A group update needs a new name, an interval or both.');
    checkGroupName(newName);
    place.checkLengths(owner, name, newName);
    if (interval !== undefined) checkInterval(interval);
    await this.#state.change(async () => {
      const group = place.group(owner, name);
      const groups = place.groups(owner);
      const next = { ...group, name: newName, interval: interval ?? group.interval };
      if (newName !== name) checkFree(groups, owner, newName);
      if (newName === name && next.interval === group.interval) return;
      await this.#state.commit({ set: [place.groupEntry(next)] });
      group.interval = next.interval;
      group.name = newName;
      if (newName !== name) rekey(groups);
      place.changed(group);
    });
  }

  async delete(owner: string, name: string): Promise<void> {
    const place = this.#place;
    place.checkLengths(owner, name);
    await this.#state.change(async () => {
      const group = place.group(owner, name);
      await this.#state.commit({ delete: place.keysOf(group) });
      place.groups(owner).delete(name);
      place.removed(group);
    });
  }
}

/** Refuses the empty name of a group that is to be made. */
export function checkGroupName(name: string): void {
  if (name === '') throw new Fault(ErrorCode.BODY_INVALID, 'The name of a group may not be empty.');
}

/** Throws GROUP_PARAM_INVALID. */
export function checkInterval(interval: number): void {
  if (!Number.isInteger(interval) || interval < Limits.intervalMin || interval > Limits.intervalMax) {
    throw new Fault(
      ErrorCode.GROUP_PARAM_INVALID,
      `The interval of a group is from ${Limits.intervalMin} to ${Limits.intervalMax} milliseconds.`,
    );
  }
}

function checkFree(groups: ReadonlyMap<string, TagGroup>, owner: string, name: string): void {
  if (groups.has(name)) throw new Fault(ErrorCode.GROUP_EXISTS, `"${owner}" has a group "${name}" already.`);
}
