import {
  Attribute,
  DataType,
  ErrorCode,
  NodeCommand,
  NodeType,
  type NodeStateRecord,
  type Dialect,
} from '@tagway/schemas';
import { jsonOf } from '@tagway/sdk/internal';
import type { Gateway } from '../../core/gateway.ts';
import type { Node } from '../../core/model.ts';
import type { TrialStep } from '../../core/ports/ports.ts';
import type { SeenSettings } from '../audit/changed-settings.ts';
import { checkParams } from '../body/params.ts';
import { reasonFor } from '../reason.ts';
import type { Context } from '../request.ts';
import type { Revised } from '../revisions.ts';
import { withBody, withQuery, type Endpoints } from '../route.ts';
import { wantsSecrets } from '../auth/secrets.ts';
import { typeOf } from '../body/tag-body.ts';
import { warnOfLooks, warnOfSettings } from '../warnings.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';

const copyErrors = [
  'NODE_EXISTS',
  'NODE_NOT_FOUND',
  'NODE_NAME_TOO_LONG',
  'NODE_NAME_EMPTY',
  'LIBRARY_NOT_FOUND',
  'LIBRARY_OPEN_FAILED',
  'LICENSE_DISABLED',
  'LICENSE_MAX_NODES',
  'LICENSE_MAX_TAGS',
] as const;

