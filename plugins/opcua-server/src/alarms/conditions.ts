import type { AlarmEvent, AppContext, Subscription } from '@tagway/sdk';
import type { AddressSpace, Namespace, UAObject } from 'node-opcua-address-space';
import { NodeClass, QualifiedName } from 'node-opcua-data-model';
import { NodeId, NodeIdType, resolveNodeId } from 'node-opcua-nodeid';
import type { Params } from '../settings.ts';
import { referenceOf } from '../space/names.ts';
import type { TagSpace } from '../space/tag-space.ts';
import { after, type Condition, type Happened, isRetained } from './condition.ts';
import { ConditionEvent } from './condition-event.ts';
import { alarmType, Fields } from './fields.ts';

/** What of the library is not in its types. */
interface Making {
  internalCreateNode(options: object): UAObject & { propagate_back_references(): void };
}
interface Normalizing {
  normalizeReferenceTypes(references: readonly object[]): readonly object[];
}
interface Emitting {
  emit(event: 'event', data: object): boolean;
}

const hasCondition = resolveNodeId('HasCondition');

type Group = Map<string, Condition>;

/** The alarms of all groups that the app subscribes to, as conditions: an alarm is there once something has happened to it. */
export class Conditions {
  readonly #context: Pick<AppContext, 'activeAlarms' | 'signal'>;
  readonly #space: AddressSpace;
  readonly #namespace: Namespace;
  readonly #tags: Pick<TagSpace, 'find'>;
  readonly #fields: Fields;
  /** By the id of the subscription, and the name of the tag. */
  readonly #groups = new Map<number, Group>();
  readonly #byReference = new Map<string, Condition>();
  #subscriptions: ReadonlyMap<number, Subscription<Params>> = new Map();
  #loading: Promise<void> = Promise.resolve();

  constructor(
    context: Pick<AppContext, 'activeAlarms' | 'signal'>,
    space: AddressSpace,
    namespace: Namespace,
    tags: Pick<TagSpace, 'find'>,
  ) {
    this.#context = context;
    this.#space = space;
    this.#namespace = namespace;
    this.#tags = tags;
    this.#fields = new Fields(space);
  }

  get size(): number {
    return this.#byReference.size;
  }

  /** The condition of a node. */
  find({ namespace, identifierType, value }: NodeId): Condition | undefined {
    if (namespace !== this.#namespace.index || identifierType !== NodeIdType.STRING) return undefined;
    return this.#byReference.get(String(value));
  }

  /** Those that a refresh shows. */
  *retained(): Generator<ConditionEvent> {
    for (const condition of this.#byReference.values())
      if (isRetained(condition)) yield new ConditionEvent(condition, this.#fields);
  }

  /** Follows the subscriptions, after the nodes of their tags have. */
  update(all: readonly Subscription<Params>[]): void {
    const before = this.#subscriptions;
    this.#subscriptions = new Map(all.map((one) => [one.id, one]));
    for (const [id, group] of this.#groups)
      if (!this.#subscriptions.has(id)) {
        for (const condition of group.values()) this.#drop(id, condition);
        this.#groups.delete(id);
      }
    const changed = all.filter((one) => before.get(one.id) !== one);
    for (const one of changed) this.#follow(one);
    this.#load(changed);
  }

  /** Looks at all alarms anew, of which nothing was heard for a time. */
  reload(): void {
    this.#load([...this.#subscriptions.values()]);
  }

  deliver(events: readonly AlarmEvent[], { id }: Subscription<Params>): void {
    const subscription = this.#subscriptions.get(id);
    if (subscription !== undefined) for (const event of events) this.#take(subscription, event);
  }

  /** Gives the conditions of a changed group nodes beside those of its tags as they are now. */
  #follow({ id, driver, group }: Subscription<Params>): void {
    const conditions = this.#groups.get(id);
    if (conditions === undefined) return;
    for (const condition of [...conditions.values()]) {
      const { tag } = condition;
      const node = this.#tags.find(referenceOf(driver, group, tag))?.node;
      if (node === undefined || condition.driver !== driver || condition.group !== group)
        this.#drop(id, condition);
      else if (node.nodeId !== condition.source) {
        this.#forget(id, condition);
        this.#put(id, { driver, group, tag }, condition);
      }
    }
  }

  #load(subscriptions: readonly Subscription<Params>[]): void {
    this.#loading = this.#loading.then(async () => {
      for (const one of subscriptions) await this.#loadGroup(one);
    });
  }

