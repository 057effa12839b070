import { ErrorCode } from '@tagway/schemas';
import { tagCount, tagLimit } from '../access/license.ts';
import type { AnyGroup, Group, GroupBody, Node, Plugin, TemplateGroup } from '../model.ts';
import { checkLengths, checkTemplateLengths } from '../names.ts';
import type { Rename } from '../nodes/input-links.ts';
import { paceOf } from './group-pace.ts';
import { groupKeys, keys } from '../records/records.ts';
import type { State } from '../records/state.ts';
import type { LinkCheck } from './tag-batch.ts';
import { Refusal, sentence } from '../system/sentence.ts';

/** What owns groups with tags: drivers, or templates. Owners and groups are found by name. */
export interface GroupOwners<G extends AnyGroup> {
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
  /** Makes a group that the owner does not have yet. */
  newGroup(owner: string, body: GroupBody): G;
  /** A check of tags that are to be added, for what they refer to. */
  linkCheck(owner: string): LinkCheck;
  /** The tags whose addresses change with the name of a group; see `InputLinks.renamed`. */
  renamed(group: G, newName: string): readonly Rename[];
  /** Throws GROUP_SUBSCRIBED when tags of these names may not be deleted, because they are read. */
  checkUnread(group: G, tags: ReadonlySet<string>): void;
  /** Keys of all that is deleted with a group. Throws GROUP_SUBSCRIBED when it may not be. */
  keysOf(group: G): Iterable<string>;
  /** The group is new, or it or its tags have changed. */
  changed(group: G): void;
  /** The owner does not have the group any more. */
  removed(group: G): void;
}

export function driverGroups(state: State): GroupOwners<Group> {
  const { runtime, dialect } = state.ports;
  return {
    makesGroups: true,
    checkLengths,
    checkOwner: (node) => void state.node(node),
    groups: (node) => state.driver(node).groups,
    group: (node, name) => state.group(node, name),
    plugin: (node) => state.driver(node).plugin,
    room: (node) => tagLimit(state) - tagCount(state.driver(node)),
    newGroup: (node, body) => newGroup(state.newId(), state.driver(node), body),
    keysOf(group) {
      const apps = Array.from(group.subscriptions.keys(), ({ name }) => `"${name}"`);
      if (apps.length > 0 && !dialect.deletesSubscribedGroups) {
        throw new Refusal(
          ErrorCode.GROUP_SUBSCRIBED,
          sentence`The group "${group.name}" of "${group.node.name}" is subscribed by ${apps.join(', ')}; unsubscribe it first.`,
        );
      }
      if (!dialect.deletesSubscribedGroups) state.links.checkUnread(group);
      return driverGroupKeys(group);
    },
    linkCheck: (node) => state.links.check(state.driver(node)),
    renamed: ({ node, name }, newName) =>
      state.links.renamed({ place: { node: node.name, group: name }, newName }),
    checkUnread(group, tags) {
      if (!dialect.deletesSubscribedGroups) state.links.checkUnread(group, tags);
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

export function templateGroups(state: State): GroupOwners<TemplateGroup> {
  return {
    makesGroups: false,
    checkLengths: checkTemplateLengths,
    checkOwner: (template) => void state.template(template),
    groups: (template) => state.template(template).groups,
    group: (template, name) => state.templateGroup(template, name),
    plugin: (template) => state.templatePlugin(state.template(template)),
    room: () => Infinity,
    newGroup(template, { name, interval, history = 0, pace = {} }) {
      const owner = state.template(template);
      return {
        id: state.newId(),
        template: owner,
        name,
        interval,
        history,
        pace: paceOf(pace),
        tags: new Map(),
      };
    },
    keysOf: groupKeys,
    linkCheck: () => () => undefined,
    renamed: () => [],
    checkUnread: () => undefined,
    // No node depends on a template.
    changed: () => undefined,
    removed: () => undefined,
  };
}

export function newGroup(
  id: number,
  node: Node,
  { name, interval, history = 0, pace = {} }: GroupBody,
): Group {
  return {
    id,
    node,
    name,
    interval,
    history,
    pace: paceOf(pace),
    tags: new Map(),
    subscriptions: new Map(),
  };
}

/** Keys of the records of a group, its tags and the subscriptions to it. */
function* driverGroupKeys(group: Group): Generator<string> {
  yield* groupKeys(group);
  for (const { id } of group.subscriptions.values()) yield keys.subscription(id);
}
