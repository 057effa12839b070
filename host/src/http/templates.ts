import { type AddTemplateBody, ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Template } from '../core/model.ts';
import { byteLength } from '../core/names.ts';
import type { TemplateBody } from '../core/template-drafts.ts';
import type { Revised } from './revisions.ts';
import { withBody, withQuery, type Endpoints } from './route.ts';
import { tagErrors, templateErrors } from './shared-errors.ts';
import { tagBodies } from './tag-body.ts';
import { tagReply } from './tags.ts';

const instanceErrors = [
  'NODE_EXISTS',
  'NODE_NAME_EMPTY',
  'LIBRARY_NOT_FOUND',
  'LIBRARY_OPEN_FAILED',
  'LIBRARY_NO_INSTANCE',
  'LICENSE_DISABLED',
  'LICENSE_MAX_NODES',
  'LICENSE_MAX_TAGS',
  'TEMPLATE_NOT_FOUND',
  'TEMPLATE_NAME_TOO_LONG',
] as const;

/** Where something is wrong with a tag of a template, the family of this API answers as if the rest were in place. */
const tagStatuses = Object.fromEntries(tagErrors.map((name) => [name, 206]));

/** What the endpoints that take a batch of tags have in common. */
const tagBatch = {
  errors: ['GROUP_NOT_FOUND', 'LIBRARY_NOT_FOUND', 'LIBRARY_OPEN_FAILED', ...templateErrors, ...tagErrors],
  statuses: tagStatuses,
  values: true,
} as const;

/** Section 4.9: templates as a whole. */
export function templateEndpoints({ templates }: Gateway): Endpoints {
  const instantiate = (nodes: readonly { name: string; node: string }[]): Promise<void> =>
    templates.instantiate(nodes.map(({ name, node }) => ({ template: name, node })));
  const show = (name: string | undefined): object => {
    if (name !== undefined) return templateReply(templates, templates.get(checked(name)));
    const all = templates.list();
    return {
      templates: all.map((template) => ({ name: template.name, plugin: templates.pluginName(template) })),
    };
  };
  const revision = ({ name }: { readonly name?: string }): Revised => ({ shown: show(name) });
  return {
    'GET /api/v2/template': withQuery(
      'TemplateQuery',
      {
        role: 'viewer',
        summary: 'Lists the templates, or shows one.',
        reply: ['TemplatesReply', 'TemplateReply'],
        errors: ['TEMPLATE_NOT_FOUND'],
        revision,
      },
      ({ name }) => show(name),
    ),

    'POST /api/v2/template': withBody(
      'AddTemplateBody',
      {
        role: 'engineer',
        summary: 'Adds a template as a whole.',
        errors: [
          'GROUP_EXISTS',
          'GROUP_PARAM_INVALID',
          'GROUP_NAME_TOO_LONG',
          'TAG_NAME_CONFLICT',
          'LIBRARY_OPEN_FAILED',
          'TEMPLATE_EXISTS',
          'TEMPLATE_NAME_TOO_LONG',
          'PLUGIN_NAME_TOO_LONG',
          'PLUGIN_NOT_FOUND',
          'TEMPLATES_UNSUPPORTED',
          ...tagErrors,
        ],
        statuses: tagStatuses,
        values: true,
      },
      async (body) => templates.add(await templateOf(body)),
    ),

    'DELETE /api/v2/template': withQuery(
      'TemplateQuery',
      {
        role: 'engineer',
        summary: 'Deletes one template, or all.',
        errors: ['BUSY', 'TEMPLATE_NOT_FOUND'],
        revision,
      },
      ({ name }) => (name === undefined ? templates.deleteAll() : templates.delete(checked(name))),
    ),

    'POST /api/v2/template/inst': withBody(
      'TemplateInstance',
      { role: 'engineer', summary: 'Makes a driver node of a template.', errors: instanceErrors },
      (instance) => instantiate([instance]),
    ),

    'POST /api/v2/template/instances': withBody(
      'TemplateInstancesBody',
      {
        role: 'engineer',
        summary: 'Makes driver nodes of templates, or none when one is refused.',
        errors: instanceErrors,
      },
      ({ nodes }) => instantiate(nodes),
    ),
  };
}

/** A template as the API shows it. */
export function templateReply(templates: Gateway['templates'], template: Template): object {
  const groups = Array.from(template.groups.values(), ({ name, interval, tags }) => ({
    name,
    interval,
    tags: Array.from(tags.values(), tagReply),
  }));
  return { name: template.name, plugin: templates.pluginName(template), groups };
}

