import type { GroupsReply, TagRecord, TagsReply, TemplateReply, TemplatesReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call, callRevised, type Revised } from './call.ts';

export type Template = TemplatesReply['templates'][number];

export const useTemplates = (): UseQueryResult<Template[]> =>
  useQuery({
    queryKey: ['templates'],
    queryFn: async () => (await call<TemplatesReply>('GET', 'api/v2/template')).templates,
  });

/** A template as it is now, with the revision that what is made or deleted of it is sent with. */
export const useTemplate = (name: string): UseQueryResult<Revised<TemplateReply>> =>
  useQuery({
    queryKey: ['templates', name, 'whole'],
    queryFn: () => callRevised<TemplateReply>('GET', 'api/v2/template', { query: { name } }),
    enabled: name !== '',
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });

export const useTemplateGroups = (name: string): UseQueryResult<GroupsReply['groups']> =>
  useQuery({
    queryKey: ['templates', name, 'groups'],
    queryFn: async () =>
      (await call<GroupsReply>('GET', 'api/v2/template/group', { query: { name } })).groups,
  });

export const useTemplateTags = (template: string, group: string): UseQueryResult<TagRecord[]> =>
  useQuery({
    queryKey: ['templates', template, 'tags', group],
    queryFn: async () =>
      (await call<TagsReply>('GET', 'api/v2/template/tag', { query: { template, group } })).tags,
  });
