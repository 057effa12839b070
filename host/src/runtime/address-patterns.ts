import { ErrorCode, PluginKind } from '@tagway/schemas';
import { Fault, type TagDraft } from '@tagway/sdk';
import type { Plugin } from '../core/model.ts';
import type { PatternTest, PatternVerdict } from '../core/ports.ts';

/** What the manifest alone says of tags, without a runner. */
export interface PatternCheck {
  /** The fault of each tag that is refused. */
  readonly faults: readonly (Fault | undefined)[];
  /** A pattern took too long or cannot be tried at all: there is nothing more to be known of the tags that it was for. */
  readonly isStuck: boolean;
}

const patterns = new WeakMap<Plugin, ReadonlyMap<number, readonly string[]>>();

function patternsOf(plugin: Plugin): ReadonlyMap<number, readonly string[]> {
  let byType = patterns.get(plugin);
  if (byType === undefined) {
    const groups = Map.groupBy(plugin.addresses, ({ type }) => type as number);
    byType = new Map([...groups].map(([type, some]) => [type, some.map(({ pattern }) => pattern)]));
    patterns.set(plugin, byType);
  }
  return byType;
}

/** `tryPatterns` tries those of a plugin that does not come with the gateway; the gateway's own are tried at once. */
export async function checkPatterns(
  plugin: Plugin,
  tags: readonly TagDraft[],
  tryPatterns: (tests: readonly PatternTest[]) => Promise<readonly PatternVerdict[]>,
): Promise<PatternCheck> {
  const byType = patternsOf(plugin);
  const tests = tags.flatMap(({ type, address }) => {
    const some = byType.get(type);
    return some === undefined ? [] : [{ patterns: some, text: address }];
  });
  const isOurs = plugin.kind !== PluginKind.CUSTOM;
  const verdicts = isOurs ? tests.map(tryAtOnce) : tests.length === 0 ? [] : await tryPatterns(tests);
  let next = 0;
  const faults = tags.map((tag) => {
    if (byType.has(tag.type)) return faultOf(plugin, tag, verdicts[next++] ?? 'untried');
    return new Fault(
      ErrorCode.TAG_TYPE_UNSUPPORTED,
      `The plugin "${plugin.name}" has no tags of the type that the tag "${tag.name}" asks for.`,
    );
  });
  return { faults, isStuck: verdicts.some((verdict) => verdict !== 'fits' && verdict !== 'differs') };
}

const expressions = new Map<string, RegExp>();

function tryAtOnce({ patterns: some, text }: PatternTest): PatternVerdict {
  const fits = some.some((pattern) => {
    let expression = expressions.get(pattern);
    if (expression === undefined) expressions.set(pattern, (expression = new RegExp(pattern, 'u')));
    return expression.test(text);
  });
  return fits ? 'fits' : 'differs';
}

function faultOf(
  plugin: Plugin,
  { name, address, type }: TagDraft,
  verdict: PatternVerdict,
): Fault | undefined {
  const invalid = (message: string): Fault => new Fault(ErrorCode.TAG_ADDRESS_INVALID, message);
  switch (verdict) {
    case 'fits':
      return undefined;
    case 'differs':
      return invalid(
        `The tag "${name}" has the address "${address}", which the plugin "${plugin.name}" does not understand for a tag of its type.`,
      );
    case 'untried':
      return invalid(
        `The address "${address}" of the tag "${name}" was not checked, as one before it could not be.`,
      );
    default:
      return invalid(
        `The address "${address}" of the tag "${name}" could not be checked: a pattern of the plugin "${plugin.name}" for addresses of this type takes too long (${(patternsOf(plugin).get(type) ?? []).join(' or ')}). Tell the plugin's author.`,
      );
  }
}
