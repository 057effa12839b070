import { NodeType, type SchemaReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from './call.ts';
import { useNodes, usePlugins } from './queries.ts';

/** What a driver's plugin says of the addresses of tags. */
export interface TagRules {
  /** They are still on their way: what is checked now is to be checked again. */
  readonly isPending: boolean;
  /** How the address of a tag of a type is written; types that are not in it are not supported. Undefined: not known. */
  readonly addresses: ReadonlyMap<number, RegExp> | undefined;
  /** Addresses by the type of the tag, as the plugin has them for people to look at. */
  readonly examples: ReadonlyMap<number, readonly string[]>;
}

/** The rules for the tags of a driver, by which a form tells what is wrong before the gateway does. */
export function useTagRules(node: string): TagRules {
  const nodes = useNodes(NodeType.DRIVER);
  const plugin = nodes.data?.find((one) => one.name === node)?.plugin;
  const rules = usePluginRules(plugin);
  const isPending = nodes.isPending || rules.isPending;
  return useMemo(() => ({ ...rules, isPending }), [rules, isPending]);
}

/** The rules for the tags of drivers of a plugin. */
export function usePluginRules(plugin: string | undefined): TagRules {
  const plugins = usePlugins();
  const schema = plugins.data?.find(({ name }) => name === plugin)?.schema ?? '';
  const { data, isLoading } = useQuery({
    queryKey: ['schema', schema],
    queryFn: () => call<SchemaReply>('GET', 'api/v2/schema', { query: { schema_name: schema } }),
    enabled: schema !== '',
    staleTime: Infinity,
  });
  const isPending = plugins.isPending || isLoading;
  return useMemo(
    () => ({ isPending, addresses: patterns(data), examples: examplesOf(data) }),
    [isPending, data],
  );
}

function patterns(schema: SchemaReply | undefined): TagRules['addresses'] {
  const rules = schema?.tag_regex;
  if (rules === undefined || rules.length === 0) return undefined;
  return new Map(rules.flatMap(({ type, regex }) => pattern(type, regex)));
}

/** A type may have several patterns, each with examples of its own. */
function examplesOf(schema: SchemaReply | undefined): TagRules['examples'] {
  const examples = new Map<number, readonly string[]>();
  for (const { type, examples: own = [] } of schema?.tag_regex ?? [])
    examples.set(type, [...(examples.get(type) ?? []), ...own]);
  return examples;
}

/** A pattern that this browser cannot read leaves the address to the gateway. */
function pattern(type: number, regex: string): [number, RegExp][] {
  try {
    return [[type, new RegExp(regex, 'u')]];
  } catch {
    return [[type, /^/]];
  }
}
