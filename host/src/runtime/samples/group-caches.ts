import type { Group } from '../../core/model.ts';
import { getOrMake } from '../../core/system/get-or-make.ts';
import { GroupCache } from './group-cache.ts';

/** The caches of all groups, made when they are first asked for. */
export class GroupCaches {
  readonly #caches = new Map<number, GroupCache>();

  of(group: Group): GroupCache {
    return getOrMake(this.#caches, group.id, () => new GroupCache(group));
  }

  /** By the number of the group; undefined before the first use, or when the group was deleted. */
  get(id: number): GroupCache | undefined {
    return this.#caches.get(id);
  }

  delete(id: number): void {
    this.#caches.delete(id);
  }
}
