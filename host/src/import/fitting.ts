import { DataType, Limits, type TagInput } from '@tagway/schemas';

/** Tags as they can be taken, and a sentence about each that is changed or left out. */
export interface FittedTags {
  readonly tags: TagInput[];
  readonly notes: readonly string[];
}

/** Numbers of types that are known: those of tags, and three that stand for unsigned integers of 16, 32 and 64 bits. */
const types: ReadonlySet<number> = new Set([...Object.values(DataType), 16, 17, 18]);

/**
 * Leaves out what the family of this API has and Tagway lacks: tags of other types, decimals of texts, which mean nothing, and the
 * end of long descriptions. `place` is the group, as sentences name it.
 */
export function fitTags(given: readonly TagInput[], place: string): FittedTags {
  const notes: string[] = [];
  const tags = given.flatMap((tag) => {
    const name = `"${tag.name}" of ${place}`;
    if (!types.has(tag.type)) {
      notes.push(`The tag ${name} is left out: there are no tags of its type, ${tag.type}, here.`);
      return [];
    }
    const fitted = { ...tag };
    if (tag.type === DataType.STRING && tag.decimal) {
      fitted.decimal = 0;
      notes.push(`The decimal of the tag ${name} is left out: it means nothing for a text.`);
    }
    const description = cut(tag.description ?? '', Limits.tagDescription);
    if (description !== (tag.description ?? '')) {
      fitted.description = description;
      notes.push(`The description of the tag ${name} is cut to its first ${Limits.tagDescription} bytes.`);
    }
    return [fitted];
  });
  return { tags, notes };
}

/** The longest beginning of a text, in whole characters, that fits into a number of bytes of UTF-8. */
function cut(text: string, most: number): string {
  if (Buffer.byteLength(text) <= most) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += Buffer.byteLength(character);
    if (bytes > most) break;
    end += character.length;
  }
  return text.slice(0, end);
}
