import { NodeType } from '@tagway/schemas';
import { takeCounter } from './counters.ts';
import { newGroup } from './group-place.ts';
import type { Group, Node, Subscription, TagGroup, Template, TemplateGroup } from './model.ts';
import { NamedPlaces } from './named-places.ts';
import { NodeRecords } from './node-records.ts';
import { Pace } from './pace.ts';
import type { StoreChanges } from './ports.ts';
import {
  idOf,
  isGroupRecord,
  isId,
  isMachineTokenRecord,
  isObject,
  isSubscriptionRecord,
  isTemplateGroupRecord,
  isTemplateRecord,
  isUserRecord,
} from './record-checks.ts';
import type { MachineTokenRecord, UserRecord } from './records.ts';
import { keys } from './records.ts';
import type { State } from './state.ts';
import { TagRecords } from './tag-records.ts';

/** How many skipped records the log names before it only counts. */
const namedSkips = 20;

type Entry = readonly [key: string, record: unknown];

/** What changes of records have changed of the objects. */
export interface Touched {
  /** New ones, and those whose name, interval or tags changed. */
  readonly groups: Set<Group>;
  readonly gone: { readonly nodes: Node[]; readonly groups: Group[]; readonly names: string[] };
  /** Apps whose subscriptions changed. */
  readonly apps: Set<Node>;
  machineTokens: boolean;
  license: boolean;
}

/**
 * Makes and changes the objects of a state as records say: all that is stored at a start, and later what another gateway has changed.
 * The order of the ids is the order of creation, whatever the order of the records. A record that cannot be used is named in the log and
 * skipped: nothing that is stored keeps the gateway from starting. Nobody else may change the objects between two calls.
 */
export class Replica {
  /** By name. */
  readonly users = new Map<string, UserRecord>();
  /** By name. */
  readonly machineTokens = new Map<string, MachineTokenRecord>();
  /** The certificate, not looked at yet. */
  license: string | undefined;
  readonly #state: State;
  readonly #groups = new Map<number, Group>();
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #templates = new Map<number, Template>();
  readonly #templateGroups = new Map<number, TemplateGroup>();
  readonly #places = new NamedPlaces();
  readonly #nodes: NodeRecords;
  #touched = newTouched();
  #skipped = 0;

  constructor(state: State) {
    this.#state = state;
    this.#nodes = new NodeRecords(state, this.#places);
  }

