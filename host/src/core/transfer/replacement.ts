import { alarmKeys } from '../alarms/recording.ts';
import type { Node, Subscription, Template } from '../model.ts';
import type { StoreChanges } from '../ports/ports.ts';
import {
  type Entry,
  groupEntries,
  groupKeys,
  keys,
  nodeRecord,
  subscriptionRecord,
} from '../records/records.ts';
import { templateEntries, templateKeys } from '../templates/template-drafts.ts';

/** What takes the place of what. */
export interface Replacement {
  readonly old: readonly Node[];
  readonly fresh: readonly Node[];
  readonly subscriptions: readonly Subscription[];
  /** Undefined: those that are there stay. */
  readonly templates?: { readonly old: readonly Template[]; readonly fresh: readonly Template[] } | undefined;
}

/** Of an app its own, and those to the groups of a driver. */
export function subscriptionsOf(node: Node): Subscription[] {
  const toGroups = [...node.groups.values()].flatMap((group) => [...group.subscriptions.values()]);
  return [...node.subscriptions.values(), ...toGroups];
}

/** What is stored, and what is not any more. */
export function changesOf(replacement: Replacement): StoreChanges {
  return { set: entriesOfFresh(replacement), delete: keysOfOld(replacement) };
}

function* entriesOfFresh({ fresh, subscriptions, templates }: Replacement): Generator<Entry> {
  for (const node of fresh) yield* nodeEntries(node);
  for (const subscription of subscriptions)
    yield [keys.subscription(subscription.id), subscriptionRecord(subscription)];
  for (const template of templates?.fresh ?? []) yield* templateEntries(template);
}

function* keysOfOld({ old, templates }: Replacement): Generator<string> {
  for (const node of old) yield* nodeKeys(node);
  for (const template of templates?.old ?? []) yield* templateKeys(template);
}

/** The records of a node, its groups and their tags. */
export function* nodeEntries(node: Node): Generator<Entry> {
  yield [keys.node(node.id), nodeRecord(node)];
  for (const group of node.groups.values()) yield* groupEntries(group);
}

/** Keys of these records, and of those of subscriptions, counters and stored texts. */
export function* nodeKeys(node: Node): Generator<string> {
  yield keys.node(node.id);
  for (const group of node.groups.values()) yield* groupKeys(group);
  for (const { id } of subscriptionsOf(node)) yield keys.subscription(id);
  for (const name of node.counters?.keys() ?? []) yield keys.counter(node.id, name);
  for (const key of node.texts?.byKey.keys() ?? []) yield keys.text(node.id, key);
  yield* alarmKeys(node);
}
