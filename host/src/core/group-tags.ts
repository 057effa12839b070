import { entriesOf, type GroupPlace } from './group-place.ts';
import { checkGroupName } from './groups.ts';
import type { Tag, TagBody, TagGroup } from './model.ts';
import { Pace } from './pace.ts';
import type { State } from './state.ts';
import { additions, type BatchResult, checkBatch, checkNames, replacements } from './tag-batch.ts';

/** The tags of groups, be they of drivers or of templates: what is done to both in the same way. */
export class GroupTags<G extends TagGroup> {
  protected readonly state: State;
  protected readonly place: GroupPlace<G>;

  constructor(state: State, place: GroupPlace<G>) {
    this.state = state;
    this.place = place;
  }

  /** In the order of creation; `contains` is a part of the name. */
  list(owner: string, group: string, contains = ''): Tag[] {
    this.place.checkLengths(owner, group);
    const tags = [...this.place.group(owner, group).tags.values()];
    return contains === '' ? tags : tags.filter((tag) => tag.name.includes(contains));
  }

  /**
   * Adds the tags before the first that is refused. Rejects only when none of the tags could be looked at; what is wrong with a tag
   * is in the result.
   */
  async add(owner: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    const { place } = this;
    const checked = await this.#check(owner, groupName, bodies, place.makesGroups);
    return this.state.change(async () => {
      const groups = place.groups(owner);
      const present = place.makesGroups ? groups.get(groupName) : place.group(owner, groupName);
      const room = place.room(owner);
      const { tags, ...result } = await additions(this.state, present?.tags, bodies, checked, room);
      if (tags.length === 0) return result;
      const group = present ?? place.newGroup(owner, groupName, this.state.ports.profile.groupInterval);
      await this.state.commit({
        set: entriesOf(present === undefined ? [place.groupEntry(group)] : [], tags, (tag) =>
          place.tagEntry(group, tag),
        ),
      });
      groups.set(groupName, group);
      this.#put(group, tags);
      return result;
    });
  }

  /** Replaces the tags before the first that is refused or missing. Rejects as `add` does. */
  async update(owner: string, groupName: string, bodies: readonly TagBody[]): Promise<BatchResult> {
    const { place } = this;
    const checked = await this.#check(owner, groupName, bodies, false);
    return this.state.change(async () => {
      const group = place.group(owner, groupName);
      const { tags, ...result } = await replacements(group.tags, bodies, checked);
      if (tags.length > 0) {
        await this.state.commit({ set: entriesOf([], tags, (tag) => place.tagEntry(group, tag)) });
        this.#put(group, tags);
      }
      return result;
    });
  }

  /** Deletes those of the tags that are there. To be called within a change. */
  protected async deleteFrom(group: G, names: readonly string[], key: (id: number) => string): Promise<void> {
    const pace = new Pace();
    const tags = new Set<Tag>();
    for (const name of names) {
      const tag = group.tags.get(name);
      if (tag !== undefined) tags.add(tag);
      if (pace.isDue) await pace.rest();
    }
    if (tags.size === 0) return;
    await this.state.commit({ delete: keysOf(tags, key) });
    for (const { name } of tags) group.tags.delete(name);
    this.place.changed(group);
  }

  async #check(
    owner: string,
    group: string,
    bodies: readonly TagBody[],
    mayMiss: boolean,
  ): Promise<BatchResult> {
    checkGroupName(group);
    checkNames(bodies);
    this.place.checkLengths(owner, group);
    if (!mayMiss) this.place.group(owner, group);
    return checkBatch(this.state, this.place.plugin(owner), bodies);
  }

  #put(group: G, tags: readonly Tag[]): void {
    for (const tag of tags) group.tags.set(tag.name, tag);
    this.place.changed(group);
  }
}

function* keysOf(tags: Iterable<Tag>, key: (id: number) => string): Generator<string> {
  for (const { id } of tags) yield key(id);
}