/** A template as the core takes it. Rejects as `tagBodies` does. */
export async function templateOf({ name, plugin, groups }: AddTemplateBody): Promise<TemplateBody> {
  const bodies: TemplateBody['groups'][number][] = [];
  for (const group of groups) bodies.push({ ...group, tags: await tagBodies(group.tags) });
  return { name, plugin, groups: bodies };
}

/** Their groups. */
export function templateGroupEndpoints({ templateGroups }: Gateway): Endpoints {
  const list = (template: string): Revised => ({
    shown: {
      groups: templateGroups
        .list(checked(template))
        .map(({ name, interval, tags }) => ({ name, interval, tag_count: tags.size })),
    },
  });
  const revision = ({ template }: { readonly template: string }): Revised => list(template);
  return {
    'GET /api/v2/template/group': withQuery(
      'TemplateGroupsQuery',
      {
        role: 'viewer',
        summary: 'Lists the groups of a template.',
        reply: 'GroupsReply',
        errors: ['TEMPLATE_NOT_FOUND'],
        revision: ({ name }) => list(name),
      },
      ({ name }) => list(name).shown,
    ),

    'POST /api/v2/template/group': withBody(
      'AddTemplateGroupBody',
      {
        role: 'engineer',
        summary: 'Adds a group to a template.',
        errors: ['GROUP_EXISTS', 'GROUP_PARAM_INVALID', ...templateErrors],
        revision,
      },
      ({ template, group, interval }) => templateGroups.add(template, group, interval),
    ),

    'PUT /api/v2/template/group': withBody(
      'UpdateTemplateGroupBody',
      {
        role: 'engineer',
        summary: 'Renames a group of a template, changes its interval or both.',
        errors: ['GROUP_EXISTS', 'GROUP_PARAM_INVALID', 'GROUP_NOT_FOUND', ...templateErrors],
        revision,
      },
      ({ template, group, new_name: newName, interval }) =>
        templateGroups.update(template, group, { newName, interval }),
    ),

    'DELETE /api/v2/template/group': withBody(
      'DeleteTemplateGroupBody',
      {
        role: 'engineer',
        summary: 'Deletes a group of a template and its tags.',
        errors: ['GROUP_NOT_FOUND', ...templateErrors],
        revision,
      },
      ({ template, group }) => templateGroups.delete(template, group),
    ),
  };
}

/** And the tags of these. */
export function templateTagEndpoints({ templateTags }: Gateway): Endpoints {
  const list = (template: string, group: string, name?: string): object => ({
    tags: templateTags.list(checked(template), checked(group), name && checked(name)).map(tagReply),
  });
  const revision = ({ template, group }: { readonly template: string; readonly group: string }): Revised => ({
    shown: list(template, group),
  });
  return {
    'GET /api/v2/template/tag': withQuery(
      'TemplateTagsQuery',
      {
        role: 'viewer',
        summary: 'Lists the tags of a group of a template.',
        reply: 'TagsReply',
        errors: ['GROUP_NOT_FOUND', 'TEMPLATE_NOT_FOUND'],
        revision,
      },
      ({ template, group, name }) => list(template, group, name),
    ),

    'POST /api/v2/template/tag': withBody(
      'TemplateTagsBody',
      {
        role: 'engineer',
        summary: 'Adds tags to a template up to the first bad one.',
        reply: 'TagsBatchReply',
        ...tagBatch,
        errors: ['TAG_NAME_CONFLICT', ...tagBatch.errors],
        revision,
      },
      async ({ template, group, tags }) => templateTags.add(template, group, await tagBodies(tags)),
    ),

    'PUT /api/v2/template/tag': withBody(
      'TemplateTagsBody',
      {
        role: 'engineer',
        summary: 'Replaces tags of a template up to the first bad one.',
        reply: 'TagsBatchReply',
        ...tagBatch,
        errors: ['TAG_NOT_FOUND', ...tagBatch.errors],
        revision,
      },
      async ({ template, group, tags }) => templateTags.update(template, group, await tagBodies(tags)),
    ),

    'DELETE /api/v2/template/tag': withBody(
      'DeleteTemplateTagsBody',
      {
        role: 'engineer',
        summary: 'Deletes tags of a template; missing ones are no error.',
        errors: ['GROUP_NOT_FOUND', 'TAG_NAME_TOO_LONG', ...templateErrors],
        statuses: tagStatuses,
        revision,
      },
      ({ template, group, tags }) => templateTags.delete(template, group, tags),
    ),
  };
}

/** A name in a query. Throws PARAM_INVALID when it is too long for anything to have it. */
function checked(name: string): string {
  if (byteLength(name) > Limits.templateName)
    throw new Fault(ErrorCode.PARAM_INVALID, 'A name in the query is too long.');
  return name;
}