  /** Applies changes in pieces; who reads meanwhile may see a part of them. A record that is both set and deleted is deleted. */
  async apply({ set = [], delete: deleted = [] }: StoreChanges): Promise<Touched> {
    this.#touched = newTouched();
    this.#skipped = 0;
    const pace = new Pace();
    // Also the id of a record that is skipped: it stays where it is stored.
    const seen = (id: number): void => (isId(id) ? this.#state.seenId(id) : undefined);
    const tags = new TagRecords(this.#groups, this.#places, pace, seen);
    const templateTags = new TagRecords(this.#templateGroups, this.#places, pace, seen);
    const dead = await byKind(
      Array.from(deleted, (key): Entry => [key, undefined]),
      pace,
    );
    const gone = new Set([...dead.values()].flatMap((entries) => entries.map(([key]) => key)));
    const live = await byKind(set, pace, gone);
    // What others refer to goes last, and what is under it goes with it.
    for (const [key] of dead.get('subscription') ?? []) this.#unsubscribe(this.#subscriptions.get(idOf(key)));
    for (const [key] of dead.get('node') ?? []) this.#removeNode(idOf(key));
    for (const [key] of dead.get('template') ?? []) this.#removeTemplate(idOf(key));
    for (const [key] of dead.get('group') ?? []) this.#removeGroup(this.#groups.get(idOf(key)));
    for (const [key] of dead.get('template-group') ?? []) this.#removeTemplateGroup(idOf(key));
    await tags.remove(dead.get('tag') ?? []);
    await templateTags.remove(dead.get('template-tag') ?? []);
    for (const kind of ['user', 'machine-token', 'license']) this.#removeOther(kind, dead.get(kind) ?? []);
    // And what they refer to comes first.
    for (const [, record] of live.get('sequence') ?? []) if (isId(record)) this.#state.seenId(record);
    const renamed = (node: Node, before: string): void => {
      this.#touched.gone.names.push(before);
      for (const group of node.groups.values()) this.#touched.groups.add(group);
    };
    const takers: Record<
      string,
      (entry: Entry, id: number) => Promise<string | undefined> | string | undefined
    > = {
      node: ([, record], id) => this.#nodes.put(id, record, renamed),
      group: ([, record], id) => this.#group(id, record),
      subscription: ([, record], id) => this.#subscription(id, record),
      template: ([, record], id) => this.#template(id, record),
      'template-group': ([, record], id) => this.#templateGroup(id, record),
      user: ([key, record]) => this.#user(key, record),
      'machine-token': ([key, record]) => this.#machineToken(key, record),
      license: ([, record]) => this.#takeLicense(record),
      counter: ([key, record]) => takeCounter(this.#nodes.byId, key, record),
    };
    for (const [kind, take] of Object.entries(takers)) {
      // Those that are there first: another may have taken the name that one of them gave up.
      const [known, fresh] = this.#split(kind, live.get(kind) ?? []);
      for (const entries of [known, fresh]) {
        for (const entry of entries) {
          const id = idOf(entry[0]);
          seen(id);
          const problem = await take(entry, id);
          if (problem !== undefined) this.#skip(entry[0], problem);
          if (pace.isDue) await pace.rest();
        }
        this.#places.settle();
      }
    }
    const skip = (key: string, problem: string): void => this.#skip(key, problem);
    await tags.put(live.get('tag') ?? [], skip);
    await templateTags.put(live.get('template-tag') ?? [], skip);
    for (const group of tags.touched) this.#touched.groups.add(group);
    if (this.#skipped > namedSkips)
      this.#state.ports.log.error(
        `${this.#skipped} stored records in all could not be used and were skipped.`,
      );
    return this.#touched;
  }

  /** Another version of a plugin is there, or it is gone: its nodes are as a start would make them. */
  replug(plugin: string): Promise<void> {
    return this.#nodes.replug(plugin);
  }

  #split(kind: string, entries: readonly Entry[]): [known: Entry[], fresh: Entry[]] {
    const byId: ReadonlyMap<number, unknown> | undefined = {
      ...{ node: this.#nodes.byId, group: this.#groups, 'template-group': this.#templateGroups },
    }[kind];
    if (byId === undefined || byId.size === 0) return [[], [...entries]];
    const isKnown = ([key]: Entry): boolean => byId.has(idOf(key));
    return [entries.filter(isKnown), entries.filter((entry) => !isKnown(entry))];
  }

  #skip(key: string, problem: string): void {
    this.#skipped++;
    if (this.#skipped <= namedSkips)
      this.#state.ports.log.error(`The stored record "${key}" was skipped: ${problem}.`);
  }

  #removeNode(id: number): void {
    const node = this.#nodes.byId.get(id);
    if (node === undefined) return;
    for (const one of [...node.subscriptions.values()]) this.#unsubscribe(one);
    for (const group of [...node.groups.values()]) this.#forgetGroup(group);
    this.#nodes.remove(node);
    this.#touched.gone.nodes.push(node);
  }

  #group(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isGroupRecord(record)) return 'it is not a group';
    const node = this.#nodes.byId.get(record.node);
    if (node?.plugin.nodeType !== NodeType.DRIVER) return 'its driver is gone';
    const known = this.#groups.get(id);
    if (known !== undefined) this.#touched.groups.add(known);
    if (known !== undefined) return this.#change(known, known.node.groups, record);
    const group = newGroup(id, node, record.name, record.interval);
    const problem = this.#putGroup(group, node.groups, this.#groups, 'driver');
    if (problem === undefined) this.#touched.groups.add(group);
    return problem;
  }

  #templateGroup(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isTemplateGroupRecord(record)) return 'it is not a group of a template';
    const template = this.#templates.get(record.template);
    if (template === undefined) return 'its template is gone';
    const known = this.#templateGroups.get(id);
    if (known !== undefined) return this.#change(known, known.template.groups, record);
    const group = { id, template, name: record.name, interval: record.interval, tags: new Map() };
    return this.#putGroup(group, template.groups, this.#templateGroups, 'template');
  }

  #change(
    group: TagGroup,
    siblings: Map<string, TagGroup>,
    { name, interval }: Pick<TagGroup, 'name' | 'interval'>,
  ): undefined {
    group.interval = interval;
    if (group.name !== name) this.#places.rename(siblings);
    group.name = name;
    return undefined;
  }

