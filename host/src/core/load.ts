import { NodeType, PluginKind, RunningState } from '@tagway/schemas';
import { newGroup } from './groups.ts';
import type { Group, Node, Params, Plugin } from './model.ts';
import { settingsOf } from './plugins.ts';
import { TemplateLoader } from './load-templates.ts';
import {
  idOf,
  isGroupRecord,
  isId,
  isNodeRecord,
  isObject,
  isSubscriptionRecord,
  isTagRecord,
} from './record-checks.ts';
import type { NodeRecord, UserRecord } from './records.ts';
import { keys, tagOf } from './records.ts';
import type { State } from './state.ts';

/** How many skipped records the log names before it only counts. */
const namedSkips = 20;

export interface Loaded {
  /** By name. */
  readonly users: Map<string, UserRecord>;
  /** The certificate, not looked at yet. */
  readonly license: string | undefined;
  /** Nothing is stored: this is the first start. */
  readonly isNew: boolean;
}

/**
 * Fills the state from the store and returns the users. A record that cannot be used is named in the log, left alone
 * and skipped: nothing that is stored keeps the gateway from starting.
 */
export function load(state: State): Promise<Loaded> {
  return new Loader(state).load();
}

type Entry = readonly [key: string, record: unknown];

class Loader {
  readonly #state: State;
  readonly #nodes = new Map<number, Node>();
  readonly #groups = new Map<number, Group>();
  readonly #users = new Map<string, UserRecord>();
  #license: string | undefined;
  #skipped = 0;

  constructor(state: State) {
    this.#state = state;
  }

  async load(): Promise<Loaded> {
    const byKind = new Map<string, Entry[]>();
    const entries = await this.#state.ports.store.load();
    for (const entry of entries) {
      const kind = entry[0].split('/', 1)[0] ?? '';
      const others = byKind.get(kind);
      if (others === undefined) byKind.set(kind, [entry]);
      else others.push(entry);
    }
    const templates = new TemplateLoader(this.#state);
    // What others refer to comes first.
    const loaders = {
      sequence: ([, record]: Entry) => this.#sequence(record),
      node: ([key, record]: Entry) => this.#node(idOf(key), record),
      group: ([key, record]: Entry) => this.#group(idOf(key), record),
      tag: ([key, record]: Entry) => this.#tag(key, record),
      subscription: ([key, record]: Entry) => this.#subscription(idOf(key), record),
      template: ([key, record]: Entry) => templates.template(key, record),
      'template-group': ([key, record]: Entry) => templates.group(key, record),
      'template-tag': ([key, record]: Entry) => templates.tag(key, record),
      user: ([key, record]: Entry) => this.#user(key, record),
      license: ([, record]: Entry) => this.#takeLicense(record),
    };
    for (const [kind, loader] of Object.entries(loaders)) {
      for (const entry of byKind.get(kind) ?? []) {
        const problem = loader(entry);
        if (problem !== undefined) this.#skip(entry[0], problem);
      }
    }
    if (this.#skipped > namedSkips) {
      this.#state.ports.log.error(
        `${this.#skipped} stored records in all could not be used and were skipped.`,
      );
    }
    return { users: this.#users, license: this.#license, isNew: entries.length === 0 };
  }

  #skip(key: string, problem: string): void {
    this.#skipped++;
    if (this.#skipped <= namedSkips) {
      this.#state.ports.log.error(`The stored record "${key}" was skipped: ${problem}.`);
    }
  }

  #sequence(record: unknown): string | undefined {
    if (!isId(record)) return 'it is not a number';
    this.#state.seenId(record);
    return undefined;
  }

  #node(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isNodeRecord(record)) return 'it is not a node';
    this.#state.seenId(id);
    if (this.#state.nodes.has(record.name)) return `there is a node "${record.name}" already`;
    const plugin = this.#plugin(record);
    const node: Node = {
      id,
      name: record.name,
      plugin,
      running: record.running,
      settings: undefined,
      params: record.params,
      groups: new Map(),
      subscriptions: new Map(),
    };
    if (record.params !== undefined && !plugin.absent) this.#applyParams(node, record.params);
    this.#nodes.set(id, node);
    this.#state.nodes.set(node.name, node);
    return undefined;
  }

  /** After an update of the library its schema may refuse what it accepted before. */
  #applyParams(node: Node, params: Params): void {
    const result = settingsOf(node.plugin, params);
    if ('settings' in result) {
      node.settings = result.settings;
      return;
    }
    node.running = RunningState.INIT;
    this.#state.ports.log.error(
      `The node "${node.name}" does not run: the plugin "${node.plugin.name}" refuses the stored settings. ` +
        `${result.message} Set them anew.`,
    );
  }

  #plugin(record: NodeRecord): Plugin {
    const plugin = this.#state.ports.plugins.byId(record.plugin);
    if (plugin !== undefined && plugin.nodeType === record.type) return plugin;
    this.#state.ports.log.error(
      `The node "${record.name}" does not run: its plugin "${record.pluginName}" (${record.plugin}) is missing. ` +
        'The node is kept and runs again once the library is installed.',
    );
    return standIn(record);
  }

  #group(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isGroupRecord(record)) return 'it is not a group';
    this.#state.seenId(id);
    const node = this.#nodes.get(record.node);
    if (node?.plugin.nodeType !== NodeType.DRIVER) return 'its driver is gone';
    if (node.groups.has(record.name)) return `its driver has a group "${record.name}" already`;
    const group = newGroup(id, node, record.name, record.interval);
    this.#groups.set(id, group);
    node.groups.set(group.name, group);
    return undefined;
  }

  #tag(key: string, record: unknown): string | undefined {
    const [, groupId, tagId] = key.split('/');
    const id = Number(tagId);
    if (!isId(id) || !isTagRecord(record)) return 'it is not a tag';
    this.#state.seenId(id);
    const group = this.#groups.get(Number(groupId));
    if (group === undefined) return 'its group is gone';
    if (group.tags.has(record.name)) return `its group has a tag "${record.name}" already`;
    group.tags.set(record.name, tagOf(id, record));
    return undefined;
  }

  #subscription(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isSubscriptionRecord(record)) return 'it is not a subscription';
    this.#state.seenId(id);
    const app = this.#nodes.get(record.app);
    const group = this.#groups.get(record.group);
    if (app?.plugin.nodeType !== NodeType.APP) return 'its app is gone';
    if (group === undefined) return 'its group is gone';
    if (app.subscriptions.has(group)) return 'it exists twice';
    const subscription = { id, app, group, params: record.params };
    app.subscriptions.set(group, subscription);
    group.subscriptions.set(app, subscription);
    return undefined;
  }

  #takeLicense(record: unknown): string | undefined {
    if (!isObject(record) || typeof record['certificate'] !== 'string') return 'it is not a license';
    this.#license = record['certificate'];
    return undefined;
  }

  #user(key: string, record: unknown): string | undefined {
    if (!isObject(record) || typeof record['hash'] !== 'string' || typeof record['salt'] !== 'string')
      return 'it is not a user';
    this.#users.set(key.slice(keys.user('').length), { hash: record['hash'], salt: record['salt'] });
    return undefined;
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
