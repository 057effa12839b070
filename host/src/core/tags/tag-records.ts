import type { Tag, TagGroup } from '../model.ts';
import type { CreationOrder } from '../records/creation-order.ts';
import { getOrMake } from '../system/get-or-make.ts';
import type { Pacer } from '../system/pacer.ts';
import { idOf, isId, isTagRecord } from '../records/record-checks.ts';
import { tagOf } from '../records/records.ts';

type Entry = readonly [key: string, record: unknown];

/** Applies changes of the records of tags. `touched` has the groups that have changed. */
export class TagRecords<G extends TagGroup> {
  readonly touched = new Set<G>();
  readonly #groups: ReadonlyMap<number, G>;
  readonly #order: CreationOrder;
  readonly #pace: Pacer;
  readonly #seen: (id: number) => void;
  /** The present names of the tags of a group, by id. */
  readonly #names = new Map<G, Map<number, string>>();

  /** `seen` is called with every id. */
  constructor(groups: ReadonlyMap<number, G>, order: CreationOrder, pace: Pacer, seen: (id: number) => void) {
    this.#seen = seen;
    this.#groups = groups;
    this.#order = order;
    this.#pace = pace;
  }

  /** Tags that do not exist are ignored. */
  async remove(entries: readonly Entry[]): Promise<void> {
    for (const [key] of entries) {
      if (this.#pace.isDue) await this.#pace.rest();
      const group = this.#groupOf(key);
      if (group === undefined) continue;
      const names = this.#namesIn(group);
      const name = names.get(idOf(key));
      if (name === undefined) continue;
      names.delete(idOf(key));
      group.tags.delete(name);
      this.touched.add(group);
    }
  }

  /** Known tags first: a new one may have the old name of a known one. */
  async put(entries: readonly Entry[], skip: (key: string, problem: string) => void): Promise<void> {
    const fresh: [group: G, tag: Tag, key: string][] = [];
    for (const [key, record] of entries) {
      if (this.#pace.isDue) await this.#pace.rest();
      const id = idOf(key);
      this.#seen(id);
      const group = this.#groupOf(key);
      if (!isId(id) || !isTagRecord(record)) skip(key, 'it is not a tag');
      else if (group === undefined) skip(key, 'its group is gone');
      else {
        this.touched.add(group);
        const name = this.#namesIn(group).get(id);
        const tag = tagOf(id, record);
        if (name === undefined) fresh.push([group, tag, key]);
        else {
          group.tags.set(name, tag);
          if (name !== tag.name) this.#order.rename(group.tags);
        }
      }
    }
    this.#order.settle();
    for (const [group, tag, key] of fresh) {
      if (this.#pace.isDue) await this.#pace.rest();
      if (group.tags.has(tag.name)) skip(key, `its group has a tag "${tag.name}" already`);
      else this.#order.put(group.tags, tag);
    }
    this.#order.settle();
  }

  #groupOf(key: string): G | undefined {
    return this.#groups.get(Number(key.split('/')[1]));
  }

  #namesIn(group: G): Map<number, string> {
    const namesOf = (): Map<number, string> =>
      new Map(Array.from(group.tags.values(), ({ id, name }) => [id, name]));
    return getOrMake(this.#names, group, namesOf);
  }
}
