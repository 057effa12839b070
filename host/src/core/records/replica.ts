import { NodeType } from '@tagway/schemas';
import { takeCounter } from './counters.ts';
import { dropAlarm, dropPiece, takeAlarm, takePiece } from '../alarms/recording.ts';
import { dropText, takeText } from './node-texts.ts';
import { newGroup } from '../tags/group-owners.ts';
import type { AnyGroup, Group, Node, Subscription, Template, TemplateGroup } from '../model.ts';
import { AccessRecords } from './access-records.ts';
import { CreationOrder } from './creation-order.ts';
import { NodeRecords } from '../nodes/node-records.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { Pacer } from '../system/pacer.ts';
import type { StoreChanges } from '../ports/ports.ts';
import {
  idOf,
  isGroupRecord,
  isId,
  isSubscriptionRecord,
  isTemplateGroupRecord,
  isTemplateRecord,
} from './record-checks.ts';
import type { State } from './state.ts';
import { TagRecords } from '../tags/tag-records.ts';
import { newTouched, type Touched } from './touched.ts';
import { paceOf } from '../tags/group-pace.ts';

/** How many skipped records the log names before it only counts. */
const namedSkips = 20;

type Entry = readonly [key: string, record: unknown];

/**
 * Makes and changes the objects of a state by records: all that is stored at a start, and later those that another gateway has changed.
 * The order of the ids is the order of creation, whatever the order of the records. A record that cannot be used is named in the log and
 * skipped, so that the gateway starts whatever is stored. Nothing else may change the objects between two calls.
 */
export class Replica {
  readonly access = new AccessRecords();
  /** Nothing was stored when it was loaded: this is the first start. */
  readonly isNew: boolean;
  readonly #state: State;
  readonly #groups = new Map<number, Group>();
  readonly #subscriptions = new Map<number, Subscription>();
  readonly #templates = new Map<number, Template>();
  readonly #templateGroups = new Map<number, TemplateGroup>();
  readonly #order = new CreationOrder();
  readonly #nodes: NodeRecords;
  #touched = newTouched();
  #skipped = 0;

  /** Fills a state from its store. */
  static async load(state: State): Promise<Replica> {
    const entries = await state.ports.store.load();
    const replica = new Replica(state, entries.length === 0);
    await replica.apply({ set: entries });
    return replica;
  }

  private constructor(state: State, isNew: boolean) {
    this.#state = state;
    this.isNew = isNew;
    this.#nodes = new NodeRecords(state, this.#order);
  }

