import { ErrorCode } from '@tagway/schemas';
import { Fault, type TagDraft } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';

const compiled = new WeakMap<Plugin, ReadonlyMap<number, readonly RegExp[]>>();

function patternsOf(plugin: Plugin): ReadonlyMap<number, readonly RegExp[]> {
  let patterns = compiled.get(plugin);
  if (!patterns) {
    const byType = new Map<number, RegExp[]>();
    for (const { type, pattern } of plugin.addresses) {
      const expressions = byType.get(type) ?? [];
      expressions.push(new RegExp(pattern, 'u'));
      byType.set(type, expressions);
    }
    patterns = byType;
    compiled.set(plugin, patterns);
  }
  return patterns;
}

/** What the manifest alone says of tags, without a runner: the fault of each that is refused. */
export function checkPatterns(plugin: Plugin, tags: readonly TagDraft[]): (Fault | undefined)[] {
  const patterns = patternsOf(plugin);
  return tags.map(({ name, type, address }) => {
    const expressions = patterns.get(type);
    if (!expressions) {
      return new Fault(
        ErrorCode.TAG_TYPE_UNSUPPORTED,
        `The plugin "${plugin.name}" has no tags of the type that the tag "${name}" asks for.`,
      );
    }
    if (expressions.some((expression) => expression.test(address))) return undefined;
    return new Fault(
      ErrorCode.TAG_ADDRESS_INVALID,
      `The tag "${name}" has the address "${address}", which the plugin "${plugin.name}" does not understand for a tag of its type.`,
    );
  });
}