/** Section 4.2. */
export function nodeEndpoints(gateway: Gateway, dialect: Dialect): Endpoints {
  const { nodes, nodeCopies, logLevels } = gateway;
  const setting = ({ node }: { readonly node: string }): Revised => ({
    shown: { node, params: nodes.setting(node, false) },
    // With the secrets themselves: a change of a secret alone must not be overwritten.
    exact: nodes.setting(node),
  });
  return {
    'GET /api/v2/node': withQuery(
      'NodesQuery',
      { role: 'viewer', summary: 'Lists the drivers or the apps.', reply: 'NodesReply' },
      ({ type, plugin, node, group }) => {
        const wanted = type === '1' ? NodeType.DRIVER : NodeType.APP;
        const listed = nodes.list(wanted, plugin || undefined, node, group);
        return { nodes: listed.map(({ name, plugin }) => ({ name, plugin: plugin.name })) };
      },
    ),

    'POST /api/v2/node': withBody(
      'AddNodeBody',
      {
        role: 'engineer',
        summary: 'Adds a node; with params it is set up and starts.',
        audit: ({ name, plugin }) => `added the node "${name}" of the plugin "${plugin}"`,
        settings: ({ name }) => settingsOf(nodes.get(name)),
        errors: [
          'NODE_TYPE_INVALID',
          'NODE_EXISTS',
          'NODE_SETTING_INVALID',
          'NODE_NAME_TOO_LONG',
          'NODE_NAME_EMPTY',
          'LIBRARY_NOT_FOUND',
          'LIBRARY_OPEN_FAILED',
          'LIBRARY_NO_INSTANCE',
          'LICENSE_MAX_NODES',
        ],
      },
      async ({ name, plugin, params }, ctx) => {
        checkParams(params);
        warnOfSettings(ctx, gateway.plugins.byName(plugin), params);
        await nodes.add({ name, plugin, params });
        await warnOfLooks(ctx, nodes, [name]);
      },
    ),

    'PUT /api/v2/node': withBody(
      'RenameNodeBody',
      {
        role: 'engineer',
        summary: 'Renames a node.',
        audit: ({ name, new_name }) => `renamed the node "${name}" to "${new_name}"`,
        errors: [
          'NODE_EXISTS',
          'NODE_NOT_FOUND',
          'NODE_NAME_TOO_LONG',
          'NODE_NOT_UPDATABLE',
          'NODE_NAME_EMPTY',
          'TAG_ADDRESS_INVALID',
          'TAG_ADDRESS_TOO_LONG',
        ],
      },
      async ({ name, new_name }, ctx) => {
        if (new_name === undefined) {
          throw new Refusal(
            ErrorCode.NODE_NOT_UPDATABLE,
            sentence`A node is renamed: the member new_name is missing.`,
          );
        }
        await nodes.rename(name, new_name);
        await warnOfLooks(ctx, nodes, [new_name]);
      },
    ),

    'DELETE /api/v2/node': withBody(
      'DeleteNodeBody',
      {
        role: 'engineer',
        summary: 'Deletes a node with its groups, tags and subscriptions.',
        audit: ({ name }) => `deleted the node "${name}"`,
        errors: ['NODE_NOT_FOUND', 'NODE_NAME_TOO_LONG', 'NODE_NOT_DELETABLE'],
      },
      ({ name }) => nodes.delete(name),
    ),

    'POST /api/v2/node/clone': withBody(
      'CloneNodeBody',
      {
        role: 'engineer',
        summary:
          'Makes a stopped node with the settings, secrets included, the groups, the tags and the subscriptions of another one.',
        audit: ({ name, new_name }) => `made the node "${new_name}" as a copy of "${name}"`,
        settings: ({ new_name }) => settingsOf(nodes.get(new_name)),
        errors: copyErrors,
      },
      async ({ name, new_name }, ctx) => {
        await nodeCopies.clone(name, new_name);
        await warnOfLooks(ctx, nodes, [new_name]);
      },
    ),

    'POST /api/v2/node/undelete': withBody(
      'DeleteNodeBody',
      {
        role: 'engineer',
        summary:
          'Brings back the node of this name that was deleted last, with its settings, groups, tags and subscriptions. The last ten deleted nodes are kept until the gateway ends.',
        audit: ({ name }) => `brought back the node "${name}"`,
        settings: ({ name }) => settingsOf(nodes.get(name)),
        errors: [...copyErrors, 'NODE_SETTING_INVALID'],
      },
      ({ name }) => nodeCopies.bringBack(name),
    ),

    'GET /api/v2/node/setting': withQuery(
      'SettingQuery',
      {
        role: 'viewer',
        summary: 'Shows the settings of a node as they were sent, with masks for secrets.',
        reply: 'SettingReply',
        errors: ['NODE_NOT_FOUND', 'NODE_SETTING_NOT_FOUND', 'NODE_NAME_TOO_LONG'],
        revision: setting,
      },
      ({ node, secrets }, ctx) => ({
        node,
        params: nodes.setting(node, wantsSecrets(ctx, dialect, secrets, 'GET /api/v2/node/setting')),
      }),
    ),

    'POST /api/v2/node/setting': withBody(
      'SettingBody',
      {
        role: 'engineer',
        summary:
          'Sets a node up; its first valid settings start it. The mask in the place of a secret keeps the one that is stored.',
        audit: ({ node }) => `changed the settings of the node "${node}"`,
        settings: ({ node }) => settingsOf(nodes.get(node)),
        errors: ['NODE_NOT_FOUND', 'NODE_SETTING_INVALID', 'NODE_NAME_TOO_LONG', 'LIBRARY_OPEN_FAILED'],
        revision: setting,
      },
      ({ node, params }, ctx, condition) => {
        checkParams(params);
        warnOfSettings(ctx, nodes.get(node).plugin, params);
        return nodes.setSetting(node, params, condition);
      },
    ),

    'POST /api/v2/node/test': withBody(
      'NodeTestBody',
      {
        role: 'engineer',
        summary:
          'Tries whether a device, or the server of an app, answers with settings that are not saved, step by step up to the first that fails. Nothing remains of it. A step may fail with any code, also one of the driver.',
        audit: 'nothing',
        reply: 'NodeTestReply',
        errors: [
          'NODE_NOT_FOUND',
          'NODE_SETTING_INVALID',
          'NODE_NOT_READY',
          'LIBRARY_NOT_FOUND',
          'LIBRARY_OPEN_FAILED',
          'PLUGIN_TYPE_UNSUPPORTED',
        ],
      },
      async ({ plugin, params, node, tag }, ctx) => {
        checkParams(params);
        warnOfSettings(ctx, gateway.plugins.byName(plugin), params);
        const type = typeOf(tag?.type ?? DataType.INT16);
        const { address = '', attribute = Attribute.READ } = tag ?? {};
        const draft = tag && { name: 'test', address, type, attribute };
        const steps = await gateway.nodeTest.run({ plugin, params, node, tag: draft });
        return Buffer.from(`{"steps":[${steps.map((step) => stepJson(ctx, step, type)).join(',')}]}`);
      },
    ),

    'POST /api/v2/node/ctl': withBody(
      'ControlBody',
      {
        role: 'operator',
        summary: 'Starts or stops a node. A plugin that refuses to start may add codes of its own.',
        audit: ({ node, cmd }) => `${cmd === NodeCommand.START ? 'started' : 'stopped'} the node "${node}"`,
        settings: ({ node }) => ({ values: { running: nodes.get(node).running } }),
        errors: [
          'NODE_NOT_FOUND',
          'NODE_SETTING_INVALID',
          'NODE_NOT_READY',
          'NODE_IS_RUNNING',
          'NODE_NOT_RUNNING',
          'NODE_IS_STOPPED',
          'NODE_NAME_TOO_LONG',
          'LIBRARY_OPEN_FAILED',
        ],
      },
      ({ node, cmd }) => nodes.control(node, cmd),
    ),

    'GET /api/v2/node/state': withQuery(
      'StateQuery',
      {
        role: 'viewer',
        summary: 'Shows the state of one node or of all.',
        reply: ['StatesReply', 'StateReply', 'FlatStateReply'],
        errors: ['NODE_NOT_FOUND'],
      },
      ({ node }) => {
        const core = { [dialect.coreLevelKey]: logLevels.core, ...(nodes.isSafe && { safe: true }) };
        if (!node) return { states: nodes.all().map((one) => stateRecord(gateway, one)), ...core };
        const state = stateRecord(gateway, nodes.get(node));
        if (dialect.nodeState === 'list') return { ...state, states: [state], ...core };
        const { node: _, ...flat } = state;
        return { ...flat, ...core };
      },
    ),
  };
}

