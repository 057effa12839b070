import { ErrorCode, NodeType, type NodeStateRecord, type Profile } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import type { Gateway } from '../core/gateway.ts';
import type { Node } from '../core/model.ts';
import { checkParams } from './params.ts';
import { withBody, withQuery, type Route } from './route.ts';

/** Section 4.2. */
export function nodeRoutes(gateway: Gateway, profile: Profile): Route[] {
  return [
    withBody('POST', '/api/v2/node', 'AddNodeBody', async ({ name, plugin, params }) => {
      checkParams(params);
      await gateway.nodes.add({ name, plugin, ...(params === undefined ? {} : { params }) });
      return undefined;
    }),

    withBody('DELETE', '/api/v2/node', 'DeleteNodeBody', async ({ name }) => {
      await gateway.nodes.delete(name);
      return undefined;
    }),

    withBody('PUT', '/api/v2/node', 'RenameNodeBody', async ({ name, new_name }) => {
      if (new_name === undefined) {
        throw new Fault(ErrorCode.NODE_NOT_UPDATABLE, 'A node is renamed: the member new_name is missing.');
      }
      await gateway.nodes.rename(name, new_name);
      return undefined;
    }),

    withQuery('GET', '/api/v2/node', 'NodesQuery', ({ type, plugin, node }) => {
      const wanted = type === '1' ? NodeType.DRIVER : NodeType.APP;
      const nodes = gateway.nodes.list(wanted, plugin || undefined, node || undefined);
      return { nodes: nodes.map(({ name, plugin }) => ({ name, plugin: plugin.name })) };
    }),

    withBody('POST', '/api/v2/node/setting', 'SettingBody', async ({ node, params }) => {
      checkParams(params);
      await gateway.nodes.setSetting(node, params);
      return undefined;
    }),

    withQuery('GET', '/api/v2/node/setting', 'SettingQuery', ({ node }) => ({
      node,
      params: gateway.nodes.setting(node),
    })),

    withBody('POST', '/api/v2/node/ctl', 'ControlBody', async ({ node, cmd }) => {
      await gateway.nodes.control(node, cmd);
      return undefined;
    }),

    withQuery('GET', '/api/v2/node/state', 'StateQuery', ({ node }) => {
      const core = { [profile.coreLevelKey]: gateway.logLevels.core };
      if (!node) return { states: gateway.nodes.all().map((one) => stateRecord(gateway, one)), ...core };
      const state = stateRecord(gateway, gateway.nodes.get(node));
      if (profile.nodeState === 'list') return { ...state, states: [state], ...core };
      const { node: _, ...flat } = state;
      return { ...flat, ...core };
    }),
  ];
}

/** What an operator has to know of a node at once; absent where there is nothing of it. */
const losses = ['missed_ticks', 'dropped_samples', 'cached_msgs', 'dropped_msgs_total'] as const;

function stateRecord(gateway: Gateway, node: Node): NodeStateRecord {
  const state: NodeStateRecord = {
    node: node.name,
    running: node.running,
    link: gateway.nodes.link(node),
    rtt: Math.round(gateway.nodes.rtt(node)),
    log_level: gateway.logLevels.of(node.name),
  };
  if (node.plugin.nodeType === NodeType.APP) state.sub_group_count = node.subscriptions.size;
  const counters = gateway.nodes.counters(node);
  for (const name of losses) {
    const count = counters.get(name);
    if (count) state[name] = count;
  }
  return state;
}
