import { isDeepStrictEqual } from 'node:util';
import type { LinkState } from '@tagway/schemas';
import { ErrorCode, NodeCommand, NodeType, RunningState } from '@tagway/schemas';
import type { DriverState } from '@tagway/sdk';
import type { Launches, Outcome } from './launches.ts';
import { checkLicensed, checkNodeCount } from '../access/license.ts';
import type { Group, Node, Params, Plugin } from '../model.ts';
import { rekey } from '../records/creation-order.ts';
import { checkLengths, checkNewName } from '../names.ts';
import { checkCurrent, checkedSettings, pluginNamed, requirePlugin } from './plugins.ts';
import { applyRenames, entriesOfRenames } from './input-renames.ts';
import { makeNode } from './node-factory.ts';
import type { LastError, NodeMeters } from '../ports/ports.ts';
import { keys, nodeRecord } from '../records/records.ts';
import type { NodeCopies } from './node-copies.ts';
import { nodeKeys, subscriptionsOf } from '../transfer/replacement.ts';
import { meantSettings, secretsOf, shownSettings } from '../access/secrets.ts';
import type { Condition, State } from '../records/state.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';

export class Nodes {
  readonly #state: State;
  readonly #launches: Launches;
  readonly #copies: NodeCopies;

  /** Since when problems with stored settings are known, in milliseconds since the epoch. */
  readonly loadedAt = Date.now();

  constructor(state: State, launches: Launches, copies: NodeCopies) {
    this.#state = state;
    this.#launches = launches;
    this.#copies = copies;
  }

  /** No node runs, because the gateway was started for repairs. */
  get isSafe(): boolean {
    return this.#launches.isSafe;
  }

