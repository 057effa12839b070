import type { Tag, TagGroup } from './model.ts';
import type { NamedPlaces } from './named-places.ts';
import type { Pace } from './pace.ts';
import { idOf, isId, isTagRecord } from './record-checks.ts';
import { tagOf } from './records.ts';

type Entry = readonly [key: string, record: unknown];

/** Changes of the records of tags, and the groups that they change. */
export class TagRecords<G extends TagGroup> {
  readonly touched = new Set<G>();
  readonly #groups: ReadonlyMap<number, G>;
  readonly #places: NamedPlaces;
  readonly #pace: Pace;
  readonly #seen: (id: number) => void;
  /** Under which names the tags of a group stand there, by their ids. */
  readonly #names = new Map<G, Map<number, string>>();

  /** `seen` is told of every id. */
  constructor(groups: ReadonlyMap<number, G>, places: NamedPlaces, pace: Pace, seen: (id: number) => void) {
    this.#seen = seen;
    this.#groups = groups;
    this.#places = places;
    this.#pace = pace;
  }

  /** What is not there is passed over. */
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

  /** Those that are there first: another may have taken the name that one of them gave up. */
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
          if (name !== tag.name) this.#places.rename(group.tags);
        }
      }
    }
    this.#places.settle();
    for (const [group, tag, key] of fresh) {
      if (this.#pace.isDue) await this.#pace.rest();
      if (group.tags.has(tag.name)) skip(key, `its group has a tag "${tag.name}" already`);
      else this.#places.put(group.tags, tag);
    }
    this.#places.settle();
  }

  #groupOf(key: string): G | undefined {
    return this.#groups.get(Number(key.split('/')[1]));
  }

  #namesIn(group: G): Map<number, string> {
    let names = this.#names.get(group);
    if (names === undefined)
      this.#names.set(
        group,
        (names = new Map(Array.from(group.tags.values(), ({ id, name }) => [id, name]))),
      );
    return names;
  }
}
