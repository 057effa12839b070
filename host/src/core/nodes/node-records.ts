import { PluginKind, RunningState } from '@tagway/schemas';
import type { Node, Params, Plugin } from '../model.ts';
import type { CreationOrder } from '../records/creation-order.ts';
import { settingsOf } from './plugins.ts';
import { isId, isNodeRecord } from '../records/record-checks.ts';
import type { NodeRecord } from '../records/records.ts';
import { sealedSettings } from '../access/secrets.ts';
import type { State } from '../records/state.ts';

/** Makes nodes of their records. */
export class NodeRecords {
  readonly byId = new Map<number, Node>();
  readonly #state: State;
  readonly #order: CreationOrder;
  /** The stored records. A node may be in another state than its record: it does not run when its plugin refuses its settings. */
  readonly #records = new Map<number, NodeRecord>();

  constructor(state: State, order: CreationOrder) {
    this.#state = state;
    this.#order = order;
  }

  /** Makes a node, or changes the one that is there. Returns what is wrong with the record. */
  put(id: number, record: unknown, renamed: (node: Node, before: string) => void): string | undefined {
    if (!isId(id) || !isNodeRecord(record)) return 'it is not a node';
    const { name, running, params, profile } = record;
    const known = this.byId.get(id);
    if (known === undefined && this.#state.nodes.has(name)) return `there is a node "${name}" already`;
    const plugin = this.#pluginOf(record, known?.plugin);
    // All is looked up before the node changes, so that a change is never half made.
    const { settings, problem } = this.#verdict(plugin, name, params);
    if (problem !== undefined && problem !== known?.problem) this.#state.ports.log.error(problem);
    const now = { name, plugin, settings, params, problem, profile };
    const state = { ...now, running: problem === undefined ? running : RunningState.INIT };
    this.#records.set(id, record);
    if (known === undefined) {
      const node: Node = { id, ...state, groups: new Map(), subscriptions: new Map() };
      this.byId.set(id, node);
      return this.#order.put(this.#state.nodes, node);
    }
    const before = known.name;
    Object.assign(known, state);
    if (before !== name) {
      this.#order.rename(this.#state.nodes);
      renamed(known, before);
    }
    return undefined;
  }

  remove(node: Node): void {
    this.byId.delete(node.id);
    this.#records.delete(node.id);
    this.#state.nodes.delete(node.name);
  }

  /** A plugin was installed, upgraded or removed: its nodes become what a start would make of their records. */
  replug(plugin: string): void {
    for (const [id, record] of this.#records)
      if (record.plugin === plugin) this.put(id, record, () => undefined);
  }

  /** The checked settings, or why the node cannot run with them: a new version of a plugin may refuse what an older one accepted. */
  #verdict(plugin: Plugin, name: string, params: Params | undefined): Pick<Node, 'settings' | 'problem'> {
    if (params === undefined || plugin.absent === true) return { settings: undefined };
    const result = settingsOf(plugin, params, this.#state.ports.dialect);
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
