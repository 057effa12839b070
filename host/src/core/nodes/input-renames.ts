import type { Rename } from './input-links.ts';
import { type Entry, tagEntry } from '../records/records.ts';
import type { State } from '../records/state.ts';

/** The records of tags that refer to something with another name. */
export function entriesOfRenames(renames: readonly Rename[]): Entry[] {
  return renames.map(({ group, tag }) => tagEntry(group, tag));
}

/** Puts those tags in the place of what they were, once they are stored. */
export function applyRenames(state: State, renames: readonly Rename[]): void {
  for (const { group, tag } of renames) group.tags.set(tag.name, tag);
  for (const group of new Set(renames.map((rename) => rename.group)))
    if ('node' in group) state.ports.runtime.changed(group);
}
