import { type ConfigBody, ErrorCode, NodeType, RunningState, type Dialect } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import { namesOf } from '../audit/wording.ts';
import type { Gateway } from '../../core/gateway.ts';
import type { Node } from '../../core/model.ts';
import { meantSettings, shownSettings } from '../../core/access/secrets.ts';
import {
  alignConfig,
  checkAlignment,
  checkConfig,
  importConfig,
  importDrivers,
  type ImportNotes,
} from './config-import.ts';
import { differencesOf } from './config-plan.ts';
import type { Context } from '../request.ts';
import { reasonFor } from '../reason.ts';
import type { Revised } from '../revisions.ts';
import { withBody, withQuery, type Endpoints } from '../route.ts';
import { wantsSecrets } from '../auth/secrets.ts';
import { shownHistory } from '../endpoints/groups.ts';
import { groupErrors, tagErrors } from '../endpoints/shared-errors.ts';
import { profileReply } from '../body/node-profile.ts';
import { tagReply } from '../endpoints/tags.ts';
import { templateReply } from '../endpoints/templates.ts';
import { warn, warnAlways } from '../warnings.ts';
import { reasonOf } from '../../core/system/sentence.ts';

export const importErrors = [
  ...groupErrors,
  'NODE_SETTING_INVALID',
  'NODE_NAME_EMPTY',
  'GROUP_EXISTS',
  'GROUP_PARAM_INVALID',
  'TAG_NAME_CONFLICT',
  'LIBRARY_OPEN_FAILED',
  'LICENSE_DISABLED',
  'LICENSE_MAX_NODES',
  'LICENSE_MAX_TAGS',
  ...tagErrors,
] as const;

export const templateImportErrors = [
  'TEMPLATE_EXISTS',
  'TEMPLATE_NAME_TOO_LONG',
  'TEMPLATES_UNSUPPORTED',
  'PLUGIN_NAME_TOO_LONG',
] as const;

const alignErrors = ['NODE_NOT_SUBSCRIBABLE', 'LIBRARY_NOT_FOUND', 'PLUGIN_NOT_FOUND'] as const;

/** Export and import of the whole configuration, and of drivers. */
export function transferEndpoints(gateway: Gateway, dialect: Dialect): Endpoints {
  const { nodes } = gateway;
  return {
    'GET /api/v2/global/config': withQuery(
      'ConfigQuery',
      {
        role: 'viewer',
        summary: 'Gives the whole configuration, with masks for secrets.',
        reply: 'ConfigReply',
      },
      ({ secrets }, ctx) =>
        presentConfig(gateway, dialect, wantsSecrets(ctx, dialect, secrets, 'GET /api/v2/global/config')),
    ),

    'PUT /api/v2/global/config': withBody(
      'ConfigBody',
      {
        role: 'engineer',
        summary:
          'Replaces the whole configuration, or nothing when something is wrong with it. Nodes and templates of plugins that are not there are left out and named in warnings. Without templates those that are there stay.',
        audit: ({ nodes }) => `replaced the whole configuration by one of ${nodes.length} nodes`,
        errors: [...importErrors, ...templateImportErrors, 'NODE_NOT_SUBSCRIBABLE'],
        values: true,
        revision: revisionOfConfig(gateway, dialect),
      },
      (body, ctx, condition) => importConfig(gateway, body, notesOf(ctx), condition),
    ),

    'POST /api/v2/global/config/plan': withBody(
      'ConfigBody',
      {
        role: 'engineer',
        summary:
          'Says what PUT /api/v2/global/config would change, and everything for which it would refuse the configuration. Nothing is changed.',
        audit: 'nothing',
        reply: 'PlanConfigReply',
        errors: importErrors,
        values: true,
        revision: revisionOfConfig(gateway, dialect),
      },
      async (body, ctx) => {
        const problems = await checkConfig(gateway, body, notesOf(ctx));
        return {
          error: ErrorCode.SUCCESS,
          ...differencesOf(presentConfig(gateway, dialect, false), body),
          problems: problems.map((fault) => ({ error: fault.code, ...reasonFor(ctx, reasonOf(fault)) })),
        };
      },
    ),

    'POST /api/v2/global/config/apply': withBody(
      'ConfigBody',
      {
        role: 'engineer',
        summary:
          'Makes the configuration what the body says, or changes nothing when something is wrong with it, an unknown plugin too. What is so already stays as it is: a node starts anew only where its settings change. Without templates those that are there stay.',
        audit: ({ nodes }) => `applied a configuration of ${nodes.length} nodes`,
        errors: [...importErrors, ...templateImportErrors, ...alignErrors],
        values: true,
        revision: revisionOfConfig(gateway, dialect),
      },
      (body, ctx, condition) => alignConfig(gateway, body, notesOf(ctx), condition),
    ),

    'POST /api/v2/global/config/apply/plan': withBody(
      'ConfigBody',
      {
        role: 'engineer',
        summary:
          'Says what POST /api/v2/global/config/apply would change, and everything for which it would refuse the configuration. Nothing is changed.',
        audit: 'nothing',
        reply: 'PlanConfigReply',
        errors: [...importErrors, 'TEMPLATE_EXISTS'],
        values: true,
        revision: revisionOfConfig(gateway, dialect),
      },
      async (body, ctx) => {
        const { faults, ...plan } = await planAlignment(gateway, dialect, body, notesOf(ctx));
        return {
          error: ErrorCode.SUCCESS,
          ...plan,
          problems: faults.map((fault) => ({ error: fault.code, ...reasonFor(ctx, reasonOf(fault)) })),
        };
      },
    ),

    'GET /api/v2/global/drivers': withQuery(
      'DriversQuery',
      {
        role: 'viewer',
        summary: 'Gives drivers with their settings, groups and tags, and masks for secrets.',
        reply: 'DriversReply',
      },
      ({ name, secrets }, ctx) => {
        const withSecrets = wantsSecrets(ctx, dialect, secrets, 'GET /api/v2/global/drivers');
        const wanted = name ? new Set(name.split(',')) : undefined;
        const drivers = nodes.list(NodeType.DRIVER).filter((node) => wanted?.has(node.name) ?? true);
        return { nodes: drivers.map((driver) => driverReply(driver, withSecrets)) };
      },
    ),

    'PUT /api/v2/global/drivers': withBody(
      'DriversBody',
      {
        role: 'engineer',
        summary:
          'Adds drivers or replaces those of the same names, or nothing when something is wrong with one.',
        audit: ({ nodes }) => `imported the drivers ${namesOf(nodes)}`,
        errors: [
          ...importErrors,
          'LIBRARY_NOT_FOUND',
          'NODE_EXISTS',
          'GROUP_LIMIT',
          'PLUGIN_NAME_TOO_LONG',
          'PLUGIN_TYPE_UNSUPPORTED',
        ],
        values: true,
      },
      (body, ctx) => importDrivers(gateway, body, notesOf(ctx)),
    ),
  };
}

