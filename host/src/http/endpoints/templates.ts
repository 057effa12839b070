import { type AddTemplateBody, ErrorCode, type ErrorName, Limits } from '@tagway/schemas';
import { groupChange, listOf, namesOf } from '../audit/wording.ts';
import { shownHistory } from './groups.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { Template } from '../../core/model.ts';
import type { Condition } from '../../core/records/state.ts';
import type { TemplateBody } from '../../core/templates/template-drafts.ts';
import type { Context } from '../request.ts';
import type { Revised } from '../revisions.ts';
import { withBody, withQuery, type Endpoint, type Endpoints } from '../route.ts';
import { tagErrors, templateErrors } from './shared-errors.ts';
import { tagBodies } from '../body/tag-body.ts';
import { warnOfLooks } from '../warnings.ts';
import { tagReply } from './tags.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import { paceMembers } from '../../core/tags/group-pace.ts';

const instanceErrors = [
  'NODE_EXISTS',
  'NODE_NAME_EMPTY',
  'LIBRARY_NOT_FOUND',
  'LIBRARY_OPEN_FAILED',
  'LIBRARY_NO_INSTANCE',
  'LICENSE_DISABLED',
  'LICENSE_MAX_NODES',
  'LICENSE_MAX_TAGS',
  'TAG_ADDRESS_INVALID',
  'TEMPLATE_NOT_FOUND',
  'TEMPLATE_NAME_TOO_LONG',
] as const;

/** Where a tag of a template is refused, the family of this API answers with the status of a batch that was applied in part. */
const tagStatuses = Object.fromEntries(tagErrors.map((name) => [name, 206]));

/** Section 4.9: templates as a whole. */
export function templateEndpoints({ nodes: all, templates }: Gateway): Endpoints {
  const instantiate = async (
    ctx: Context,
    nodes: readonly { name: string; node: string }[],
    condition?: Condition,
  ): Promise<void> => {
    const instances = nodes.map(({ name, node }) => ({ template: name, node }));
    await templates.instantiate(instances, condition);
    await warnOfLooks(
      ctx,
      all,
      nodes.map(({ node }) => node),
    );
  };
  const show = (name: string | undefined): object => {
    if (name !== undefined) return templateReply(templates, templates.get(checked(name)));
    return {
      templates: templates
        .list()
        .map((template) => ({ name: template.name, plugin: templates.pluginName(template) })),
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
        audit: ({ name }) => `added the template "${name}"`,
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
        audit: ({ name }) =>
          name === undefined ? 'deleted all templates' : `deleted the template "${name}"`,
        errors: ['BUSY', 'TEMPLATE_NOT_FOUND'],
        revision,
      },
      ({ name }, _ctx, condition) =>
        name === undefined ? templates.deleteAll(condition) : templates.delete(checked(name), condition),
    ),

    'POST /api/v2/template/inst': withBody(
      'TemplateInstance',
      {
        role: 'engineer',
        summary: 'Makes a driver node of a template.',
        audit: ({ name, node }) => `made the node "${node}" of the template "${name}"`,
        errors: instanceErrors,
        revision,
      },
      (instance, ctx, condition) => instantiate(ctx, [instance], condition),
    ),

    'POST /api/v2/template/instances': withBody(
      'TemplateInstancesBody',
      {
        role: 'engineer',
        summary: 'Makes driver nodes of templates, or none when one is refused.',
        audit: ({ nodes }) => `made nodes of templates: ${listOf(nodes.map(({ node }) => node))}`,
        errors: instanceErrors,
      },
      ({ nodes }, ctx) => instantiate(ctx, nodes),
    ),
  };
}

/** A template as the API shows it. */
export function templateReply(templates: Gateway['templates'], template: Template): object {
  const groups = Array.from(template.groups.values(), ({ name, interval, history, pace, tags }) => ({
    name,
    interval,
    ...shownHistory(history),
    ...pace,
    tags: Array.from(tags.values(), tagReply),
  }));
  return { name: template.name, plugin: templates.pluginName(template), groups };
}

/** A template as the core takes it. Rejects as `tagBodies` does. */
export async function templateOf({ name, plugin, groups }: AddTemplateBody): Promise<TemplateBody> {
  const bodies: TemplateBody['groups'][number][] = [];
  for (const group of groups)
    bodies.push({
      name: group.name,
      interval: group.interval,
      history: group.history,
      pace: paceMembers(group),
      tags: await tagBodies(group.tags),
    });
  return { name, plugin, groups: bodies };
}