function settingsOf({ plugin, params }: Node): SeenSettings {
  return { values: params, plugin };
}

export function stepJson(ctx: Context, { value, message, ...step }: TrialStep, type: DataType): string {
  const text = JSON.stringify({ ...step, ...(message !== undefined && reasonFor(ctx, message)) });
  return value === undefined ? text : `${text.slice(0, -1)},"value":${jsonOf(value, type)}}`;
}

/** Counters of losses in the state of a node; one that is 0 is left out. */
const losses = [
  'missed_ticks',
  'dropped_samples',
  'dropped_events',
  'cached_msgs',
  'dropped_msgs_total',
] as const;

/** The state of a node as replies and streams show it. */
export function stateRecord({ nodes, logLevels }: Gateway, node: Node): NodeStateRecord {
  const state: NodeStateRecord = {
    node: node.name,
    running: node.running,
    link: nodes.link(node),
    rtt: Math.round(nodes.rtt(node)),
    log_level: logLevels.of(node.name),
  };
  if (node.plugin.nodeType === NodeType.APP) state.sub_group_count = node.subscriptions.size;
  const { own, groups } = nodes.meters(node);
  for (const name of losses) {
    const count = own.get(name)?.value;
    if (count) state[name] = count;
  }
  const slow = [...node.groups.values()].flatMap(({ id, name: group, interval }) => {
    const meters = groups.get(id);
    const takes = meters?.get('group_last_timer_ms')?.value ?? 0;
    return meters?.get('group_slow')?.value === 1 ? [{ group, interval, takes }] : [];
  });
  if (slow.length > 0) state.slow_groups = slow;
  const error = nodes.latestError(node);
  if (node.problem !== undefined) {
    state.last_error = { code: ErrorCode.NODE_SETTING_INVALID, text: node.problem, since: nodes.loadedAt };
  } else if (error !== undefined) {
    const { code, text, since } = error;
    state.last_error = { code, text, since };
  }
  const inError = nodes.tagsInError(node);
  if (inError.size > 0) state.tags_in_error = Object.fromEntries(inError);
  return state;
}
