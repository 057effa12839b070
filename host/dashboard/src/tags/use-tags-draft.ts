import type { PlanTagsReply } from '@tagway/schemas';
import type { Fields } from '../parts/three-way.ts';
import { useDraft, type Draft } from '../parts/use-draft.ts';
import { applyTags, loadTags, rowOf } from './apply.ts';
import { tagFrom, textOf, type TagText } from './tag-text.ts';

/** Texts of tags by the tags' names. */
export type TagTexts = ReadonlyMap<string, TagText>;

/** A change of many tags that was made, to show it or to undo it. */
export interface MadeChange {
  /** The old names of the tags, in the order of the reply's rows. */
  readonly names: readonly string[];
  readonly reply: PlanTagsReply;
  readonly before: TagTexts;
  /** By the new names. */
  readonly after: TagTexts;
}

interface Options {
  readonly node: string;
  readonly group: string;
  /** The tags when the dialog was opened. */
  readonly tags: TagTexts;
  readonly isWatched: boolean;
  readonly onTake: (tags: TagTexts) => void;
  readonly onSaved: (done: MadeChange) => void;
}

// Fields have no line feed, so the first one of a key ends the field.
const keyOf = (name: string, field: string): string => `${field}\n${name}`;

/** The name and the field of a draft's key. */
export function splitKey(key: string): { readonly name: string; readonly field: keyof TagText } {
  const end = key.indexOf('\n');
  return { name: key.slice(end + 1), field: key.slice(0, end) as keyof TagText };
}

function flat(tags: TagTexts): Fields {
  const fields: Record<string, string> = {};
  for (const [name, text] of tags)
    for (const [field, value] of Object.entries(text)) fields[keyOf(name, field)] = value;
  return fields;
}

/** The tags that have all fields; another user has deleted the others. */
function texts(fields: Fields): Map<string, TagText> {
  const tags = new Map<string, Record<string, string>>();
  for (const [key, value] of Object.entries(fields)) {
    const { name, field } = splitKey(key);
    const text = tags.get(name) ?? {};
    text[field] = value as string;
    tags.set(name, text);
  }
  for (const [name, text] of tags)
    if (text['name'] === undefined || text['type'] === undefined) tags.delete(name);
  return tags as unknown as Map<string, TagText>;
}

/** As `useDraft`, for many tags of a group that are changed in one request. The gateway changes all of them or none. */
export function useTagsDraft(
  options: Options,
): Draft & { readonly saveTags: (tags: TagTexts) => Promise<void> } {
  const { node, group, tags, isWatched, onTake, onSaved } = options;
  const draft = useDraft({
    opened: flat(tags),
    isWatched,
    load: async () => {
      const { value, revision } = await loadTags(node, group);
      const present = value.tags.filter(({ name }) => tags.has(name));
      return { value: flat(new Map(present.map((tag) => [tag.name, textOf(tag)]))), revision };
    },
    send: async (fields, revision) => {
      const wanted = texts(fields);
      const rows = Array.from(wanted, ([name, text]) => rowOf(name, tagFrom(text).tag));
      const applied = await applyTags({ node, group, tags: rows, mode: 'update' }, revision);
      const done = {
        names: [...wanted.keys()],
        reply: applied.value,
        before: tags,
        after: new Map(Array.from(wanted.values(), (text) => [text.name, text])),
      };
      return { value: done, revision: applied.revision };
    },
    onTake: (fields, isTyped) => {
      if (!isTyped) onTake(texts(fields));
    },
    onSaved,
  });
  return { ...draft, saveTags: (wanted) => draft.save(flat(wanted)) };
}
