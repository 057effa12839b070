import type {
  GroupsReply,
  NodesReply,
  PluginsReply,
  SettingReply,
  SubscriptionsReply,
  TagsReply,
} from '@tagway/schemas';
import type { NodeType } from '@tagway/schemas';
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query';
import { useCallback } from 'react';
import { ApiError, call, callRevised } from './call.ts';

/** A node: its name, its plugin and whether it is a driver or an app. */
export interface NodeEntry {
  readonly name: string;
  readonly plugin: string;
  readonly type: NodeType;
}

async function listNodes(type: NodeType): Promise<NodeEntry[]> {
  const { nodes } = await call<NodesReply>('GET', 'api/v2/node', { query: { type } });
  return nodes.map(({ name, plugin }) => ({ name, plugin, type }));
}

/** All drivers, or all apps. */
export const useNodes = (type: NodeType): UseQueryResult<NodeEntry[]> =>
  useQuery({ queryKey: ['nodes', type], queryFn: () => listNodes(type) });

const revisedPlugins = {
  queryKey: ['plugins'],
  queryFn: () => callRevised<PluginsReply>('GET', 'api/v2/plugin'),
};

export const usePlugins = (): UseQueryResult<PluginsReply['plugins']> =>
  useQuery({ ...revisedPlugins, select: ({ value }) => value.plugins });

/** The revision of the plugins that `usePlugins` shows; empty before they are there. */
export const usePluginsRevision = (): string => useQuery(revisedPlugins).data?.revision ?? '';

export const useGroups = (node: string): UseQueryResult<GroupsReply['groups']> =>
  useQuery({
    queryKey: ['node', node, 'groups'],
    queryFn: async () => (await call<GroupsReply>('GET', 'api/v2/group', { query: { node } })).groups,
  });

export const useTags = (node: string, group: string): UseQueryResult<TagsReply['tags']> =>
  useQuery({
    queryKey: ['node', node, 'group', group, 'tags'],
    queryFn: async () => (await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } })).tags,
  });

export const useSubscriptions = (app: string): UseQueryResult<SubscriptionsReply['groups']> =>
  useQuery({
    queryKey: ['node', app, 'subscriptions'],
    queryFn: async () =>
      (await call<SubscriptionsReply>('GET', 'api/v2/subscribe', { query: { app } })).groups,
  });

/** The settings of a node; undefined while it has none. */
export const useSettings = (node: string): UseQueryResult<Record<string, unknown> | null> =>
  useQuery({
    queryKey: ['node', node, 'settings'],
    queryFn: async () => {
      try {
        return (await call<SettingReply>('GET', 'api/v2/node/setting', { query: { node } })).params;
      } catch (error) {
        if (error instanceof ApiError && error.code === noSettings) return null;
        throw error;
      }
    },
    // A refetch would overwrite what the user types: the form fetches again itself.
    staleTime: Infinity,
    refetchOnWindowFocus: false,
  });

const noSettings = 2005;

/** Fetches lists again after a change: all queries whose keys begin with one of these. */
export function useRefresh(): (...keys: readonly (readonly unknown[])[]) => Promise<void> {
  const queries = useQueryClient();
  return useCallback(
    async (...keys) => {
      await Promise.all(keys.map((queryKey) => queries.invalidateQueries({ queryKey })));
    },
    [queries],
  );
}
