import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { tagCount, tagLimit } from './license.ts';
import type { Group, Node, Plugin, Tag, TagGroup, TemplateGroup } from './model.ts';
import { checkLengths, checkTemplateLengths } from './names.ts';
import { groupRecord, keys, tagRecord, templateGroupRecord } from './records.ts';
import type { State } from './state.ts';

/** The key of a stored record and what is stored under it. */
export type Entry = readonly [key: string, record: object];

/** Where groups with tags are kept, each under the name of its owner: with drivers, or with templates. */
export interface GroupPlace<G extends TagGroup> {
  /** Adding tags makes a group that is missing. */
  readonly makesGroups: boolean;
  /** Refuses names that are too long for an owner or a group of it to have. */
  checkLengths(owner: string, ...groups: string[]): void;
  /** Throws NODE_NOT_FOUND or TEMPLATE_NOT_FOUND. */
  checkOwner(owner: string): void;
  /** The groups of an owner, by name. Throws as `checkOwner` does, or GROUP_NOT_ALLOWED for an app. */
  groups(owner: string): Map<string, G>;
  /** Throws as `groups` does, or GROUP_NOT_FOUND. */
  group(owner: string, name: string): G;
  /** Throws as `groups` does, or LIBRARY_NOT_FOUND. */
  plugin(owner: string): Plugin;
  /** How many tags an owner may have beside those it has. */
  room(owner: string): number;
  /** A group that is not in its place yet. */
  newGroup(owner: string, name: string, interval: number): G;
  groupEntry(group: G): Entry;
  tagEntry(group: G, tag: Tag): Entry;
  /** Keys of all that is deleted with a group. Throws GROUP_SUBSCRIBED when it may not be. */
  keysOf(group: G): Iterable<string>;
  /** The group is new, or its name, its interval or its tags are. */
  changed(group: G): void;
  /** The group is no longer in its place. */
  removed(group: G): void;
}

export function groupsOfDrivers(state: State): GroupPlace<Group> {
  const { runtime, profile } = state.ports;
  return {
    makesGroups: true,
    checkLengths,
    checkOwner: (node) => void state.node(node),
    groups: (node) => state.driver(node).groups,
    group: (node, name) => state.group(node, name),
    plugin: (node) => state.driver(node).plugin,
    room: (node) => tagLimit(state) - tagCount(state.driver(node)),
    newGroup: (node, name, interval) => newGroup(state.newId(), state.driver(node), name, interval),
    groupEntry: (group) => [keys.group(group.id), groupRecord(group)],
    tagEntry,
    keysOf(group) {
      const apps = Array.from(group.subscriptions.keys(), ({ name }) => `"${name}"`);
      if (apps.length > 0 && !profile.deletesSubscribedGroups) {
        throw new Fault(
          ErrorCode.GROUP_SUBSCRIBED,
          `The group "${group.name}" of "${group.node.name}" is subscribed by ${apps.join(', ')}; unsubscribe it first.`,
        );
      }
      return driverGroupKeys(group);
    },
    changed: (group) => runtime.changed(group),
    removed(group) {
      const apps = [...group.subscriptions.keys()];
      for (const app of apps) app.subscriptions.delete(group);
      group.subscriptions.clear();
      runtime.removed(group);
      for (const app of apps) runtime.routed(app);
    },
  };
}

export function groupsOfTemplates(state: State): GroupPlace<TemplateGroup> {
  return {
    makesGroups: false,
    checkLengths: checkTemplateLengths,
    checkOwner: (template) => void state.template(template),
    groups: (template) => state.template(template).groups,
    group: (template, name) => state.templateGroup(template, name),
    plugin: (template) => state.templatePlugin(state.template(template)),
    room: () => Infinity,
    newGroup(template, name, interval) {
      return { id: state.newId(), template: state.template(template), name, interval, tags: new Map() };
    },
    groupEntry: (group) => [keys.templateGroup(group.id), templateGroupRecord(group)],
    tagEntry: templateTagEntry,
    keysOf: templateGroupKeys,
    // Nothing runs by a template.
    changed: () => undefined,
    removed: () => undefined,
  };
}

/** Some entries and those of tags, which are made as they are stored. */
export function* entriesOf(
  first: Iterable<Entry>,
  tags: Iterable<Tag>,
  entry: (tag: Tag) => Entry,
): Generator<Entry> {
  yield* first;
  for (const tag of tags) yield entry(tag);
}

export function newGroup(id: number, node: Node, name: string, interval: number): Group {
  return { id, node, name, interval, tags: new Map(), subscriptions: new Map() };
}

export function tagEntry(group: Group, tag: Tag): Entry {
  return [keys.tag(group.id, tag.id), tagRecord(tag)];
}

export function templateTagEntry(group: TemplateGroup, tag: Tag): Entry {
  return [keys.templateTag(group.id, tag.id), tagRecord(tag)];
}

/** Keys of the records of a group and its tags. */
export function* groupKeys(group: Group): Generator<string> {
  yield keys.group(group.id);
  for (const { id } of group.tags.values()) yield keys.tag(group.id, id);
}

/** These, and those of the subscriptions to it. */
function* driverGroupKeys(group: Group): Generator<string> {
  yield* groupKeys(group);
  for (const { id } of group.subscriptions.values()) yield keys.subscription(id);
}

/** As `groupKeys`, of a template. */
export function* templateGroupKeys(group: TemplateGroup): Generator<string> {
  yield keys.templateGroup(group.id);
  for (const { id } of group.tags.values()) yield keys.templateTag(group.id, id);
}
