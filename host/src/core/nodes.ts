import { isDeepStrictEqual } from 'node:util';
import type { LinkState } from '@tagway/schemas';
import { ErrorCode, NodeCommand, NodeType, RunningState } from '@tagway/schemas';
import { type DriverState, Fault } from '@tagway/sdk';
import type { Launches, Outcome } from './launches.ts';
import { checkLicensed, checkNodeCount } from './license.ts';
import type { Group, Node, Params, Plugin } from './model.ts';
import { rekey } from './named-places.ts';
import { checkLengths } from './names.ts';
import { requirePlugin, settingsOf } from './plugins.ts';
import type { LastError, NodeMeters } from './ports.ts';
import { keys, nodeRecord } from './records.ts';
import { nodeKeys, subscriptionsOf } from './replacement.ts';
import { meantSettings, secretsOf, shownSettings } from './secrets.ts';
import type { State } from './state.ts';

export class Nodes {
  readonly #state: State;
  readonly #launches: Launches;

  /** Since when problems with stored settings are known, in milliseconds since the epoch. */
  readonly loadedAt = Date.now();

  constructor(state: State, launches: Launches) {
    this.#state = state;
    this.#launches = launches;
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

  /** Throws NODE_NOT_FOUND. */
  get(name: string): Node {
    return this.#state.node(name);
  }

  /** As the profile shows it. */
  link(node: Node): LinkState {
    const { profile, runtime } = this.#state.ports;
    return profile.link[runtime.link(node)];
  }

  /** Milliseconds; 9999 for a driver whose device has not answered, 0 for an app. */
  rtt(node: Node): number {
    return node.plugin.nodeType === NodeType.APP ? 0 : this.#state.ports.runtime.rtt(node);
  }

  /** What is counted and measured of a node while it runs. */
  meters(node: Node): NodeMeters {
    return this.#state.ports.runtime.meters(node);
  }

  /** The first fault of a group's latest sample that had one; undefined when none of this run had. */
  lastError(group: Group): LastError | undefined {
    return this.#state.ports.runtime.lastError(group);
  }

  /** The latest of the last errors of its groups; where the link is down, why it is, which its tags do not say. */
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

  async add({
    name,
    plugin: pluginName,
    params,
  }: {
    name: string;
    plugin: string;
    params?: Params | undefined;
  }): Promise<void> {
    checkNewName(name);
    const plugin = this.#state.ports.plugins.byName(pluginName);
    if (plugin === undefined) {
      throw new Fault(ErrorCode.LIBRARY_NOT_FOUND, `There is no plugin "${pluginName}".`);
    }
    this.#checkFree(name);
    checkLicensed(this.#state, plugin);
    if (params !== undefined) meantSettings(plugin, params, name);
    const settings = params && (await this.#checkSettings(plugin, params));
    const { outcome } = await this.#state.change(async () => {
      this.#checkFree(name);
      this.#checkCurrent(plugin);
      checkNodeCount(this.#state, this.#state.nodes.size + 1);
      const node: Node = {
        id: this.#state.newId(),
        name,
        plugin,
        running: settings === undefined ? RunningState.INIT : RunningState.RUNNING,
        settings,
        params,
        groups: new Map(),
        subscriptions: new Map(),
      };
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
      await this.#state.commit({ delete: nodeKeys(node) });
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
      await this.#state.commit({ set: [[keys.node(node.id), nodeRecord({ ...node, name: newName })]] });
      node.name = newName;
      rekey(this.#state.nodes);
      this.#state.ports.logLevels.reset(name);
      for (const group of node.groups.values()) this.#state.ports.runtime.changed(group);
      return { outcome: this.#startIfRunning(node) };
    });
    await outcome;
  }

  /** The settings as the client sent them, with masks for secrets that are not wanted. Throws NODE_SETTING_NOT_FOUND when there are none. */
  setting(name: string, withSecrets = true): Params {
    checkLengths(name);
    const { params, plugin } = this.#state.node(name);
    if (params === undefined)
      throw new Fault(ErrorCode.NODE_SETTING_NOT_FOUND, `The node "${name}" has no settings yet.`);
    return shownSettings(plugin, params, withSecrets);
  }

  /** Sets a node up. Where a secret is the mask, it stays as it is stored. */
  async setSetting(name: string, sent: Params): Promise<void> {
    checkLengths(name);
    const node = this.#state.node(name);
    const params = node.plugin.absent ? sent : meantSettings(node.plugin, sent, name, node.params);
    if (node.settings !== undefined && isDeepStrictEqual(params, node.params)) return;
    const { plugin } = node;
    const settings = await this.#checkSettings(plugin, params);
    const { outcome } = await this.#state.change(async () => {
      if (!this.#state.has(node))
        throw new Fault(ErrorCode.NODE_NOT_FOUND, `The node "${name}" was deleted meanwhile.`);
      this.#checkCurrent(plugin);
      const running = node.running === RunningState.INIT ? RunningState.RUNNING : node.running;
      await this.#state.commit({ set: [[keys.node(node.id), nodeRecord({ ...node, running, params })]] });
      const same = isDeepStrictEqual(settings, node.settings);
      node.running = running;
      node.params = params;
      node.settings = settings;
      node.problem = undefined;
      return { outcome: same ? undefined : this.#startIfRunning(node) };
    });
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
        throw new Fault(
          ErrorCode.NODE_NOT_READY,
          `The node "${name}" is not started: the gateway runs no node, because it was started with --safe. ` +
            'Start the gateway without it.',
        );
      }
      const refusal = refusals[command][node.running];
      if (refusal !== undefined)
        throw new Fault(
          refusal,
          `${new Fault(refusal).message} Node: "${name}". ${node.problem ?? ''}`.trim(),
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

  /** New settings or a new name take effect; when the plugin refuses them for good the node is ready, and the log says so. */
  #startIfRunning(node: Node): Outcome | undefined {
    if (node.running !== RunningState.RUNNING || node.plugin.absent) return undefined;
    return this.#launches.start(node, RunningState.READY);
  }

  async #checkSettings(plugin: Plugin, params: Params): Promise<Params> {
    requirePlugin(plugin);
    const result = await settingsOf(plugin, params, this.#state.ports);
    if ('message' in result) throw new Fault(ErrorCode.NODE_SETTING_INVALID, result.message);
    await this.#state.ports.runtime.checkSettings(plugin, result.settings);
    return result.settings;
  }

  /** What a version of a plugin has accepted says nothing of the next one. */
  #checkCurrent(plugin: Plugin): void {
    if (this.#state.ports.plugins.byId(plugin.id) === plugin) return;
    throw new Fault(
      ErrorCode.BUSY,
      `The plugin "${plugin.name}" was upgraded or removed at this moment. Try again.`,
    );
  }

  #checkFree(name: string): void {
    if (this.#state.nodes.has(name))
      throw new Fault(ErrorCode.NODE_EXISTS, `There is a node "${name}" already.`);
  }
}

/** The code with which a command is refused in a state. */
const refusals: Record<NodeCommand, Partial<Record<RunningState, number>>> = {
  [NodeCommand.START]: {
    [RunningState.INIT]: ErrorCode.NODE_NOT_READY,
    [RunningState.RUNNING]: ErrorCode.NODE_IS_RUNNING,
  },
  [NodeCommand.STOP]: {
    [RunningState.INIT]: ErrorCode.NODE_NOT_RUNNING,
    [RunningState.READY]: ErrorCode.NODE_NOT_RUNNING,
    [RunningState.STOPPED]: ErrorCode.NODE_IS_STOPPED,
  },
};

function checkNewName(name: string): void {
  if (name === '')
    throw new Fault(ErrorCode.NODE_NAME_EMPTY, 'A node needs a name: its name in the request is empty.');
  checkLengths(name);
}
