import { ErrorCode } from '@tagway/schemas';
import type { TagDraft } from '@tagway/sdk';
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

/** What the manifest alone says of tags, without a runner: 0, TAG_TYPE_UNSUPPORTED or TAG_ADDRESS_INVALID for each. */
export function checkPatterns(plugin: Plugin, tags: readonly TagDraft[]): number[] {
  const patterns = patternsOf(plugin);
  return tags.map(({ type, address }) => {
    const expressions = patterns.get(type);
    if (!expressions) return ErrorCode.TAG_TYPE_UNSUPPORTED;
    return expressions.some((expression) => expression.test(address)) ? 0 : ErrorCode.TAG_ADDRESS_INVALID;
  });
}
