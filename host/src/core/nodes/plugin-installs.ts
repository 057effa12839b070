import { ErrorCode, PluginKind, RunningState } from '@tagway/schemas';
import { systemReason } from '../system/system-error.ts';
import type { SettingsResult } from '@tagway/schemas/validate';
import { type Fault, isFault } from '@tagway/sdk';
import type { Launches } from './launches.ts';
import { checkPluginName } from './look-alikes.ts';
import { Lock } from '../records/lock.ts';
import type { Node, Params, Plugin } from '../model.ts';
import { Pacer } from '../system/pacer.ts';
import { pluginNamed, settingsOf } from './plugins.ts';
import type { Archive, PluginState, Probation, StagedLibrary } from '../ports/ports.ts';
import { keys, nodeRecord } from '../records/records.ts';
import type { Condition, State } from '../records/state.ts';
import { reasonOf, Refusal, type Sentence, sentence } from '../system/sentence.ts';

/** Installations run one at a time; when this many wait, the next one is answered with BUSY. */
const waitingLimit = 20;

/**
 * What may be installed already: to `install`, no library of this id, or another version of it; to `replace`, any version, but there
 * must be one.
 */
export type InstallMode = 'install' | 'replace';

/** What an install by name knows of its archive. */
export interface InstallByName {
  /** Called before any code of the library runs. Rejects with a fault when it is not what it is said to be. */
  check(staged: StagedLibrary): Promise<void>;
}

/** By the params of each node, which are a new object whenever they are set. */
type CheckedNodes = Map<Params, SettingsResult>;

/** Who changes the libraries, in the log, while no gateway runs. */
const onTheFolder = 'somebody with access to the data folder';

/** Installs, upgrades and removes the libraries of users while everything else goes on. */
export class Installs {
  readonly #state: State;
  readonly #launches: Launches;
  readonly #lock = new Lock();
  /** By the id of the plugin: what was installed last, while the version before may come back. */
  readonly #onProbation = new Map<string, StagedLibrary>();

  constructor(state: State, launches: Launches) {
    this.#state = state;
    this.#launches = launches;
  }

