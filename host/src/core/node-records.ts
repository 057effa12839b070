import { PluginKind, RunningState } from '@tagway/schemas';
import type { Node, Params, Plugin } from './model.ts';
import type { NamedPlaces } from './named-places.ts';
import { settingsOf } from './plugins.ts';
import { isId, isNodeRecord } from './record-checks.ts';
import type { NodeRecord } from './records.ts';
import { sealedSettings } from './secrets.ts';
import type { State } from './state.ts';

/** The nodes that records stand for. */
export class NodeRecords {
  readonly byId = new Map<number, Node>();
  readonly #state: State;
  readonly #places: NamedPlaces;
  /** What is stored of nodes, which may run otherwise: one whose plugin refuses its settings does not. */
  readonly #records = new Map<number, NodeRecord>();

  constructor(state: State, places: NamedPlaces) {
    this.#state = state;
    this.#places = places;
  }

  /** Makes a node, or changes the one that is there. Resolves with what is wrong with the record. */
  async put(
    id: number,
    record: unknown,
    renamed: (node: Node, before: string) => void,
  ): Promise<string | undefined> {
    if (!isId(id) || !isNodeRecord(record)) return 'it is not a node';
    const { name, running, params } = record;
    const known = this.byId.get(id);
    if (known === undefined && this.#state.nodes.has(name)) return `there is a node "${name}" already`;
    const plugin = this.#pluginOf(record, known?.plugin);
    // What the node is is found out before anything of it changes.
    const { settings, problem } = await this.#verdict(plugin, name, params);
    if (problem !== undefined && problem !== known?.problem) this.#state.ports.log.error(problem);
    const now = { name, plugin, settings, params, problem };
    const state = { ...now, running: problem === undefined ? running : RunningState.INIT };
    this.#records.set(id, record);
    if (known === undefined) {
      const node: Node = { id, ...state, groups: new Map(), subscriptions: new Map() };
      this.byId.set(id, node);
      return this.#places.put(this.#state.nodes, node);
    }
    const before = known.name;
    Object.assign(known, state);
    if (before !== name) {
      this.#places.rename(this.#state.nodes);
      renamed(known, before);
    }
    return undefined;
  }

  remove(node: Node): void {
    this.byId.delete(node.id);
    this.#records.delete(node.id);
    this.#state.nodes.delete(node.name);
  }

  /** Another version of a plugin is there, or it is gone: its nodes are as a start would make them. */
  async replug(plugin: string): Promise<void> {
    for (const [id, record] of this.#records)
      if (record.plugin === plugin) await this.put(id, record, () => undefined);
  }

  /** After an update of the library its schema may refuse what it accepted before. */
  async #verdict(
    plugin: Plugin,
    name: string,
    params: Params | undefined,
  ): Promise<Pick<Node, 'settings' | 'problem'>> {
    if (params === undefined || plugin.absent === true) return { settings: undefined };
    const result = await settingsOf(plugin, params, this.#state.ports);
    const sealed = sealedSettings(params);
    if ('settings' in result && sealed.length === 0) return { settings: result.settings };
    const reason =
      sealed.length > 0
        ? `its secrets (${sealed.join(', ')}) cannot be opened: they were stored with another key. Start the gateway with that key, or set the secrets anew.`
        : `the plugin "${plugin.name}" refuses the stored settings. ${'message' in result ? result.message : ''} Set them anew.`;
    return { settings: undefined, problem: `The node "${name}" does not run: ${reason}` };
  }

  #pluginOf(record: NodeRecord, known: Plugin | undefined): Plugin {
    const plugin = this.#state.ports.plugins.byId(record.plugin);
    if (plugin !== undefined && plugin.nodeType === record.type) return plugin;
    if (known?.absent === true && known.name === record.pluginName) return known;
    this.#state.ports.log.error(
      `The node "${record.name}" does not run: its plugin "${record.pluginName}" (${record.plugin}) is missing. ` +
        'The node is kept and runs again once the library is installed.',
    );
    return standIn(record);
  }
}

function standIn(record: NodeRecord): Plugin {
  return {
    id: record.plugin,
    name: record.pluginName,
    nodeType: record.type,
    kind: PluginKind.CUSTOM,
    version: '',
    library: '',
    description: '',
    descriptionZh: '',
    main: '',
    settingsSchema: {},
    groupInterval: 0,
    addresses: [],
    writesMany: false,
    absent: true,
  };
}
