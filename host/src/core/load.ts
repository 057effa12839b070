import { NodeType, PluginKind, RunningState } from '@tagway/schemas';
import { counterOf, isCount, setCounter } from './counters.ts';
import { newGroup } from './group-place.ts';
import type { Group, Node, Params, Plugin, TagGroup, Template, TemplateGroup } from './model.ts';
import { settingsOf } from './plugins.ts';
import {
  idOf,
  isGroupRecord,
  isId,
  isMachineTokenRecord,
  isNodeRecord,
  isObject,
  isSubscriptionRecord,
  isTagRecord,
  isTemplateGroupRecord,
  isTemplateRecord,
  isUserRecord,
} from './record-checks.ts';
import type { MachineTokenRecord, NodeRecord, UserRecord } from './records.ts';
import { keys, tagOf } from './records.ts';
import { sealedSettings } from './secrets.ts';
import type { State } from './state.ts';

/** How many skipped records the log names before it only counts. */
const namedSkips = 20;

export interface Loaded {
  /** By name. */
  readonly users: Map<string, UserRecord>;
  /** By name. */
  readonly machineTokens: Map<string, MachineTokenRecord>;
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
  readonly #templates = new Map<number, Template>();
  readonly #templateGroups = new Map<number, TemplateGroup>();
  readonly #users = new Map<string, UserRecord>();
  readonly #machineTokens = new Map<string, MachineTokenRecord>();
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
    // What others refer to comes first.
    const loaders = {
      sequence: (_id: number, record: unknown) => this.#sequence(record),
      node: (id: number, record: unknown) => this.#node(id, record),
      group: (id: number, record: unknown) => this.#group(id, record),
      tag: (id: number, record: unknown, key: string) => this.#tag(this.#groups, id, record, key),
      subscription: (id: number, record: unknown) => this.#subscription(id, record),
      template: (id: number, record: unknown) => this.#template(id, record),
      'template-group': (id: number, record: unknown) => this.#templateGroup(id, record),
      'template-tag': (id: number, record: unknown, key: string) =>
        this.#tag(this.#templateGroups, id, record, key),
      user: (_id: number, record: unknown, key: string) => this.#user(key, record),
      'machine-token': (_id: number, record: unknown, key: string) => this.#machineToken(key, record),
      license: (_id: number, record: unknown) => this.#takeLicense(record),
      counter: (_id: number, record: unknown, key: string) => this.#counter(key, record),
    };
    for (const [kind, loader] of Object.entries(loaders)) {
      for (const [key, record] of byKind.get(kind) ?? []) {
        const id = idOf(key);
        // Also that of a record that is skipped: it stays where it is stored.
        if (isId(id)) this.#state.seenId(id);
        const problem = loader(id, record, key);
        if (problem !== undefined) this.#skip(key, problem);
        const node = kind === 'node' ? this.#nodes.get(id) : undefined;
        if (node?.params !== undefined && !node.plugin.absent) await this.#applyParams(node, node.params);
      }
    }
    if (this.#skipped > namedSkips) {
      this.#state.ports.log.error(
        `${this.#skipped} stored records in all could not be used and were skipped.`,
      );
    }
    return {
      ...{ users: this.#users, machineTokens: this.#machineTokens, license: this.#license },
      isNew: entries.length === 0,
    };
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
    this.#nodes.set(id, node);
    this.#state.nodes.set(node.name, node);
    return undefined;
  }

  /** After an update of the library its schema may refuse what it accepted before. */
  async #applyParams(node: Node, params: Params): Promise<void> {
    const result = await settingsOf(node.plugin, params, this.#state.ports);
    const sealed = sealedSettings(params);
    if ('settings' in result && sealed.length === 0) {
      node.settings = result.settings;
      return;
    }
    node.running = RunningState.INIT;
    const reason =
      sealed.length > 0
        ? `its secrets (${sealed.join(', ')}) cannot be opened: they were stored with another key. Start the gateway with that key, or set the secrets anew.`
        : `the plugin "${node.plugin.name}" refuses the stored settings. ${'message' in result ? result.message : ''} Set them anew.`;
    node.problem = `The node "${node.name}" does not run: ${reason}`;
    this.#state.ports.log.error(node.problem);
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
    const node = this.#nodes.get(record.node);
    if (node?.plugin.nodeType !== NodeType.DRIVER) return 'its driver is gone';
    const group = newGroup(id, node, record.name, record.interval);
    return put(group, node.groups, this.#groups, 'driver');
  }

  #templateGroup(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isTemplateGroupRecord(record)) return 'it is not a group of a template';
    const template = this.#templates.get(record.template);
    if (template === undefined) return 'its template is gone';
    const group = { id, template, name: record.name, interval: record.interval, tags: new Map() };
    return put(group, template.groups, this.#templateGroups, 'template');
  }

  #tag(groups: ReadonlyMap<number, TagGroup>, id: number, record: unknown, key: string): string | undefined {
    if (!isId(id) || !isTagRecord(record)) return 'it is not a tag';
    const [, groupId] = key.split('/');
    const group = groups.get(Number(groupId));
    if (group === undefined) return 'its group is gone';
    if (group.tags.has(record.name)) return `its group has a tag "${record.name}" already`;
    group.tags.set(record.name, tagOf(id, record));
    return undefined;
  }

  #template(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isTemplateRecord(record)) return 'it is not a template';
    const { name, plugin, pluginName } = record;
    if (this.#state.templates.has(name)) return `there is a template "${name}" already`;
    const template: Template = { id, name, plugin, pluginName, groups: new Map() };
    this.#templates.set(id, template);
    this.#state.templates.set(name, template);
    return undefined;
  }

  #subscription(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isSubscriptionRecord(record)) return 'it is not a subscription';
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

  #counter(key: string, record: unknown): string | undefined {
    const { node: id, name } = counterOf(key);
    const node = this.#nodes.get(id);
    if (!isCount(record)) return 'it is not a number';
    if (node === undefined) return 'its node is gone';
    setCounter(node, name, record);
    return undefined;
  }

  #user(key: string, record: unknown): string | undefined {
    if (!isUserRecord(record)) return 'it is not a user';
    this.#users.set(key.slice(keys.user('').length), record);
    return undefined;
  }

  #machineToken(key: string, record: unknown): string | undefined {
    if (!isMachineTokenRecord(record)) return 'it is not a token of a machine';
    this.#machineTokens.set(key.slice(keys.machineToken('').length), record);
    return undefined;
  }
}

/** Puts a group where its owner has it and where its tags will look for it. */
function put<G extends TagGroup>(
  group: G,
  siblings: Map<string, G>,
  byId: Map<number, G>,
  owner: string,
): string | undefined {
  if (siblings.has(group.name)) return `its ${owner} has a group "${group.name}" already`;
  byId.set(group.id, group);
  siblings.set(group.name, group);
  return undefined;
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