/** Warnings of an import for the reply: all nodes that are left out, and of the others the first ones. */
function notesOf(ctx: Context): ImportNotes {
  return {
    leftOut: (sentence) => warnAlways(ctx, sentence),
    unknown: (sentence) => warn(ctx, sentence),
  };
}

/** What `alignConfig` would change, and everything for which it would refuse a body. */
export async function planAlignment(
  gateway: Gateway,
  dialect: Dialect,
  body: ConfigBody,
  notes: Pick<ImportNotes, 'unknown'>,
): Promise<ReturnType<typeof differencesOf> & { readonly faults: readonly Fault[] }> {
  const faults = await checkAlignment(gateway, body, notes);
  // Differences name settings without their values, so secrets can be compared, too.
  const meant = { ...body, settings: withStoredSecrets(gateway, body) };
  return { ...differencesOf(presentConfig(gateway, dialect, true), meant), faults };
}

/** The settings of a configuration with the stored secrets in the place of masks, as far as there are any. */
function withStoredSecrets({ nodes }: Gateway, { settings }: ConfigBody): ConfigBody['settings'] {
  const byName = new Map(nodes.all().map((node) => [node.name, node]));
  return settings.map((one) => {
    const { plugin, params } = byName.get(one.node) ?? {};
    if (plugin === undefined || plugin.absent === true || params === undefined) return one;
    try {
      return { ...one, params: meantSettings(plugin, one.params, one.node, params) };
    } catch (error) {
      if (!isFault(error)) throw error;
      return one;
    }
  });
}

/** What plans of the whole configuration rest on: everything that an export has, with secrets, and which nodes are stopped. */
export function revisionOfConfig(gateway: Gateway, dialect: Dialect): () => Revised {
  return () => {
    const config = presentConfig(gateway, dialect, true);
    // A node that gets ready by itself is no change.
    const nodes = config.nodes.map(({ running, ...node }) => ({
      ...node,
      isStopped: running === RunningState.STOPPED,
    }));
    return { exact: { ...config, nodes } };
  };
}

/** The whole configuration as an export has it. */
export function presentConfig(
  { nodes, templates }: Gateway,
  dialect: Dialect,
  withSecrets: boolean,
): ConfigBody {
  return {
    ...configOf(nodes.all(), dialect, withSecrets),
    templates: templates.list().map((template) => templateReply(templates, template)),
  } as ConfigBody;
}

/** Nodes as an export has them. */
export function configOf(nodes: readonly Node[], dialect: Dialect, withSecrets: boolean): object {
  const groups = nodes.flatMap((node) => [...node.groups.values()]);
  return {
    nodes: nodes.map(({ name, plugin, running, profile }) => ({
      name,
      plugin: plugin.name,
      running,
      ...(profile && { profile: profileReply(profile) }),
    })),
    groups: groups.map(({ node, name, interval, history, pace, tags }) => ({
      driver: node.name,
      group: name,
      interval,
      ...shownHistory(history),
      ...pace,
      tag_count: tags.size,
    })),
    tags: groups.map(({ node, name, tags }) => ({
      driver: node.name,
      group: name,
      tags: Array.from(tags.values(), tagReply),
    })),
    subscriptions: nodes.flatMap((node) => subscriptionsOf(node, dialect)),
    settings: nodes.flatMap(({ name, plugin, params }) =>
      params === undefined ? [] : [{ node: name, params: shownSettings(plugin, params, withSecrets) }],
    ),
  };
}

function subscriptionsOf({ name: app, subscriptions }: Node, { exportsSubscriptions }: Dialect): object[] {
  const groups = Array.from(subscriptions.values(), ({ group, params }) => ({
    driver: group.node.name,
    group: group.name,
    ...(params === undefined ? {} : { params }),
  }));
  if (exportsSubscriptions === 'flat') return groups.map((group) => ({ app, ...group }));
  return groups.length === 0 ? [] : [{ app, groups }];
}

function driverReply({ name, plugin, params, groups, profile }: Node, withSecrets: boolean): object {
  return {
    name,
    plugin: plugin.name,
    ...(params === undefined ? {} : { params: shownSettings(plugin, params, withSecrets) }),
    ...(profile && { profile: profileReply(profile) }),
    groups: Array.from(groups.values(), (group) => ({
      group: group.name,
      interval: group.interval,
      ...shownHistory(group.history),
      ...group.pace,
      tags: Array.from(group.tags.values(), tagReply),
    })),
  };
}
