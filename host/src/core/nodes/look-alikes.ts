import { ErrorCode } from '@tagway/schemas';
import type { Plugin } from '../model.ts';
import { Refusal, sentence } from '../system/sentence.ts';

type NamedPlugin = Pick<Plugin, 'id' | 'name'>;

// Only what is not ASCII is compared by its looks: `1` and `l`, `0` and `O` stay different in names such as "Line 1".
const foreign = /[\u0080-\u{10ffff}]+/gu;

/** In what names that look the same may differ. */
const likeness =
  'by letters of another script, by capital letters, by the width of letters or by spaces alone';

/**
 * Gives a key that is equal for those of `names` that look the same: without case, width of letters, spaces, invisible characters and the
 * script of letters that look like Latin ones.
 */
export async function looks(names: readonly string[]): Promise<(name: string) => string> {
  const latin = names.some((name) => name.search(foreign) >= 0) ? await latinLooks() : String;
  return (name) =>
    name
      .normalize('NFKC')
      .replaceAll(foreign, latin)
      .toLowerCase()
      .replaceAll(foreign, latin)
      .replaceAll(/[\p{White_Space}\p{Cf}]/gu, '');
}

/** Sentences about those of `names` that look like the name of another node, in `others` or before them in `names`. */
export async function lookAlikes(
  names: readonly string[],
  others: readonly string[] = [],
): Promise<string[]> {
  const looksOf = await looks([...others, ...names]);
  const seen = new Map(others.map((name) => [looksOf(name), name]));
  const sentences: string[] = [];
  for (const name of names) {
    const key = looksOf(name);
    const other = seen.get(key) ?? name;
    if (other !== name)
      sentences.push(
        `The name "${name}" looks the same to people as that of the node "${other}": they differ ${likeness}. Rename one of them.`,
      );
    seen.set(key, name);
  }
  return sentences;
}

/** Rejects with MODULE_EXISTS when the name of a plugin is that of another one, or looks like it. */
export async function checkPluginName(plugin: NamedPlugin, all: readonly NamedPlugin[]): Promise<void> {
  const looksOf = await looks(all.map(({ name }) => name).concat(plugin.name));
  const namesake = all.find(({ id, name }) => id !== plugin.id && looksOf(name) === looksOf(plugin.name));
  if (namesake !== undefined) throw nameTaken(plugin, namesake);
}

/** Why a plugin cannot have its name: another one has it, or one that looks the same. */
function nameTaken({ id, name }: NamedPlugin, other: NamedPlugin): Refusal {
  return new Refusal(
    ErrorCode.MODULE_EXISTS,
    other.name === name
      ? sentence`The name "${name}" is taken by the plugin "${other.id}"; this one is "${id}".`
      : sentence`The name "${name}" is taken by the plugin "${other.id}"; this one is "${id}". Names that differ by letters of another script, by capital letters, by the width of letters or by spaces alone, as from "${other.name}", look the same to people.`,
  );
}

/** Writes letters as the Latin ones that they look like. Unicode's data for it are loaded when there is a name that needs them. */
async function latinLooks(): Promise<(text: string) => string> {
  return (await import('unhomoglyph')).default;
}
