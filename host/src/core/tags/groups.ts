import { ErrorCode, type GroupPace, Limits } from '@tagway/schemas';
import { checkPace, isSamePace, paceOf } from './group-pace.ts';
import type { GroupOwners } from './group-owners.ts';
import type { AnyGroup, GroupBody } from '../model.ts';
import { applyRenames, entriesOfRenames } from '../nodes/input-renames.ts';
import { rekey } from '../records/creation-order.ts';
import { groupEntry } from '../records/records.ts';
import type { Condition, State } from '../records/state.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** What is left out stays as it is. */
export interface GroupChange {
  readonly newName?: string | undefined;
  /** Milliseconds. */
  readonly interval?: number | undefined;
  /** Megabytes. */
  readonly history?: number | undefined;
  readonly pace?: GroupPace | undefined;
}

/** What a new group may have beside its name and its interval. */
interface MoreOfGroup {
  /** Megabytes. Default: no history. */
  readonly history?: number | undefined;
  readonly pace?: GroupPace | undefined;
  readonly condition?: Condition | undefined;
}

/** The groups of drivers, or of templates. */
export class Groups<G extends AnyGroup> {
  readonly #state: State;
  readonly #owners: GroupOwners<G>;

  constructor(state: State, owners: GroupOwners<G>) {
    this.#state = state;
    this.#owners = owners;
  }

  /** In the order of creation. */
  list(owner: string): G[] {
    this.#owners.checkLengths(owner);
    return [...this.#owners.groups(owner).values()];
  }

  async add(owner: string, name: string, interval: number, more: MoreOfGroup = {}): Promise<void> {
    const owners = this.#owners;
    const { history, condition } = more;
    const body = { name, interval, history, pace: paceOf(more.pace ?? {}) };
    checkGroupName(name);
    owners.checkLengths(owner, name);
    await this.#state.change(async () => {
      owners.checkOwner(owner);
      checkGroupBody(body);
      const groups = owners.groups(owner);
      checkFree(groups, owner, name);
      const group = owners.newGroup(owner, body);
      await this.#state.commit({ set: [groupEntry(group)] });
      groups.set(name, group);
      owners.changed(group);
    }, condition);
  }

  async update(owner: string, name: string, change: GroupChange, condition?: Condition): Promise<void> {
    const owners = this.#owners;
    const { newName = name, interval, history } = change;
    const given = change.pace ?? {};
    const hasPace = Object.keys(given).length > 0;
    if (change.newName === undefined && interval === undefined && history === undefined && !hasPace)
      throw new Refusal(
        ErrorCode.BODY_INVALID,
        sentence`A group update needs a new name, an interval, a history or how it reports.`,
      );
    checkGroupName(newName);
    owners.checkLengths(owner, name, newName);
    if (interval !== undefined) checkInterval(interval);
    if (history !== undefined) checkHistory(history);
    await this.#state.change(async () => {
      const group = owners.group(owner, name);
      const groups = owners.groups(owner);
      const pace = paceOf(given, group.pace);
      checkPace(newName, pace);
      const next = {
        ...group,
        name: newName,
        interval: interval ?? group.interval,
        history: history ?? group.history,
        pace,
      };
      if (newName !== name) checkFree(groups, owner, newName);
      const isSame =
        next.interval === group.interval && next.history === group.history && isSamePace(pace, group.pace);
      if (newName === name && isSame) return;
      const renames = newName === name ? [] : owners.renamed(group, newName);
      await this.#state.commit({ set: [groupEntry(next), ...entriesOfRenames(renames)] });
      group.interval = next.interval;
      group.history = next.history;
      group.pace = pace;
      group.name = newName;
      if (newName !== name) rekey(groups);
      owners.changed(group);
      applyRenames(this.#state, renames);
    }, condition);
  }

  async delete(owner: string, name: string, condition?: Condition): Promise<void> {
    const owners = this.#owners;
    owners.checkLengths(owner, name);
    await this.#state.change(async () => {
      const group = owners.group(owner, name);
      await this.#state.commit({ delete: owners.keysOf(group) });
      owners.groups(owner).delete(name);
      owners.removed(group);
    }, condition);
  }
}

/** Refuses the empty name of a group that is to be made. */
export function checkGroupName(name: string): void {
  if (name === '') throw new Refusal(ErrorCode.BODY_INVALID, sentence`The name of a group may not be empty.`);
}

/** Throws GROUP_PARAM_INVALID. */
export function checkGroupBody({ name, interval, history = 0, pace }: GroupBody): void {
  checkInterval(interval);
  checkHistory(history);
  checkPace(name, pace);
}

function checkHistory(history: number): void {
  if (!Number.isInteger(history) || history < 0 || history > Limits.historyMax) {
    throw new Refusal(
      ErrorCode.GROUP_PARAM_INVALID,
      sentence`The history of a group is from 1 to ${Limits.historyMax} megabytes, or 0 for none.`,
    );
  }
}

/** Throws GROUP_PARAM_INVALID. */
export function checkInterval(interval: number): void {
  if (!Number.isInteger(interval) || interval < Limits.intervalMin || interval > Limits.intervalMax) {
    throw new Refusal(
      ErrorCode.GROUP_PARAM_INVALID,
      sentence`The interval of a group is from ${Limits.intervalMin} to ${Limits.intervalMax} milliseconds.`,
    );
  }
}

function checkFree(groups: ReadonlyMap<string, AnyGroup>, owner: string, name: string): void {
  if (groups.has(name))
    throw new Refusal(ErrorCode.GROUP_EXISTS, sentence`"${owner}" has a group "${name}" already.`);
}
