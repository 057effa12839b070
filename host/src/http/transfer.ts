import { ErrorCode, NodeType, RunningState, type ConfigBody, type DriversBody } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Node, TagBody } from '../core/model.ts';
import type { NodeDraft } from '../core/transfer.ts';
import { checkParams } from './params.ts';
import { withBody, withQuery, bare, type Endpoints } from './route.ts';
import { groupErrors, tagErrors } from './shared-errors.ts';
import { tagBodies } from './tag-body.ts';
import { tagReply } from './tags.ts';
import { templateOf, templateReply } from './templates.ts';
import { warnOfSettings } from './warnings.ts';

const importErrors = [
  ...groupErrors,
  'NODE_SETTING_INVALID',
  'NODE_NAME_EMPTY',
  'GROUP_EXISTS',
  'GROUP_PARAM_INVALID',
  'TAG_NAME_CONFLICT',
  'LIBRARY_NOT_FOUND',
  'LIBRARY_OPEN_FAILED',
  'LICENSE_DISABLED',
  'LICENSE_MAX_NODES',
  'LICENSE_MAX_TAGS',
  ...tagErrors,
] as const;

const templateImportErrors = [
  'TEMPLATE_EXISTS',
  'TEMPLATE_NAME_TOO_LONG',
  'TEMPLATES_UNSUPPORTED',
  'PLUGIN_NAME_TOO_LONG',
  'PLUGIN_NOT_FOUND',
] as const;

/** Export and import of the whole configuration, and of drivers. */
export function transferEndpoints({ nodes, plugins, templates, transfer }: Gateway): Endpoints {
  return {
    'GET /api/v2/global/config': bare(
      { role: 'viewer', summary: 'Gives the whole configuration.', reply: 'ConfigReply' },
      () => ({
        ...configOf(nodes.all()),
        templates: templates.list().map((template) => templateReply(templates, template)),
      }),
    ),

    'PUT /api/v2/global/config': withBody(
      'ConfigBody',
      {
        role: 'engineer',
        summary:
          'Replaces the whole configuration, or nothing when something is wrong with it. Without templates those that are there stay.',
        errors: [...importErrors, ...templateImportErrors, 'NODE_NOT_SUBSCRIBABLE'],
        values: true,
      },
      (body, ctx) => {
        const pluginOf = new Map(body.nodes.map(({ name, plugin }) => [name, plugin]));
        for (const [index, { node, params }] of body.settings.entries())
          warnOfSettings(ctx, plugins.byName(pluginOf.get(node) ?? ''), params, `settings[${index}].params`);
        const subscriptions = body.subscriptions.map(({ app, driver, group, params }) => {
          checkParams(params);
          return { app, driver, group, params };
        });
        return transfer.replaceAll(nodesOf(body), subscriptions, body.templates?.map(templateOf));
      },
    ),

    'GET /api/v2/global/drivers': withQuery(
      'DriversQuery',
      {
        role: 'viewer',
        summary: 'Gives drivers with their settings, groups and tags.',
        reply: 'DriversReply',
      },
      ({ name }) => {
        const wanted = name ? new Set(name.split(',')) : undefined;
        const drivers = nodes.list(NodeType.DRIVER).filter((node) => wanted?.has(node.name) ?? true);
        return { nodes: drivers.map(driverReply) };
      },
    ),

    'PUT /api/v2/global/drivers': withBody(
      'DriversBody',
      {
        role: 'engineer',
        summary:
          'Adds drivers or replaces those of the same names, or nothing when something is wrong with one.',
        errors: [...importErrors, 'NODE_EXISTS', 'GROUP_LIMIT', 'PLUGIN_TYPE_UNSUPPORTED'],
        values: true,
      },
      (body, ctx) => {
        for (const [index, { plugin, params }] of body.nodes.entries())
          warnOfSettings(ctx, plugins.byName(plugin), params, `nodes[${index}].params`);
        return transfer.replaceDrivers(body.nodes.map(driverOf));
      },
    ),
  };
}

function configOf(nodes: readonly Node[]): object {
  const groups = nodes.flatMap((node) => [...node.groups.values()]);
  return {
    nodes: nodes.map(({ name, plugin, running }) => ({ name, plugin: plugin.name, running })),
    groups: groups.map(({ node, name, interval, tags }) => ({
      driver: node.name,
      group: name,
      interval,
      tag_count: tags.size,
    })),
    tags: groups.map(({ node, name, tags }) => ({
      driver: node.name,
      group: name,
      tags: Array.from(tags.values(), tagReply),
    })),
    subscriptions: nodes.flatMap(({ name, subscriptions }) =>
      Array.from(subscriptions.values(), ({ group, params }) => ({
        ...{ app: name, driver: group.node.name, group: group.name },
        ...(params === undefined ? {} : { params }),
      })),
    ),
    settings: nodes.flatMap(({ name, params }) => (params === undefined ? [] : [{ node: name, params }])),
  };
}

function driverReply({ name, plugin, params, groups }: Node): object {
  return {
    ...{ name, plugin: plugin.name },
    ...(params === undefined ? {} : { params }),
    groups: Array.from(groups.values(), (group) => ({
      group: group.name,
      interval: group.interval,
      tags: Array.from(group.tags.values(), tagReply),
    })),
  };
}

function driverOf({ name, plugin, params, groups = [] }: DriversBody['nodes'][number]): NodeDraft {
  checkParams(params);
  return {
    ...{ name, plugin, params, isStopped: false },
    groups: groups.map((group) => ({
      name: group.group ?? group.name ?? '',
      interval: group.interval,
      tags: tagBodies(group.tags ?? []),
    })),
  };
}

/** The nodes of a configuration with what its other lists say of them. */
function nodesOf(body: ConfigBody): NodeDraft[] {
  const groups = new Map<string, Map<string, { interval: number; tags: TagBody[] }>>();
  for (const { name } of body.nodes) groups.set(name, new Map());
  const of = (driver: string) =>
    groups.get(driver) ?? refuse(ErrorCode.NODE_NOT_FOUND, `There is no node "${driver}".`);

  for (const { driver, group, interval } of body.groups) {
    const present = of(driver);
    if (present.has(group))
      refuse(ErrorCode.GROUP_EXISTS, `The node "${driver}" has the group "${group}" twice.`);
    present.set(group, { interval, tags: [] });
  }
  for (const { driver, group, tags } of body.tags) {
    const present =
      of(driver).get(group) ??
      refuse(ErrorCode.GROUP_NOT_FOUND, `The node "${driver}" has no group "${group}".`);
    for (const tag of tagBodies(tags)) present.tags.push(tag);
  }
  const settings = new Map<string, object>();
  for (const { node, params } of body.settings) {
    of(node);
    checkParams(params);
    if (settings.has(node))
      refuse(ErrorCode.BODY_INVALID, `The settings of the node "${node}" are there twice.`);
    settings.set(node, params);
  }
  return body.nodes.map(({ name, plugin, running }) => ({
    ...{ name, plugin, isStopped: running === RunningState.STOPPED },
    params: settings.get(name) as NodeDraft['params'],
    groups: Array.from(of(name), ([group, rest]) => ({ name: group, ...rest })),
  }));
}

function refuse(code: number, message: string): never {
  throw new Fault(code, message);
}
