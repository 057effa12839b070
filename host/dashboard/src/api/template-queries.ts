import type { GroupsReply, TagRecord, TagsReply, TemplatesReply } from '@tagway/schemas';
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { call } from './call.ts';

export type Template = TemplatesReply['templates'][number];

export const useTemplates = (): UseQueryResult<Template[]> =>
  useQuery({
    queryKey: ['templates'],
    queryFn: async () => (await call<TemplatesReply>('GET', 'api/v2/template')).templates,
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
