import type { GroupOwners } from './group-owners.ts';
import { checkGroupName } from './groups.ts';
import type { AnyGroup, Tag, TagBody } from '../model.ts';
import { Pacer } from '../system/pacer.ts';
import { tagEntries, tagKey } from '../records/records.ts';
import type { Condition, State } from '../records/state.ts';
import { additions, type BatchResult, checkBatch, checkNames, replacements } from './tag-batch.ts';

/** The tags of groups: what drivers and templates have in common. */
export class GroupTags<G extends AnyGroup> {
  protected readonly state: State;
  protected readonly owners: GroupOwners<G>;

  constructor(state: State, owners: GroupOwners<G>) {
    this.state = state;
    this.owners = owners;
  }

  /** In the order of creation; `contains` is a part of the name. */
  list(owner: string, group: string, contains = ''): Tag[] {
    this.owners.checkLengths(owner, group);
    const tags = [...this.owners.group(owner, group).tags.values()];
    return contains === '' ? tags : tags.filter((tag) => tag.name.includes(contains));
  }

  /**
   * Adds the tags before the first that is refused, whose fault is in the result. Rejects when the tags could not be checked at all, for
   * example because there is no such group.
   */
  async add(
    owner: string,
    groupName: string,
    bodies: readonly TagBody[],
    condition?: Condition,
  ): Promise<BatchResult> {
    const { owners } = this;
    const checked = await this.#check(owner, groupName, bodies, owners.makesGroups);
    return this.state.change(async () => {
      const groups = owners.groups(owner);
      const present = owners.makesGroups ? groups.get(groupName) : owners.group(owner, groupName);
      const room = owners.room(owner);
      const { tags, ...result } = await additions(
        this.state,
        present?.tags,
        bodies,
        checked,
        owners.linkCheck(owner),
        room,
      );
      if (tags.length === 0) return result;
      const group =
        present ??
        owners.newGroup(owner, {
          name: groupName,
          interval: this.state.ports.dialect.groupInterval,
        });
      await this.state.commit({ set: tagEntries(group, tags, present === undefined) });
      groups.set(groupName, group);
      this.#put(group, tags);
      return result;
    }, condition);
  }

  /** Replaces the tags before the first that is refused or missing. Rejects as `add` does. */
  async update(
    owner: string,
    groupName: string,
    bodies: readonly TagBody[],
    condition?: Condition,
  ): Promise<BatchResult> {
    const { owners } = this;
    const checked = await this.#check(owner, groupName, bodies, false);
    return this.state.change(async () => {
      const group = owners.group(owner, groupName);
      const { tags, ...result } = await replacements(group.tags, bodies, checked, owners.linkCheck(owner));
      if (tags.length > 0) {
        await this.state.commit({ set: tagEntries(group, tags) });
        this.#put(group, tags);
      }
      return result;
    }, condition);
  }

  /** Deletes those of the tags that are there. To be called within a change. */
  protected async deleteFrom(group: G, names: readonly string[]): Promise<void> {
    const pace = new Pacer();
    const tags = new Set<Tag>();
    for (const name of names) {
      const tag = group.tags.get(name);
      if (tag !== undefined) tags.add(tag);
      if (pace.isDue) await pace.rest();
    }
    if (tags.size === 0) return;
    this.owners.checkUnread(group, new Set(Array.from(tags, ({ name }) => name)));
    await this.state.commit({ delete: keysOf(group, tags) });
    for (const { name } of tags) group.tags.delete(name);
    this.owners.changed(group);
  }

  async #check(
    owner: string,
    group: string,
    bodies: readonly TagBody[],
    mayMiss: boolean,
  ): Promise<BatchResult> {
    checkGroupName(group);
    checkNames(bodies);
    this.owners.checkLengths(owner, group);
    if (!mayMiss) this.owners.group(owner, group);
    return checkBatch(this.state, this.owners.plugin(owner), bodies);
  }

  #put(group: G, tags: readonly Tag[]): void {
    for (const tag of tags) group.tags.set(tag.name, tag);
    this.owners.changed(group);
  }
}

function* keysOf(group: AnyGroup, tags: Iterable<Tag>): Generator<string> {
  for (const { id } of tags) yield tagKey(group, id);
}
