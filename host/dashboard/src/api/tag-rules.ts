import { Limits, NodeType, type SchemaReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from './call.ts';
import { useNodes, usePlugins } from './queries.ts';

/** The rules of a driver's plugin for the addresses of tags. */
export interface TagRules {
  /** The rules are not loaded yet: what is checked now has to be checked again. */
  readonly isPending: boolean;
  /** Patterns of addresses by type; a type without a pattern is not supported. Undefined when the patterns are unknown. */
  readonly addresses: ReadonlyMap<number, RegExp> | undefined;
  /** The plugin's examples of addresses, by the type of the tag. */
  readonly examples: ReadonlyMap<number, readonly string[]>;
  /** Bytes of UTF-8 of the longest address. */
  readonly longestAddress: number;
  /** Addresses are expressions over tags of other nodes. */
  readonly refersToTags: boolean;
}

/** The rules for the tags of a driver. With them a form shows errors before it sends anything. */
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
  const record = plugins.data?.find(({ name }) => name === plugin);
  const schema = record?.schema ?? '';
  const longestAddress = record?.address_limit ?? Limits.tagAddress;
  const refersToTags = record?.inputs === true;
  const { data, isLoading } = useQuery({
    queryKey: ['schema', schema],
    queryFn: () => call<SchemaReply>('GET', 'api/v2/schema', { query: { schema_name: schema } }),
    enabled: schema !== '',
    staleTime: Infinity,
  });
  const isPending = plugins.isPending || isLoading;
  return useMemo(
    () => ({
      isPending,
      addresses: patterns(data),
      examples: examplesOf(data),
      longestAddress,
      refersToTags,
    }),
    [isPending, data, longestAddress, refersToTags],
  );
}

function patterns(schema: SchemaReply | undefined): TagRules['addresses'] {
  const rules = schema?.tag_regex;
  if (rules === undefined || rules.length === 0) return undefined;
  return new Map(rules.flatMap(({ type, regex }) => pattern(type, regex)));
}

/** A type may have several patterns, each with its own examples. */
function examplesOf(schema: SchemaReply | undefined): TagRules['examples'] {
  const examples = new Map<number, readonly string[]>();
  for (const { type, examples: own = [] } of schema?.tag_regex ?? [])
    examples.set(type, [...(examples.get(type) ?? []), ...own]);
  return examples;
}

/** For a pattern that this browser cannot compile only the gateway checks the address. */
function pattern(type: number, regex: string): [number, RegExp][] {
  try {
    return [[type, new RegExp(regex, 'u')]];
  } catch {
    return [[type, /^/]];
  }
}
