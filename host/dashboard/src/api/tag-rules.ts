import { NodeType, type SchemaReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from './call.ts';
import { useNodes, usePlugins } from './queries.ts';

/** What a driver's plugin says of the addresses of tags. */
export interface TagRules {
  /** Name of the plugin's schema; empty where the plugin is not there. */
  readonly schema: string;
  /** They are still on their way: what is checked now is to be checked again. */
  readonly isPending: boolean;
  /** How the address of a tag of a type is written; types that are not in it are not supported. Undefined: not known. */
  readonly addresses: ReadonlyMap<number, RegExp> | undefined;
}

/** The rules for the tags of a driver, by which a form tells what is wrong before the gateway does. */
export function useTagRules(node: string): TagRules {
  const nodes = useNodes(NodeType.DRIVER);
  const plugins = usePlugins();
  const name = nodes.data?.find((one) => one.name === node)?.plugin;
  const schema = plugins.data?.find((plugin) => plugin.name === name)?.schema ?? '';
  const { data, isLoading } = useQuery({
    queryKey: ['schema', schema],
    queryFn: () => call<SchemaReply>('GET', 'api/v2/schema', { query: { schema_name: schema } }),
    enabled: schema !== '',
    staleTime: Infinity,
  });
  const isPending = nodes.isPending || plugins.isPending || isLoading;
  return useMemo(() => ({ schema, isPending, addresses: patterns(data) }), [schema, isPending, data]);
}

function patterns(schema: SchemaReply | undefined): TagRules['addresses'] {
  const rules = schema?.tag_regex;
  if (rules === undefined || rules.length === 0) return undefined;
  return new Map(rules.flatMap(({ type, regex }) => pattern(type, regex)));
}

/** A pattern that this browser cannot read leaves the address to the gateway. */
function pattern(type: number, regex: string): [number, RegExp][] {
  try {
    return [[type, new RegExp(regex, 'u')]];
  } catch {
    return [[type, /^/]];
  }
}