  /** Puts a group where its owner has it and where its tags will look for it. */
  #putGroup<G extends TagGroup>(
    group: G,
    siblings: Map<string, G>,
    byId: Map<number, G>,
    owner: string,
  ): string | undefined {
    if (siblings.has(group.name)) return `its ${owner} has a group "${group.name}" already`;
    byId.set(group.id, group);
    return this.#places.put(siblings, group);
  }

  #removeGroup(group: Group | undefined): void {
    if (group === undefined) return;
    this.#forgetGroup(group);
    group.node.groups.delete(group.name);
    this.#touched.gone.groups.push(group);
  }

  #forgetGroup(group: Group): void {
    for (const one of [...group.subscriptions.values()]) this.#unsubscribe(one);
    this.#groups.delete(group.id);
  }

  #removeTemplateGroup(id: number): void {
    const group = this.#templateGroups.get(id);
    group?.template.groups.delete(group.name);
    this.#templateGroups.delete(id);
  }

  #template(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isTemplateRecord(record)) return 'it is not a template';
    const { name, plugin, pluginName } = record;
    if (this.#state.templates.has(name)) return `there is a template "${name}" already`;
    const template: Template = { id, name, plugin, pluginName, groups: new Map() };
    this.#templates.set(id, template);
    return this.#places.put(this.#state.templates, template);
  }

  #removeTemplate(id: number): void {
    const template = this.#templates.get(id);
    if (template === undefined) return;
    for (const group of template.groups.values()) this.#templateGroups.delete(group.id);
    this.#templates.delete(id);
    this.#state.templates.delete(template.name);
  }

  #subscription(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isSubscriptionRecord(record)) return 'it is not a subscription';
    const app = this.#nodes.byId.get(record.app);
    const group = this.#groups.get(record.group);
    if (app?.plugin.nodeType !== NodeType.APP) return 'its app is gone';
    if (group === undefined) return 'its group is gone';
    const { params } = record;
    const known = app.subscriptions.get(group);
    this.#touched.apps.add(app);
    if (known?.id === id) {
      known.params = params;
      return undefined;
    }
    if (known !== undefined) return 'it exists twice';
    const subscription = { id, app, group, params };
    this.#subscriptions.set(id, subscription);
    this.#places.append(app.subscriptions, group, subscription);
    this.#places.append(group.subscriptions, app, subscription);
    return undefined;
  }

  #unsubscribe(subscription: Subscription | undefined): void {
    if (subscription === undefined) return;
    const { id, app, group } = subscription;
    this.#subscriptions.delete(id);
    app.subscriptions.delete(group);
    group.subscriptions.delete(app);
    this.#touched.apps.add(app);
  }

  #takeLicense(record: unknown): string | undefined {
    if (!isObject(record) || typeof record['certificate'] !== 'string') return 'it is not a license';
    this.license = record['certificate'];
    this.#touched.license = true;
    return undefined;
  }

  #user(key: string, record: unknown): string | undefined {
    if (!isUserRecord(record)) return 'it is not a user';
    this.users.set(key.slice(keys.user('').length), record);
    return undefined;
  }

  #machineToken(key: string, record: unknown): string | undefined {
    if (!isMachineTokenRecord(record)) return 'it is not a token of a machine';
    this.machineTokens.set(key.slice(keys.machineToken('').length), record);
    this.#touched.machineTokens = true;
    return undefined;
  }

  #removeOther(kind: string, entries: readonly Entry[]): void {
    for (const [key] of entries) {
      const name = key.slice(kind.length + 1);
      if (kind === 'user') this.users.delete(name);
      else if (kind === 'machine-token') this.machineTokens.delete(name);
      else this.license = undefined;
      this.#touched.machineTokens ||= kind === 'machine-token';
      this.#touched.license ||= kind === 'license';
    }
  }
}

function newTouched(): Touched {
  return {
    ...{ groups: new Set(), apps: new Set(), gone: { nodes: [], groups: [], names: [] } },
    ...{ machineTokens: false, license: false },
  };
}

/** Entries by what they are of, which the first part of their keys says, without some keys. */
async function byKind(
  entries: Iterable<Entry>,
  pace: Pace,
  without: ReadonlySet<string> = new Set(),
): Promise<Map<string, Entry[]>> {
  const kinds = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (pace.isDue) await pace.rest();
    if (without.has(entry[0])) continue;
    const kind = entry[0].split('/', 1)[0] ?? '';
    const others = kinds.get(kind);
    if (others === undefined) kinds.set(kind, [entry]);
    else others.push(entry);
  }
  return kinds;
}
