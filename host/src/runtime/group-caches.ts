import type { Group } from '../core/model.ts';
import { GroupCache } from './group-cache.ts';

/** The caches of all groups, made when they are first asked for. */
export class GroupCaches {
  readonly #caches = new Map<number, GroupCache>();

  of(group: Group): GroupCache {
    let cache = this.#caches.get(group.id);
    if (!cache) {
      cache = new GroupCache(group);
      this.#caches.set(group.id, cache);
    }
    return cache;
  }

  /** By the number of the group; undefined when nobody has asked for it, or it was deleted. */
  get(id: number): GroupCache | undefined {
    return this.#caches.get(id);
  }

  delete(id: number): void {
    this.#caches.delete(id);
  }
}