  /** Applies changes in pieces, between which a reader may see a part of them. A record that is both set and deleted is deleted. */
  async apply({ set = [], delete: deleted = [] }: StoreChanges): Promise<Touched> {
    this.#touched = newTouched();
    this.#skipped = 0;
    const pace = new Pacer();
    // Also the id of a record that is skipped: it stays where it is stored.
    const seen = (id: number): void => (isId(id) ? this.#state.seenId(id) : undefined);
    const tags = new TagRecords(this.#groups, this.#order, pace, seen);
    const templateTags = new TagRecords(this.#templateGroups, this.#order, pace, seen);
    const deletions = await byKind(
      Array.from(deleted, (key): Entry => [key, undefined]),
      pace,
    );
    const gone = new Set([...deletions.values()].flatMap((entries) => entries.map(([key]) => key)));
    const puts = await byKind(set, pace, gone);
    for (const [key] of deletions.get('text') ?? []) dropText(this.#nodes.byId, key);
    for (const [key] of deletions.get('journal') ?? []) dropPiece(this.#nodes.byId, key);
    for (const [key] of deletions.get('alarm') ?? []) dropAlarm(this.#nodes.byId, key);
    // Records that others refer to are deleted last, with all that belongs to them.
    for (const [key] of deletions.get('subscription') ?? [])
      this.#unsubscribe(this.#subscriptions.get(idOf(key)));
    for (const [key] of deletions.get('node') ?? []) this.#removeNode(idOf(key));
    for (const [key] of deletions.get('template') ?? []) this.#removeTemplate(idOf(key));
    for (const [key] of deletions.get('group') ?? []) this.#removeGroup(this.#groups.get(idOf(key)));
    for (const [key] of deletions.get('template-group') ?? []) this.#removeTemplateGroup(idOf(key));
    await tags.remove(deletions.get('tag') ?? []);
    await templateTags.remove(deletions.get('template-tag') ?? []);
    for (const kind of AccessRecords.kinds)
      for (const [key] of deletions.get(kind) ?? []) this.access.remove(key, this.#touched);
    // Records that others refer to are set first.
    for (const [, record] of puts.get('sequence') ?? []) if (isId(record)) this.#state.seenId(record);
    const renamed = (node: Node, before: string): void => {
      this.#touched.gone.names.push(before);
      for (const group of node.groups.values()) this.#touched.groups.add(group);
    };
    const putAccess = (entry: Entry): string | undefined => this.access.put(entry, this.#touched);
    const readers: Record<string, (entry: Entry, id: number) => string | undefined> = {
      node: ([, record], id) => this.#putNode(id, record, renamed),
      group: ([, record], id) => this.#group(id, record),
      subscription: ([, record], id) => this.#subscription(id, record),
      template: ([, record], id) => this.#template(id, record),
      'template-group': ([, record], id) => this.#templateGroup(id, record),
      ...Object.fromEntries(AccessRecords.kinds.map((kind) => [kind, putAccess])),
      counter: ([key, record]) => takeCounter(this.#nodes.byId, key, record),
      text: ([key, record]) => takeText(this.#nodes.byId, key, record),
      journal: ([key, record]) => takePiece(this.#nodes.byId, key, record),
      alarm: ([key, record]) => takeAlarm(this.#nodes.byId, key, record),
    };
    for (const [kind, read] of Object.entries(readers)) {
      // Known ones first: a new one may have the old name of a known one.
      const [known, fresh] = this.#split(kind, puts.get(kind) ?? []);
      for (const entries of [known, fresh]) {
        for (const entry of entries) {
          const id = idOf(entry[0]);
          seen(id);
          const problem = read(entry, id);
          if (problem !== undefined) this.#skip(entry[0], problem);
          if (pace.isDue) await pace.rest();
        }
        this.#order.settle();
      }
    }
    const skip = (key: string, problem: string): void => this.#skip(key, problem);
    await tags.put(puts.get('tag') ?? [], skip);
    await templateTags.put(puts.get('template-tag') ?? [], skip);
    for (const group of tags.touched) this.#touched.groups.add(group);
    if (this.#skipped > namedSkips)
      this.#state.ports.log.error(
        `${this.#skipped} stored records in all could not be used and were skipped.`,
      );
    return this.#touched;
  }

  /** A plugin was installed, upgraded or removed: its nodes become what a start would make of their records. */
  replug(plugin: string): void {
    this.#nodes.replug(plugin);
  }

  #split(kind: string, entries: readonly Entry[]): [known: Entry[], fresh: Entry[]] {
    const byId: ReadonlyMap<number, unknown> | undefined = {
      node: this.#nodes.byId,
      group: this.#groups,
      'template-group': this.#templateGroups,
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

  #putNode(id: number, record: unknown, renamed: (node: Node, before: string) => void): string | undefined {
    const problem = this.#nodes.put(id, record, renamed);
    const node = this.#nodes.byId.get(id);
    if (node !== undefined) this.#touched.nodes.add(node);
    return problem;
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
    const fresh = newGroup(id, node, { ...record, pace: paceOf(record) });
    const problem = this.#putGroup(fresh, this.#groups, (group) => group.node.groups, 'driver');
    const group = this.#groups.get(id);
    if (group !== undefined) this.#touched.groups.add(group);
    return problem;
  }

  #templateGroup(id: number, record: unknown): string | undefined {
    if (!isId(id) || !isTemplateGroupRecord(record)) return 'it is not a group of a template';
    const template = this.#templates.get(record.template);
    if (template === undefined) return 'its template is gone';
    const { name, interval, history = 0 } = record;
    const pace = paceOf(record);
    const fresh: TemplateGroup = { id, template, name, interval, history, pace, tags: new Map() };
    return this.#putGroup(fresh, this.#templateGroups, (group) => group.template.groups, 'template');
  }

  /** Adds a group to its owner and to `byId`, or changes the group that has its id. */
  #putGroup<G extends AnyGroup>(
    fresh: G,
    byId: Map<number, G>,
    siblingsOf: (group: G) => Map<string, G>,
    owner: string,
  ): string | undefined {
    const { id, name, interval, history, pace } = fresh;
    const known = byId.get(id);
    if (known === undefined) {
      const siblings = siblingsOf(fresh);
      if (siblings.has(name)) return `its ${owner} has a group "${name}" already`;
      byId.set(id, fresh);
      return this.#order.put(siblings, fresh);
    }
    if (known.name !== name) this.#order.rename(siblingsOf(known));
    Object.assign(known, { name, interval, history, pace });
    return undefined;
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
    return this.#order.put(this.#state.templates, template);
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
    if (known?.id === id) return void (known.params = params);
    if (known !== undefined) return 'it exists twice';
    const subscription = { id, app, group, params };
    this.#subscriptions.set(id, subscription);
    this.#order.append(app.subscriptions, group, subscription);
    this.#order.append(group.subscriptions, app, subscription);
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
}

/** Entries by their kind, which is the first part of the key; keys in `without` are left out. */
async function byKind(
  entries: Iterable<Entry>,
  pace: Pacer,
  without: ReadonlySet<string> = new Set(),
): Promise<Map<string, Entry[]>> {
  const kinds = new Map<string, Entry[]>();
  for (const entry of entries) {
    if (pace.isDue) await pace.rest();
    if (without.has(entry[0])) continue;
    getOrMake(kinds, entry[0].split('/', 1)[0] ?? '', (): Entry[] => []).push(entry);
  }
  return kinds;
}
