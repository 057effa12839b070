import { type Entry, groupKeys, tagEntry } from './group-place.ts';
import type { Node, Subscription, Template } from './model.ts';
import type { StoreChanges } from './ports.ts';
import { groupRecord, keys, nodeRecord, subscriptionRecord } from './records.ts';
import { templateEntries, templateKeys } from './template-drafts.ts';

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
export function changesOf({ old, fresh, subscriptions, templates }: Replacement): StoreChanges {
  const set: Entry[] = [];
  for (const node of fresh) {
    set.push([keys.node(node.id), nodeRecord(node)]);
    for (const group of node.groups.values()) {
      set.push([keys.group(group.id), groupRecord(group)]);
      for (const tag of group.tags.values()) set.push(tagEntry(group, tag));
    }
  }
  for (const subscription of subscriptions)
    set.push([keys.subscription(subscription.id), subscriptionRecord(subscription)]);
  for (const template of templates?.fresh ?? [])
    for (const entry of templateEntries(template)) set.push(entry);
  const deleted = old.flatMap((node) => [
    keys.node(node.id),
    ...[...node.groups.values()].flatMap(groupKeys),
    ...subscriptionsOf(node).map(({ id }) => keys.subscription(id)),
  ]);
  return { set, delete: [...deleted, ...(templates?.old ?? []).flatMap(templateKeys)] };
}
