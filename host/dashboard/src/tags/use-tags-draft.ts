import type { PlanTagsReply } from '@tagway/schemas';
import type { Fields } from '../parts/three-way.ts';
import { useDraft, type Draft } from '../parts/use-draft.ts';
import { applyTags, lookAtTags, rowOf } from './apply.ts';
import { tagFrom, textOf, type TagText } from './tag-text.ts';

/** Tags by what they are called now. */
export type TagTexts = ReadonlyMap<string, TagText>;

/** What was done with many tags, for who wants to see it or to take it back. */
export interface Done {
  /** What the tags were called before, in the order of the reply's rows. */
  readonly names: readonly string[];
  readonly reply: PlanTagsReply;
  readonly before: TagTexts;
  /** By what the tags are called since. */
  readonly after: TagTexts;
}

interface Options {
  readonly node: string;
  readonly group: string;
  /** The tags as they were when somebody began. */
  readonly tags: TagTexts;
  readonly isWatched: boolean;
  readonly onTake: (tags: TagTexts) => void;
  readonly onSaved: (done: Done) => void;
}

// Neither names nor fields have a line feed before this one.
const keyOf = (name: string, field: string): string => `${field}\n${name}`;

/** The name and the field of a key of a draft. */
export function placeOf(key: string): { readonly name: string; readonly field: keyof TagText } {
  const end = key.indexOf('\n');
  return { name: key.slice(end + 1), field: key.slice(0, end) as keyof TagText };
}

function flat(tags: TagTexts): Fields {
  const fields: Record<string, string> = {};
  for (const [name, text] of tags)
    for (const [field, value] of Object.entries(text)) fields[keyOf(name, field)] = value;
  return fields;
}

/** The tags of which all fields are there: the others were deleted meanwhile. */
function texts(fields: Fields): Map<string, TagText> {
  const tags = new Map<string, Record<string, string>>();
  for (const [key, value] of Object.entries(fields)) {
    const { name, field } = placeOf(key);
    const text = tags.get(name) ?? {};
    text[field] = value as string;
    tags.set(name, text);
  }
  for (const [name, text] of tags)
    if (text['name'] === undefined || text['type'] === undefined) tags.delete(name);
  return tags as unknown as Map<string, TagText>;
}

/** As `useDraft`, of many tags of a group that are changed in one request, which the gateway does as a whole or not at all. */
export function useTagsDraft(
  options: Options,
): Draft & { readonly saveTags: (tags: TagTexts) => Promise<void> } {
  const { node, group, tags, isWatched, onTake, onSaved } = options;
  const draft = useDraft({
    opened: flat(tags),
    isWatched,
    look: async () => {
      const { value, revision } = await lookAtTags(node, group);
      const present = value.tags.filter(({ name }) => tags.has(name));
      return { value: flat(new Map(present.map((tag) => [tag.name, textOf(tag)]))), revision };
    },
    send: async (fields, revision) => {
      const wanted = texts(fields);
      const rows = Array.from(wanted, ([name, text]) => rowOf(name, tagFrom(text).tag));
      const applied = await applyTags({ node, group, tags: rows, mode: 'update' }, revision);
      const done = {
        ...{ names: [...wanted.keys()], reply: applied.value, before: tags },
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