/** Their groups. */
export function templateGroupEndpoints({ templateGroups }: Gateway): Endpoints {
  const list = (template: string): Revised => ({
    shown: {
      groups: templateGroups.list(checked(template)).map(({ name, interval, history, pace, tags }) => ({
        name,
        interval,
        ...shownHistory(history),
        ...pace,
        tag_count: tags.size,
      })),
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
        audit: ({ template, group }) => `added the group "${group}" to the template "${template}"`,
        errors: ['GROUP_EXISTS', 'GROUP_PARAM_INVALID', ...templateErrors],
        revision,
      },
      (body, _ctx, condition) => {
        const { template, group, interval, history } = body;
        return templateGroups.add(template, group, interval, {
          history,
          pace: paceMembers(body),
          condition,
        });
      },
    ),

    'PUT /api/v2/template/group': withBody(
      'UpdateTemplateGroupBody',
      {
        role: 'engineer',
        summary:
          'Renames a group of a template, or changes its interval, its history or when apps get reports of it.',
        audit: (body) =>
          `changed the group "${body.group}" of the template "${body.template}"${groupChange(body)}`,
        errors: ['GROUP_EXISTS', 'GROUP_PARAM_INVALID', 'GROUP_NOT_FOUND', ...templateErrors],
        revision,
      },
      (body, _ctx, condition) => {
        const { template, group, new_name: newName, interval, history } = body;
        const change = { newName, interval, history, pace: paceMembers(body) };
        return templateGroups.update(template, group, change, condition);
      },
    ),

    'DELETE /api/v2/template/group': withBody(
      'DeleteTemplateGroupBody',
      {
        role: 'engineer',
        summary: 'Deletes a group of a template and its tags.',
        audit: ({ template, group }) => `deleted the group "${group}" of the template "${template}"`,
        errors: ['GROUP_NOT_FOUND', ...templateErrors],
        revision,
      },
      ({ template, group }, _ctx, condition) => templateGroups.delete(template, group, condition),
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
  const batch = (what: string, done: string, error: ErrorName, change: 'add' | 'update'): Endpoint =>
    withBody(
      'TemplateTagsBody',
      {
        role: 'engineer',
        summary: `${what} up to the first bad one.`,
        audit: ({ template, group, tags }) =>
          `${done} the group "${group}" of the template "${template}": ${namesOf(tags)}`,
        reply: 'TagsBatchReply',
        errors: [
          error,
          'GROUP_NOT_FOUND',
          'LIBRARY_NOT_FOUND',
          'LIBRARY_OPEN_FAILED',
          ...templateErrors,
          ...tagErrors,
        ],
        statuses: tagStatuses,
        values: true,
        revision,
      },
      async ({ template, group, tags }, _ctx, condition) =>
        templateTags[change](template, group, await tagBodies(tags), condition),
    );
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

    'POST /api/v2/template/tag': batch(
      'Adds tags to a template',
      'added tags to',
      'TAG_NAME_CONFLICT',
      'add',
    ),

    'PUT /api/v2/template/tag': batch(
      'Replaces tags of a template',
      'changed tags of',
      'TAG_NOT_FOUND',
      'update',
    ),

    'DELETE /api/v2/template/tag': withBody(
      'DeleteTemplateTagsBody',
      {
        role: 'engineer',
        summary: 'Deletes tags of a template; missing ones are no error.',
        audit: ({ template, group, tags }) =>
          `deleted tags of the group "${group}" of the template "${template}": ${listOf(tags)}`,
        errors: ['GROUP_NOT_FOUND', 'TAG_NAME_TOO_LONG', ...templateErrors],
        statuses: tagStatuses,
        revision,
      },
      ({ template, group, tags }, _ctx, condition) => templateTags.delete(template, group, tags, condition),
    ),
  };
}

/** A name in a query. Throws PARAM_INVALID when it is too long for anything to have it. */
function checked(name: string): string {
  if (Buffer.byteLength(name) > Limits.templateName)
    throw new Refusal(ErrorCode.PARAM_INVALID, sentence`A name in the query is too long.`);
  return name;
}