  async #loadGroup(subscription: Subscription<Params>): Promise<void> {
    const { id, driver, group } = subscription;
    const known = new Map(this.#groups.get(id));
    let events: readonly AlarmEvent[];
    try {
      events = await this.#context.activeAlarms(driver, group, { signal: this.#context.signal });
    } catch {
      // The group is gone, which the next subscriptions say, or the app ends.
      return;
    }
    if (this.#subscriptions.get(id) !== subscription) return;
    const listed = new Set(events.map(({ tag }) => tag));
    for (const event of events) this.#take(subscription, event);
    // What nothing was heard of since, and is not among those that are not normal, has become normal unseen.
    for (const [tag, condition] of known)
      if (!listed.has(tag) && isRetained(condition) && this.#groups.get(id)?.get(tag) === condition)
        this.#drop(id, condition);
  }

  #take({ id, driver, group }: Subscription<Params>, event: AlarmEvent): void {
    const before = this.#groups.get(id)?.get(event.tag);
    if (before !== undefined && before.event.sequence >= event.sequence) return;
    const happened = after(event, before);
    const condition =
      before === undefined
        ? this.#put(id, { driver, group, tag: event.tag }, happened)
        : this.#replace(id, before, happened);
    if (condition !== undefined) this.#raise(condition);
  }

  /** Makes a condition beside its tag; undefined where the tag has no node. */
  #put(
    id: number,
    { driver, group, tag }: Pick<Condition, 'driver' | 'group' | 'tag'>,
    { event, beneath, first, isGone }: Happened,
  ): Condition | undefined {
    const reference = referenceOf(driver, group, tag);
    const source = this.#tags.find(reference)?.node.nodeId;
    if (source === undefined) return undefined;
    const node = this.#make(`${reference}/Alarm`, tag, source);
    const condition = { driver, group, tag, node, source, event, beneath, first, isGone };
    let conditions = this.#groups.get(id);
    if (conditions === undefined) this.#groups.set(id, (conditions = new Map<string, Condition>()));
    conditions.set(tag, condition);
    this.#byReference.set(String(node.nodeId.value), condition);
    return condition;
  }

  #replace(id: number, before: Condition, happened: Happened): Condition {
    const condition = { ...before, ...happened };
    this.#groups.get(id)?.set(before.tag, condition);
    this.#byReference.set(String(before.node.nodeId.value), condition);
    return condition;
  }

  #drop(id: number, condition: Condition): void {
    this.#tellGone(condition);
    this.#forget(id, condition);
  }

  #forget(id: number, { node, tag }: Condition): void {
    this.#groups.get(id)?.delete(tag);
    this.#byReference.delete(String(node.nodeId.value));
    this.#namespace.deleteNode(node);
  }

  /** Has clients take it from their lists. */
  #tellGone(condition: Condition): void {
    if (isRetained(condition)) this.#raise({ ...condition, isGone: true });
  }

  #raise(condition: Condition): void {
    const { server } = this.#space.rootFolder.objects;
    (server as unknown as Emitting).emit('event', new ConditionEvent(condition, this.#fields));
  }

  #make(reference: string, name: string, source: NodeId): UAObject {
    const { index } = this.#namespace;
    const space = this.#space as unknown as Normalizing;
    const node = (this.#namespace as unknown as Making).internalCreateNode({
      nodeClass: NodeClass.Object,
      nodeId: new NodeId(NodeIdType.STRING, reference, index),
      browseName: new QualifiedName({ name, namespaceIndex: index }),
      displayName: name,
      eventNotifier: 0,
      references: space.normalizeReferenceTypes([
        { referenceType: 'HasTypeDefinition', isForward: true, nodeId: alarmType },
        { referenceType: hasCondition, isForward: false, nodeId: source },
      ]),
    });
    node.propagate_back_references();
    return node;
  }
}