  /**
   * In the order of creation; `plugin` is a plugin's name or alias, `contains` a part of the node's name, and `group` one of the node's
   * name or of that of one of its groups.
   */
  list(type: NodeType, plugin?: string, contains = '', group = ''): Node[] {
    // A plugin whose library is missing is found under the name that its nodes were stored with.
    const name = plugin && (this.#state.ports.plugins.byName(plugin)?.name ?? plugin);
    return [...this.#state.nodes.values()].filter(
      (node) =>
        node.plugin.nodeType === type &&
        (name === undefined || node.plugin.name === name) &&
        node.name.includes(contains) &&
        (node.name.includes(group) || [...node.groups.keys()].some((name) => name.includes(group))),
    );
  }

  /** In the order of creation. */
  all(): Node[] {
    return [...this.#state.nodes.values()];
  }

  find(name: string): Node | undefined {
    return this.#state.nodes.get(name);
  }

  /** Throws NODE_NOT_FOUND. */
  get(name: string): Node {
    return this.#state.node(name);
  }

  /** As the dialect of the API shows it. */
  link(node: Node): LinkState {
    const { dialect, runtime } = this.#state.ports;
    return dialect.link[runtime.link(node)];
  }

  /** Milliseconds; 9999 for a driver whose device has not answered, 0 for an app. */
  rtt(node: Node): number {
    return node.plugin.nodeType === NodeType.APP ? 0 : this.#state.ports.runtime.rtt(node);
  }

  /** What is counted and measured of a node while it runs. */
  meters(node: Node): NodeMeters {
    return this.#state.ports.runtime.meters(node);
  }

  /** The first fault of the latest sample of a group that had a fault; undefined when no sample of this run had one. */
  lastError(group: Group): LastError | undefined {
    return this.#state.ports.runtime.lastError(group);
  }

  /** The latest error of its groups; while the link is down, the reason for that, which the errors of tags do not have. */
  latestError(node: Node): LastError | undefined {
    let latest: LastError | undefined;
    for (const group of node.groups.values()) {
      const error = this.lastError(group);
      if (error !== undefined && (latest === undefined || error.time > latest.time)) latest = error;
    }
    if (latest !== undefined && latest.code !== ErrorCode.DISCONNECTED) return latest;
    return this.#state.ports.runtime.down(node) ?? latest;
  }

  /** How many tags of a running driver have which error now, by code. */
  tagsInError(node: Node): Map<number, number> {
    const counts = new Map<number, number>();
    if (node.running !== RunningState.RUNNING) return counts;
    for (const group of node.groups.values()) {
      const { faults } = this.#state.ports.runtime.reading(group).sample;
      for (let at = 1; at < faults.length; at += 2) {
        const code = faults[at] as number;
        counts.set(code, (counts.get(code) ?? 0) + 1);
      }
    }
    return counts;
  }

  /** The states of all drivers, as apps report them. */
  driverStates(): DriverState[] {
    return this.list(NodeType.DRIVER).map((node) => this.#state.ports.runtime.state(node));
  }

  /** `body.plugin` is the name of a plugin. */
  async add(body: { name: string; plugin: string; params?: Params | undefined }): Promise<void> {
    const { name, params } = body;
    checkNewName(name);
    const plugin = pluginNamed(this.#state, body.plugin);
    this.#checkFree(name);
    checkLicensed(this.#state, plugin);
    if (params !== undefined) meantSettings(plugin, params, name);
    const settings = params && (await this.#checkSettings(plugin, params));
    const { outcome } = await this.#state.change(async () => {
      this.#checkFree(name);
      checkCurrent(this.#state, plugin);
      checkNodeCount(this.#state, this.#state.nodes.size + 1);
      if (params !== undefined) this.#state.links.checkSettings(name, plugin, params);
      const draft = { name, plugin, params, settings, isStopped: false, groups: [] };
      const node = await makeNode(this.#state, draft);
      await this.#state.commit({ set: [[keys.node(node.id), nodeRecord(node)]] });
      this.#state.nodes.set(name, node);
      return { outcome: this.#startIfRunning(node) };
    });
    await outcome;
  }

  /** The secrets in the settings of a node; none when there is no such node. */
  secrets(name: string): readonly string[] {
    const node = this.#state.nodes.get(name);
    return node?.params === undefined ? [] : secretsOf(node.plugin, node.params);
  }

  async delete(name: string): Promise<void> {
    checkLengths(name);
    const { outcome } = await this.#state.change(async () => {
      const node = this.#state.node(name);
      const subscriptions = subscriptionsOf(node);
      const keep = this.#copies.remember(node);
      await this.#state.commit({ delete: nodeKeys(node) });
      keep();
      for (const { app, group } of subscriptions) {
        app.subscriptions.delete(group);
        group.subscriptions.delete(app);
      }
      this.#state.nodes.delete(name);
      this.#state.ports.logLevels.reset(name);
      for (const app of new Set(subscriptions.map((subscription) => subscription.app)))
        if (app !== node) this.#state.ports.runtime.routed(app);
      return { outcome: this.#state.ports.runtime.forget(node) };
    });
    await outcome;
  }

  async rename(name: string, newName: string): Promise<void> {
    checkNewName(newName);
    checkLengths(name);
    const { outcome } = await this.#state.change(async () => {
      const node = this.#state.node(name);
      this.#checkFree(newName);
      const renames = this.#state.links.renamed({ place: { node: name }, newName });
      const record = nodeRecord({ ...node, name: newName });
      await this.#state.commit({ set: [[keys.node(node.id), record], ...entriesOfRenames(renames)] });
      node.name = newName;
      rekey(this.#state.nodes);
      this.#state.ports.logLevels.reset(name);
      for (const group of node.groups.values()) this.#state.ports.runtime.changed(group);
      applyRenames(this.#state, renames);
      return { outcome: this.#startIfRunning(node) };
    });
    await outcome;
  }

  /** The settings as the client sent them, with masks for secrets that are not wanted. Throws NODE_SETTING_NOT_FOUND when there are none. */
  setting(name: string, withSecrets = true): Params {
    checkLengths(name);
    const { params, plugin } = this.#state.node(name);
    if (params === undefined)
      throw new Refusal(ErrorCode.NODE_SETTING_NOT_FOUND, sentence`The node "${name}" has no settings yet.`);
    return shownSettings(plugin, params, withSecrets);
  }

  /** Sets a node up. A mask stands for the stored secret. */
  async setSetting(name: string, sent: Params, condition?: Condition): Promise<void> {
    checkLengths(name);
    const node = this.#state.node(name);
    const params = node.plugin.absent ? sent : meantSettings(node.plugin, sent, name, node.params);
    if (node.settings !== undefined && isDeepStrictEqual(params, node.params)) return;
    const { plugin } = node;
    const settings = await this.#checkSettings(plugin, params);
    const { outcome } = await this.#state.change(async () => {
      if (!this.#state.has(node))
        throw new Refusal(ErrorCode.NODE_NOT_FOUND, sentence`The node "${name}" was deleted meanwhile.`);
      checkCurrent(this.#state, plugin);
      this.#state.links.checkSettings(node.name, plugin, params, node.params);
      const running = node.running === RunningState.INIT ? RunningState.RUNNING : node.running;
      await this.#state.commit({ set: [[keys.node(node.id), nodeRecord({ ...node, running, params })]] });
      const same = isDeepStrictEqual(settings, node.settings);
      node.running = running;
      node.params = params;
      node.settings = settings;
      node.problem = undefined;
      return { outcome: same ? undefined : this.#startIfRunning(node) };
    }, condition);
    await outcome;
  }

  /**
   * Starts or stops a node. Rejects with NODE_NOT_READY, NODE_IS_RUNNING, NODE_NOT_RUNNING or NODE_IS_STOPPED, or with the
   * plugin's own fault when it refuses to start; the node's state is then what it was.
   */
  async control(name: string, command: NodeCommand): Promise<void> {
    checkLengths(name);
    const { outcome } = await this.#state.change(async () => {
      const node = this.#state.node(name);
      if (command === NodeCommand.START && this.isSafe) {
        throw new Refusal(
          ErrorCode.NODE_NOT_READY,
          sentence`The node "${name}" is not started: the gateway runs no node, because it was started with --safe. Start the gateway without it.`,
        );
      }
      const refusal = refusals[command][node.running];
      if (refusal !== undefined)
        throw new Refusal(
          refusal.code,
          node.problem === undefined
            ? sentence`${refusal.reason} Node: "${name}".`
            : sentence`${refusal.reason} Node: "${name}". ${node.problem}`,
        );
      if (command === NodeCommand.START) {
        requirePlugin(node.plugin);
        const before = node.running;
        await this.#launches.setRunning(node, RunningState.RUNNING);
        return { outcome: this.#launches.start(node, before) };
      }
      await this.#launches.setRunning(node, RunningState.STOPPED);
      return { outcome: this.#launches.stop(node) };
    });
    const fault = await outcome;
    if (fault !== undefined) throw fault;
  }

  /** Applies new settings or a new name. When the plugin refuses them for good, the node becomes READY, and the log has the reason. */
  #startIfRunning(node: Node): Outcome | undefined {
    if (node.running !== RunningState.RUNNING || node.plugin.absent) return undefined;
    return this.#launches.start(node, RunningState.READY);
  }

  #checkSettings(plugin: Plugin, params: Params): Promise<Params> {
    requirePlugin(plugin);
    return checkedSettings(this.#state, plugin, params);
  }

  #checkFree(name: string): void {
    if (this.#state.nodes.has(name))
      throw new Refusal(ErrorCode.NODE_EXISTS, sentence`There is a node "${name}" already.`);
  }
}

const notReady = {
  code: ErrorCode.NODE_NOT_READY,
  reason: sentence`The node is not ready: it has no settings yet.`,
};
const isRunning = { code: ErrorCode.NODE_IS_RUNNING, reason: sentence`The node is running.` };
const notRunning = { code: ErrorCode.NODE_NOT_RUNNING, reason: sentence`The node is not running.` };
const isStopped = { code: ErrorCode.NODE_IS_STOPPED, reason: sentence`The node is stopped.` };

/** How a command is refused in a state. */
const refusals: Record<
  NodeCommand,
  Partial<Record<RunningState, { readonly code: number; readonly reason: Sentence }>>
> = {
  [NodeCommand.START]: { [RunningState.INIT]: notReady, [RunningState.RUNNING]: isRunning },
  [NodeCommand.STOP]: {
    [RunningState.INIT]: notRunning,
    [RunningState.READY]: notRunning,
    [RunningState.STOPPED]: isStopped,
  },
};
