import { ErrorCode, Limits, shownAlarm, withShownAlarm } from '@tagway/schemas';
import type { Group, Tag } from '../model.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** Undefined when its alarm keeps its name. Throws TAG_ADDRESS_TOO_LONG when the address has no room for the new one. */
function following(group: Group, tag: Tag, names: ReadonlyMap<string, string>): Tag | undefined {
  const name = names.get(shownAlarm(tag.address) ?? '');
  if (name === undefined) return undefined;
  const address = withShownAlarm(tag.address, name);
  const { longestAddress = Limits.tagAddress } = group.node.plugin;
  const length = Buffer.byteLength(address);
  if (length > longestAddress)
    throw new Refusal(
      ErrorCode.TAG_ADDRESS_TOO_LONG,
      sentence`The tag "${tag.name}" of the group "${group.name}" refers to it, and would have an address of ${length} bytes of UTF-8; ${longestAddress} are allowed.`,
    );
  return { ...tag, address };
}

/** The tags of a group, as they are now or are to be, whose alarms get other names, from the old one to the new one: `tag` goes on showing what `before` shows. */
export function followers(
  group: Group,
  tags: Iterable<Tag>,
  names: ReadonlyMap<string, string>,
): { readonly group: Group; readonly before: Tag; readonly tag: Tag }[] {
  if (names.size === 0 || !showsAlarms(group)) return [];
  return Array.from(tags).flatMap((before) => {
    const tag = following(group, before, names);
    return tag === undefined ? [] : { group, before, tag };
  });
}

/** Throws GROUP_SUBSCRIBED when other tags of the group than these show the alarm of one of them. */
export function checkNotShown(group: Group, tags: ReadonlySet<string>): void {
  if (!showsAlarms(group)) return;
  for (const { address, name } of group.tags.values()) {
    const shown = shownAlarm(address);
    if (shown === undefined || !tags.has(shown) || tags.has(name)) continue;
    const what = sentence`The tag "${shown}" of the group "${group.name}"`;
    const owner = sentence`"${group.node.name}" (group "${group.name}")`;
    throw new Refusal(
      ErrorCode.GROUP_SUBSCRIBED,
      sentence`${what} of "${group.node.name}" is read by the tag "${name}" of ${owner}; change that first.`,
    );
  }
}

/** The addresses of a plugin that is missing may name alarms, too. */
function showsAlarms({ node: { plugin } }: Group): boolean {
  return plugin.inputs === true || plugin.absent === true;
}
