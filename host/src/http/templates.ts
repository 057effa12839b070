import { ErrorCode, Limits } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Template } from '../core/model.ts';
import { byteLength } from '../core/names.ts';
import { withBody, withQuery, type Route } from './route.ts';
import { tagBodies } from './tag-body.ts';
import { tagReply } from './tags.ts';

/** Section 4.9. */
export function templateRoutes(gateway: Gateway): Route[] {
  return [...wholeTemplateRoutes(gateway), ...templateGroupRoutes(gateway), ...templateTagRoutes(gateway)];
}

function wholeTemplateRoutes({ templates }: Gateway): Route[] {
  const instantiate = (nodes: readonly { name: string; node: string }[]): Promise<void> =>
    templates.instantiate(nodes.map(({ name, node }) => ({ template: name, node })));
  return [
    withBody(
      'POST',
      '/api/v2/template',
      'AddTemplateBody',
      async ({ name, plugin, groups }) => {
        const checked = groups.map((group) => ({ ...group, tags: tagBodies(group.tags) }));
        await templates.add({ name, plugin, groups: checked });
        return undefined;
      },
      { values: true },
    ),

    withQuery('DELETE', '/api/v2/template', 'TemplateQuery', async ({ name }) => {
      if (name === undefined) await templates.deleteAll();
      else await templates.delete(checked(name));
      return undefined;
    }),

    withQuery('GET', '/api/v2/template', 'TemplateQuery', ({ name }) => {
      const summary = (template: Template): { name: string; plugin: string } => ({
        name: template.name,
        plugin: templates.pluginName(template),
      });
      if (name === undefined) return { templates: templates.list().map(summary) };
      const template = templates.get(checked(name));
      const groups = Array.from(template.groups.values(), ({ name, interval, tags }) => ({
        name,
        interval,
        tags: Array.from(tags.values(), tagReply),
      }));
      return { ...summary(template), groups };
    }),

    withBody('POST', '/api/v2/template/inst', 'TemplateInstance', async (instance) => {
      await instantiate([instance]);
      return undefined;
    }),

    withBody('POST', '/api/v2/template/instances', 'TemplateInstancesBody', async ({ nodes }) => {
      await instantiate(nodes);
      return undefined;
    }),
  ];
}

function templateGroupRoutes({ templateGroups }: Gateway): Route[] {
  return [
    withBody(
      'POST',
      '/api/v2/template/group',
      'AddTemplateGroupBody',
      async ({ template, group, interval }) => {
        await templateGroups.add(template, group, interval);
        return undefined;
      },
    ),

    withBody('DELETE', '/api/v2/template/group', 'DeleteTemplateGroupBody', async ({ template, group }) => {
      await templateGroups.delete(template, group);
      return undefined;
    }),

    withBody(
      'PUT',
      '/api/v2/template/group',
      'UpdateTemplateGroupBody',
      async ({ template, group, new_name, interval }) => {
        await templateGroups.update(template, group, {
          ...(new_name === undefined ? {} : { newName: new_name }),
          ...(interval === undefined ? {} : { interval }),
        });
        return undefined;
      },
    ),

    withQuery('GET', '/api/v2/template/group', 'TemplateGroupsQuery', ({ name }) => ({
      groups: templateGroups
        .list(checked(name))
        .map(({ name, interval, tags }) => ({ name, interval, tag_count: tags.size })),
    })),
  ];
}

function templateTagRoutes({ templateTags }: Gateway): Route[] {
  return [
    withBody(
      'POST',
      '/api/v2/template/tag',
      'TemplateTagsBody',
      ({ template, group, tags }) => templateTags.add(template, group, tagBodies(tags)),
      { values: true },
    ),

    withBody(
      'PUT',
      '/api/v2/template/tag',
      'TemplateTagsBody',
      ({ template, group, tags }) => templateTags.update(template, group, tagBodies(tags)),
      { values: true },
    ),

    withBody(
      'DELETE',
      '/api/v2/template/tag',
      'DeleteTemplateTagsBody',
      async ({ template, group, tags }) => {
        await templateTags.delete(template, group, tags);
        return undefined;
      },
    ),

    withQuery('GET', '/api/v2/template/tag', 'TemplateTagsQuery', ({ template, group, name }) => {
      const tags = templateTags.list(checked(template), checked(group), name && checked(name));
      return { tags: tags.map(tagReply) };
    }),
  ];
}

/** A name in a query. Throws PARAM_INVALID when it is too long for anything to have it. */
function checked(name: string): string {
  if (byteLength(name) > Limits.templateName)
    throw new Fault(ErrorCode.PARAM_INVALID, 'A name in the query is too long.');
  return name;
}
