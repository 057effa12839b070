import { ErrorCode, NodeType } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { State } from './state.ts';
import { problemsOfTags } from './row-checks.ts';
import type { NodeDraft } from './transfer.ts';

/** All that is wrong with the tags of a node that is to be imported. */
export async function faultsOfTags(
  state: State,
  { name, plugin: pluginName, groups }: NodeDraft,
): Promise<Fault[]> {
  const plugin = state.ports.plugins.byName(pluginName);
  if (plugin?.nodeType !== NodeType.DRIVER || plugin.absent === true) return [];
  const faults: Fault[] = [];
  for (const { name: group, tags } of groups) {
    const place = `of the group "${group}" of "${name}"`;
    for (const { index, error, message } of await problemsOfTags(state, plugin, tags))
      faults.push(new Fault(error, `A tag ${place} is refused (tags[${index}]). ${message}`));
    const twice = firstTwice(tags.map((tag) => tag.name));
    if (twice !== undefined)
      faults.push(new Fault(ErrorCode.TAG_NAME_CONFLICT, `The tag "${twice}" ${place} is there twice.`));
  }
  return faults;
}

/** The first text that is there before. */
export function firstTwice(texts: readonly string[]): string | undefined {
  const seen = new Set<string>();
  return texts.find((text) => seen.size === seen.add(text).size);
}