  /**
   * Installs a library, or another version of one: its nodes then go on with that. Rejects with LIBRARY_UPDATE_FAILED when the new
   * version does not come up or a node that ran does not run with it in time, and goes on with the old one. A failure changes nothing.
   * A version that has come up is on probation: when its process ends soon, the gateway goes back to the old one, too, and logs that.
   */
  install(
    archive: Archive,
    mode: InstallMode = 'install',
    who = onTheFolder,
    condition?: Condition,
    byName?: InstallByName,
  ): Promise<Plugin> {
    return this.#lock.run(async () => {
      const { log } = this.#state.ports;
      try {
        const plugin = await this.#install(archive, mode, condition, byName);
        const from =
          plugin.origin && `, from the package ${plugin.origin.package} of ${plugin.origin.registry}`;
        log.notice(
          `Version ${plugin.version} of the plugin "${plugin.name}" (${plugin.id}) was installed by ${who}${from ?? ''}.`,
        );
        return plugin;
      } catch (error) {
        const fault = isFault(error)
          ? error
          : new Refusal(
              ErrorCode.LIBRARY_ADD_FAILED,
              sentence`The library could not be put in its place: ${systemReason(error)}.`,
              { cause: error },
            );
        log.error(
          `The library ${archive.library} was not installed, as ${who} asked: ${fault.message} (error ${fault.code})`,
        );
        throw fault;
      }
    }, waitingLimit);
  }

  /** Removes the library of a plugin that users added. Rejects with LIBRARY_SYSTEM or LIBRARY_IN_USE. */
  remove(name: string, who = onTheFolder, condition?: Condition): Promise<void> {
    return this.#lock.run(async () => {
      await condition?.();
      const { plugins, libraries, runtime, log } = this.#state.ports;
      const plugin = plugins.byName(name);
      if (plugin?.kind !== PluginKind.CUSTOM) {
        throw new Refusal(
          ErrorCode.LIBRARY_SYSTEM,
          plugin === undefined
            ? sentence`There is no plugin "${name}".`
            : sentence`The plugin "${plugin.name}" comes with the gateway and cannot be removed.`,
        );
      }
      const discard = await this.#state.change(async () => {
        const [node] = this.#nodesOf(plugin);
        if (node !== undefined) {
          throw new Refusal(
            ErrorCode.LIBRARY_IN_USE,
            sentence`The node "${node.name}" uses the plugin "${plugin.name}". Delete the plugin's nodes first.`,
          );
        }
        const removed = await libraries.remove(plugin);
        plugins.remove(plugin);
        runtime.retire(plugin);
        return removed;
      }, condition);
      await discard();
      await this.#endProbation(plugin);
      log.notice(`The plugin "${plugin.name}" (${plugin.id}) was removed by ${who}.`);
    }, waitingLimit);
  }

  /** How the runner of a plugin is. */
  runnerState(plugin: Plugin): PluginState {
    return this.#state.ports.runtime.pluginState(plugin);
  }

  /** Lets a debugger attach to the process of a plugin, or no more with port 0. Rejects with PLUGIN_NOT_FOUND, or with PARAM_INVALID when the port is taken. */
  debug(name: string, port: number): Promise<void> {
    return this.#lock.run(async () => {
      const { runtime, log } = this.#state.ports;
      const plugin = pluginNamed(this.#state, name, ErrorCode.PLUGIN_NOT_FOUND);
      await runtime.debug(plugin, port === 0 ? undefined : port);
      log.warn(
        port === 0
          ? `No debugger may attach to the plugin "${name}" any more.`
          : `A debugger may attach to the plugin "${name}" at 127.0.0.1:${port}; while it does, a hang of the plugin is not noticed.`,
      );
    }, waitingLimit);
  }

  /** Waits for what is under way. */
  close(): Promise<void> {
    return this.#lock.run(() => Promise.resolve());
  }

  async #install(
    archive: Archive,
    mode: InstallMode,
    condition?: Condition,
    byName?: InstallByName,
  ): Promise<Plugin> {
    const { plugins, libraries, runtime } = this.#state.ports;
    await condition?.();
    const staged = await libraries.unpack(archive);
    try {
      const { plugin } = staged;
      const old = plugins.byId(plugin.id);
      await byName?.check(staged);
      await this.#checkFree(plugin, old, mode);
      await staged.probe();
      const checked = await this.#checkNodes(plugin);
      const idle = await this.#state.change(() => this.#putInPlace(staged, old, checked), condition);
      let probation: Probation | undefined;
      try {
        probation = await runtime.replace(plugin, { trial: true });
      } catch (error) {
        if (old === undefined) throw error;
        await this.#rollBack(staged, old);
        throw isFault(error)
          ? new Refusal(
              error.code,
              sentence`${reasonOf(error)} Version ${old.version} is in its place again.`,
              {
                cause: error,
              },
            )
          : error;
      }
      if (old !== undefined && probation !== undefined) {
        this.#onProbation.set(plugin.id, staged);
        void this.#watch(staged, old, probation);
      }
      await this.#resume(idle);
      return plugin;
    } finally {
      if (this.#onProbation.get(staged.plugin.id) !== staged) await staged.discard();
    }
  }

  /** Goes back to the old version when the new one is refused by its probation, unless another one was installed meanwhile. */
  async #watch(staged: StagedLibrary, old: Plugin, { over }: Probation): Promise<void> {
    const fault = await over;
    await this.#lock.run(async () => {
      const { plugin } = staged;
      if (this.#onProbation.get(plugin.id) !== staged) return;
      if (fault !== undefined && this.#state.ports.plugins.byId(plugin.id) === plugin) {
        const { log } = this.#state.ports;
        try {
          await this.#rollBack(staged, old);
          log.error(`${fault.message} Version ${old.version} is in its place again.`);
        } catch (error) {
          log.error(
            `${fault.message} Version ${old.version} could not be put in its place: ${String(error)}`,
          );
        }
      }
      await this.#endProbation(plugin);
    });
  }

  /** Deletes the version before. */
  async #endProbation({ id }: Plugin): Promise<void> {
    const staged = this.#onProbation.get(id);
    this.#onProbation.delete(id);
    await staged?.discard();
  }

  async #checkFree(plugin: Plugin, old: Plugin | undefined, mode: InstallMode): Promise<void> {
    const { plugins } = this.#state.ports;
    if (old === undefined && mode === 'replace')
      throw new Refusal(
        ErrorCode.LIBRARY_NOT_FOUND,
        sentence`There is no plugin "${plugin.id}" that could be replaced.`,
      );
    if (old?.kind === PluginKind.SYSTEM)
      throw new Refusal(
        ErrorCode.LIBRARY_NAME_CONFLICT,
        sentence`The plugin "${plugin.id}" comes with the gateway.`,
      );
    if (old?.version === plugin.version && mode === 'install')
      throw new Refusal(
        ErrorCode.LIBRARY_NAME_CONFLICT,
        sentence`Version ${plugin.version} of the plugin "${plugin.id}" is installed already. Give a changed library another version.`,
      );
    await checkPluginName(plugin, plugins.all());
    const others = plugins.all().filter(({ id }) => id !== plugin.id);
    const lodger = others.find(
      ({ kind, library }) => kind === PluginKind.CUSTOM && library === plugin.library,
    );
    if (lodger !== undefined)
      throw new Refusal(
        ErrorCode.LIBRARY_NAME_CONFLICT,
        sentence`The library folder "${plugin.library}" is taken by the plugin "${lodger.id}".`,
      );
  }

  /** Checks the settings of a plugin's nodes against the schema of one version of it, in pieces between which other work runs. */
  async #checkNodes(plugin: Plugin): Promise<CheckedNodes> {
    const checked: CheckedNodes = new Map();
    const pace = new Pacer();
    for (const { params } of this.#nodesOf(plugin)) {
      if (pace.isDue) await pace.rest();
      if (params !== undefined) checked.set(params, settingsOf(plugin, params, this.#state.ports.dialect));
    }
    return checked;
  }

  /** Moves files, store and objects to the new version; returns the nodes that can run now and could not before. */
  async #putInPlace(staged: StagedLibrary, old: Plugin | undefined, checked: CheckedNodes): Promise<Node[]> {
    const { plugin } = staged;
    const idle = this.#nodesOf(plugin).filter(
      (node) => node.params !== undefined && node.settings === undefined,
    );
    for (const node of this.#nodesOf(plugin)) {
      if (node.plugin.nodeType !== plugin.nodeType) {
        throw updateFailed(plugin, sentence`the node "${node.name}" is of the other type`);
      }
      if (node.params !== undefined && !checked.has(node.params)) {
        throw new Refusal(
          ErrorCode.BUSY,
          sentence`The settings of the node "${node.name}" were changed at this moment. Try again.`,
        );
      }
      const result = node.settings && node.params && checked.get(node.params);
      if (result !== undefined && 'message' in result) {
        throw updateFailed(
          plugin,
          sentence`it refuses the settings of the node "${node.name}". ${result.message} Set them so that both versions take them`,
        );
      }
    }
    if (old !== undefined) await this.#state.ports.snapshots.make('upgrade');
    await this.#endProbation(plugin);
    await staged.place(old);
    try {
      await this.#adopt(plugin, checked);
    } catch (error) {
      await staged.withdraw();
      throw error;
    }
    return idle.filter(({ settings }) => settings !== undefined);
  }

  async #rollBack(staged: StagedLibrary, old: Plugin): Promise<void> {
    const checked = await this.#checkNodes(old);
    await this.#state.settle(async () => {
      await staged.withdraw();
      await this.#adopt(old, checked);
    });
    await this.#state.ports.runtime.replace(old, { trial: false });
  }

  /** Makes this version the current one of the gateway and of the plugin's nodes. */
  async #adopt(plugin: Plugin, checked: CheckedNodes): Promise<void> {
    const nodes = this.#nodesOf(plugin);
    const renamed = nodes.filter((node) => node.plugin.name !== plugin.name);
    if (renamed.length > 0) {
      await this.#state.commit({
        set: renamed.map((node) => [keys.node(node.id), nodeRecord({ ...node, plugin })]),
      });
    }
    this.#state.ports.plugins.put(plugin);
    for (const node of nodes) {
      node.plugin = plugin;
      if (node.params !== undefined) this.#apply(node, checked.get(node.params));
    }
  }

  /** `result` is missing for settings that were changed while a version was given up: those were checked when they were set. */
  #apply(node: Node, result: SettingsResult | undefined): void {
    if (result === undefined) return;
    node.settings = 'settings' in result ? result.settings : undefined;
    node.problem = undefined;
    if ('settings' in result) {
      if (node.running === RunningState.INIT) node.running = RunningState.READY;
      return;
    }
    node.running = RunningState.INIT;
    node.problem = `The node "${node.name}" does not run: the plugin "${node.plugin.name}" refuses its settings. ${result.message} Set them anew.`;
    this.#state.ports.log.error(node.problem);
  }

  async #resume(nodes: readonly Node[]): Promise<void> {
    const { outcomes } = await this.#state.settle(async () => ({
      outcomes: nodes.filter((node) => this.#state.has(node)).map((node) => this.#launches.resume(node)),
    }));
    await Promise.all(outcomes.filter((outcome) => outcome !== undefined));
  }

  #nodesOf({ id }: Plugin): Node[] {
    return [...this.#state.nodes.values()].filter((node) => node.plugin.id === id);
  }
}

function updateFailed(plugin: Plugin, reason: Sentence | string): Fault {
  return new Refusal(
    ErrorCode.LIBRARY_UPDATE_FAILED,
    sentence`Version ${plugin.version} of the plugin "${plugin.name}" cannot take the place of the one before: ${reason}.`,
  );
}
