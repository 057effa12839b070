import type { GroupsReply, TagsReply } from '@tagway/schemas';
import { callRevised, ifMatch } from '../api/call.ts';
import { fieldsOf, type GroupStore } from '../tags/group-form.tsx';
import type { TagStore } from '../tags/tag-form.tsx';
import { textOf } from '../tags/tag-text.ts';

/** Loads and saves the groups of a template. */
export const groupsOfTemplate = (template: string): GroupStore => ({
  load: async (group) => {
    const query = { name: template };
    const { value, revision } = await callRevised<GroupsReply>('GET', 'api/v2/template/group', { query });
    const found = value.groups.find(({ name }) => name === group);
    return { value: found === undefined ? null : fieldsOf(found), revision };
  },
  save: ({ name, ...others }, before, revision) => {
    if (before === undefined)
      return callRevised('POST', 'api/v2/template/group', { body: { template, group: name, ...others } });
    const renamed = name === before ? {} : { new_name: name };
    const body = { template, group: before, ...others, ...renamed };
    return callRevised('PUT', 'api/v2/template/group', { body, headers: ifMatch(revision) });
  },
});

/** Loads and saves the tags of a template's group. The API cannot rename them: a new tag is added and the old one deleted. */
export const tagsOfTemplate = (template: string, group: string): TagStore => ({
  load: async (tag) => {
    const query = { template, group };
    const { value, revision } = await callRevised<TagsReply>('GET', 'api/v2/template/tag', { query });
    const found = value.tags.find(({ name }) => name === tag);
    return { value: found === undefined ? null : textOf(found), revision };
  },
  save: async (tag, before, revision) => {
    const body = { template, group, tags: [tag] };
    const headers = ifMatch(before === undefined ? '' : revision);
    const method = before === tag.name ? 'PUT' : 'POST';
    const saved = await callRevised(method, 'api/v2/template/tag', { body, headers });
    if (before === undefined || before === tag.name) return saved;
    const old = { template, group, tags: [before] };
    return callRevised('DELETE', 'api/v2/template/tag', { body: old, headers: ifMatch(saved.revision) });
  },
});
