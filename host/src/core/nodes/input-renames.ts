import type { Rename, TagRename } from './input-links.ts';
import { type Entry, keys, nodeRecord, tagEntry } from '../records/records.ts';
import type { State } from '../records/state.ts';

/** The records of tags and of apps that refer to something with another name. */
export function entriesOfRenames(renames: readonly Rename[]): Entry[] {
  return renames.map((rename) =>
    'app' in rename
      ? [keys.node(rename.app.id), nodeRecord({ ...rename.app, params: rename.params })]
      : tagEntry(rename.group, rename.tag),
  );
}

/** Puts those in the place of what they were, once they are stored. */
export function applyRenames(state: State, renames: readonly Rename[]): void {
  const tags: TagRename[] = [];
  for (const rename of renames) {
    if (!('app' in rename)) {
      tags.push(rename);
      continue;
    }
    const { app, params, settings } = rename;
    Object.assign(app, { params, settings });
    state.ports.runtime.reset(app);
  }
  for (const { group, tag } of tags) group.tags.set(tag.name, tag);
  for (const group of new Set(tags.map((rename) => rename.group)))
    if ('node' in group) state.ports.runtime.changed(group);
}
