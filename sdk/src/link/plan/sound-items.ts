import type { Range } from './range.ts';
import type { RefusalMemory } from './refusal-memory.ts';

/** The items of a group, divided into those that the device reads and those that it refuses. */
export interface SoundItems<T extends Range> {
  /** Those that it does not refuse, in their order. */
  readonly sound: readonly T[];
  readonly refused: readonly T[];
  /** Whether no request may reach across the start of this item. */
  readonly cut: (item: T) => boolean;
}

/**
 * Leaves out what a device refuses. A request that reached across a refused place would read it as a gap, so none reaches across the start
 * of an item right behind one, nor across a boundary that the memory has cut. `items` are in the order of their places.
 * @experimental May change until more drivers have used it.
 */
export function soundItems<T extends Range>(
  items: readonly T[],
  memory: RefusalMemory<unknown>,
): SoundItems<T> {
  const sound: T[] = [];
  const refused: T[] = [];
  const barriers = new Set<T>();
  let behindRefused = false;
  for (const item of items) {
    const isRefused = memory.reasonOf(item) !== undefined;
    if (!isRefused && behindRefused) barriers.add(item);
    behindRefused = isRefused;
    (isRefused ? refused : sound).push(item);
  }
  return { sound, refused, cut: (item) => barriers.has(item) || memory.isCut(item) };
}
