import {
  ErrorCode,
  formatReference,
  Limits,
  NodeType,
  type Reference,
  referencesIn,
  withReferences,
} from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Log } from '@tagway/sdk';
import type { AnyGroup, Group, Node, Params, Plugin, Tag, TagBody, Template } from '../model.ts';
import { arrows, circleIn, edgesOf, type NodeWithTags, pathTo, referencesOf } from './input-circles.ts';
import {
  isIn,
  type NameChange,
  type Place,
  type SettingRename,
  SettingLinks,
  withName,
} from './setting-links.ts';
import { NamedDrivers } from './named-drivers.ts';
import { settingReferences } from './setting-references.ts';
import type { Plugins, Runtime } from '../ports/ports.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { checkNotShown } from '../tags/shown-alarms.ts';
import { isReadable, isStatic, isWritable } from '../tags/tag-check.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';

/** What the links are between: those of the state. */
export interface Linked {
  readonly nodes: ReadonlyMap<string, Node>;
  readonly templates: ReadonlyMap<string, Template>;
  readonly plugins: Pick<Plugins, 'byId' | 'byName'>;
  readonly runtime: Runtime;
  readonly log: Log;
}

/** A tag that refers to another one. */
interface Link {
  readonly group: AnyGroup;
  readonly tag: Tag;
  readonly reference: Reference;
}

/** A tag whose address is to change because something that it refers to gets another name. */
export interface TagRename {
  readonly group: AnyGroup;
  readonly tag: Tag;
}

export type Rename = TagRename | SettingRename;

/**
 * What tags of drivers with inputs and settings of apps with inputs refer to: the references in their texts, by name. Nothing else of it is
 * stored.
 */
export class InputLinks {
  readonly #with: Linked;
  readonly #settings: SettingLinks;
  readonly #named: NamedDrivers;
  /** Nodes that read something, or whose settings name drivers. */
  #linked: readonly Node[] = [];
  /** Names of nodes on a circle, which the log has. */
  #logged: ReadonlySet<string> = new Set();

  constructor(linked: Linked) {
    this.#with = linked;
    this.#settings = new SettingLinks(linked, (name) => this.#pluginNamed(name));
    this.#named = new NamedDrivers(linked.nodes);
  }

  /** Looks up anew which groups the nodes with inputs read. To be called after every change of names, tags or plugins. */
  update(): void {
    const readers = Array.from(this.#with.nodes.values()).filter(({ plugin }) => plugin.inputs === true);
    if (readers.length === 0 && this.#linked.length === 0) return;
    const present = new Set(readers);
    const circular = this.#circular(readers);
    const changed = new Set<Group>();
    const rerouted = new Set<Plugin>();
    for (const node of new Set([...this.#linked, ...readers])) {
      if (this.#named.update(node, present.has(node))) rerouted.add(node.plugin);
      const groups = present.has(node) && !circular.has(node.name) ? this.#readsOf(node) : undefined;
      const before = node.inputs;
      const now = groups === undefined || groups.size === 0 ? undefined : unchanged(groups, before);
      if (now === before) continue;
      for (const group of [...(before?.keys() ?? []), ...(now?.keys() ?? [])])
        if (before?.get(group) !== now?.get(group)) changed.add(group);
      node.inputs = now;
      rerouted.add(node.plugin);
    }
    this.#named.settle();
    this.#linked = readers.filter(({ inputs, named }) => inputs !== undefined || named !== undefined);
    for (const group of changed) {
      const reading = this.#linked.filter(({ inputs }) => inputs?.has(group));
      group.readers = reading.length === 0 ? undefined : new Set(reading);
    }
    // What the nodes of a plugin read of a group goes to all of them in one piece.
    for (const node of readers) if (rerouted.has(node.plugin)) this.#with.runtime.routed(node);
  }

  /** A check of tags that are to be added to a node, one after the other: why one is refused. `before` is what it was. */
  check(node: Node): (tag: TagBody, before?: Tag) => Fault | undefined {
    if (node.plugin.inputs !== true) return () => undefined;
    const edges = edgesOf(this.#readers());
    const own = getOrMake(edges, node.name, () => new Set<string>());
    return (tag, before) => {
      if (isStatic(tag)) return undefined;
      for (const { reference } of referencesIn(tag.address)) {
        // The plugin's runner has refused what is no reference.
        if (reference === undefined) continue;
        const problem = before?.address === tag.address ? undefined : this.problemOf(reference);
        if (problem !== undefined) return refused(tag, reference, problem);
        if (own.has(reference.node)) continue;
        const path = pathTo(node.name, reference.node, edges);
        if (path !== undefined) return circular(tag, reference, path);
        own.add(reference.node);
      }
      return undefined;
    };
  }

  /**
   * Why settings of an app are refused that refer to what is not there, or would write a tag from itself; `before` is what they were, which is
   * not looked at again. Throws NODE_SETTING_INVALID.
   */
  checkSettings(name: string, plugin: Plugin, params: Params, before?: Params): void {
    this.#settings.check({ name, plugin, params }, before, (reference, role) =>
      this.problemOf(reference, role),
    );
  }

  /**
   * Throws TAG_ADDRESS_INVALID when any of these nodes, which may be drafts, would read itself, directly or over other nodes, and
   * NODE_SETTING_INVALID when an app would write a tag from itself.
   */
  checkCircles(nodes: Iterable<NodeWithTags>): void {
    const all = Array.from(nodes);
    this.#settings.checkCircles(all);
    const path = circleIn(edgesOf(all.filter((node) => this.#mayRead(node))));
    if (path === undefined) return;
    throw new Refusal(
      ErrorCode.TAG_ADDRESS_INVALID,
      sentence`The node "${path[0]!}" would read itself: ${arrows(path)}. A node may not, neither directly nor over other nodes.`,
    );
  }

  /** The groups that the tags of an address refer to, as far as they are there. */
  groupsOf(address: string): Group[] {
    const groups = referencesIn(address).flatMap(({ reference }) => reference ?? []);
    return [...new Set(groups.flatMap((reference) => this.#find(reference)?.group ?? []))];
  }

  /** Whether a tag of a node refers to the tag of this name. */
  reads(node: Node, { node: name, group, tag }: Reference): boolean {
    const source = this.#with.nodes.get(name)?.groups.get(group);
    return source !== undefined && node.inputs?.get(source)?.has(tag) === true;
  }

  /** Throws GROUP_SUBSCRIBED when tags or settings refer to these tags of a group, or to any of it. */
  checkUnread(read: Group, tags?: ReadonlySet<string>): void {
    const { node, name: group } = read;
    if (tags !== undefined) checkNotShown(read, tags);
    this.#settings.checkUnused({ node: node.name, group }, tags);
    const links = [...this.#linksTo({ node: node.name, group })].filter(
      ({ reference }) => tags?.has(reference.tag) ?? true,
    );
    const [first] = links;
    if (first === undefined) return;
    const { tag } = first.reference;
    const what =
      tags === undefined
        ? sentence`The group "${group}"`
        : sentence`The tag "${tag}" of the group "${group}"`;
    const owner = ownerOf(first);
    const reader = first.tag.name;
    throw new Refusal(
      ErrorCode.GROUP_SUBSCRIBED,
      links.length === 1
        ? sentence`${what} of "${node.name}" is read by the tag "${reader}" of ${owner}; change that first.`
        : sentence`${what} of "${node.name}" is read by the tag "${reader}" of ${owner}, and by ${links.length - 1} more; change that first.`,
    );
  }

  /**
   * The tags, of templates too, and the settings that refer to what gets another name, as they are to be. Throws TAG_ADDRESS_TOO_LONG when one of them has
   * no room for it, and TAG_ADDRESS_INVALID when a node would read itself under the new name.
   */
  renamed(...changes: readonly NameChange[]): Rename[] {
    const change = (reference: Reference): Reference | undefined => {
      const found = changes.find(({ place }) => isIn(reference, place));
      return found && withName(reference, found);
    };
    const renames: TagRename[] = [];
    const tags = new Set(changes.flatMap(({ place }) => [...this.#linksTo(place)]));
    for (const { group, tag } of new Map(Array.from(tags, (link) => [link.tag, link])).values()) {
      const address = withReferences(tag.address, change);
      const { longestAddress = Limits.tagAddress } = this.#pluginOf(group) ?? {};
      const length = Buffer.byteLength(address);
      if (length > longestAddress)
        throw new Refusal(
          ErrorCode.TAG_ADDRESS_TOO_LONG,
          sentence`The tag "${tag.name}" of the group "${group.name}" refers to it, and would have an address of ${length} bytes of UTF-8; ${longestAddress} are allowed.`,
        );
      renames.push({ group, tag: { ...tag, address } });
    }
    for (const { place, newName } of changes)
      if (place.group === undefined) this.#checkRename(place.node, newName);
    return [...renames, ...this.#settings.renamed(change)];
  }

  /** References to a node that was not there may find it under its new name. */
  #checkRename(name: string, newName: string): void {
    const edges = new Map<string, Set<string>>();
    const named = (node: string): string => (node === name ? newName : node);
    for (const [node, sources] of edgesOf(this.#readers()))
      edges.set(named(node), new Set(Array.from(sources, named)));
    const path = circleIn(edges);
    if (path === undefined) return;
    throw new Refusal(
      ErrorCode.TAG_ADDRESS_INVALID,
      sentence`With the name "${newName}" the node "${path[0]!}" would read itself: ${arrows(path)}. Other tags refer to that name already.`,
    );
  }

  /** Nodes that would read themselves, which only a new version of a plugin can bring about: they read nothing. */
  #circular(readers: readonly Node[]): ReadonlySet<string> {
    const edges = edgesOf(readers);
    const names = new Set<string>();
    for (let path = circleIn(edges); path !== undefined; path = circleIn(edges))
      for (const name of path) {
        names.add(name);
        edges.delete(name);
      }
    for (const name of names)
      if (!this.#logged.has(name))
        this.#with.log.error(
          `The node "${name}" reads no other node, because it would read itself: change what its tags refer to.`,
        );
    this.#logged = names;
    return names;
  }

  #mayRead({ plugin }: NodeWithTags): boolean {
    return this.#pluginNamed(plugin)?.inputs === true;
  }

  #pluginNamed(plugin: Plugin | string): Plugin | undefined {
    return typeof plugin === 'string' ? this.#with.plugins.byName(plugin) : plugin;
  }

  #readers(): Node[] {
    return Array.from(this.#with.nodes.values()).filter(({ plugin }) => plugin.inputs === true);
  }

  /** What the tags of a driver, or the settings of an app, read, as far as it is there. */
  #readsOf(node: Node): Map<Group, Set<string>> {
    const groups = new Map<Group, Set<string>>();
    const read = (reference: Reference): void => {
      const found = this.#find(reference);
      if (found !== undefined) getOrMake(groups, found.group, () => new Set<string>()).add(reference.tag);
    };
    for (const reference of settingReferences(node.plugin, node.params).reads) read(reference);
    for (const group of node.groups.values())
      for (const tag of group.tags.values()) for (const reference of referencesOf(tag)) read(reference);
    return groups;
  }

  *#linksTo(place: Place): Generator<Link> {
    for (const owner of [...this.#with.nodes.values(), ...this.#with.templates.values()]) {
      // The addresses of a plugin that is missing may have references, too, and are renamed.
      const plugin = this.#pluginOfOwner(owner);
      if (plugin !== undefined && plugin.inputs !== true && plugin.absent !== true) continue;
      for (const group of owner.groups.values())
        for (const tag of group.tags.values())
          for (const reference of referencesOf(tag))
            if (isIn(reference, place)) yield { group, tag, reference };
    }
  }

  #pluginOf(group: AnyGroup): Plugin | undefined {
    return this.#pluginOfOwner('node' in group ? group.node : group.template);
  }

  #pluginOfOwner(owner: Node | Template): Plugin | undefined {
    return typeof owner.plugin === 'string' ? this.#with.plugins.byId(owner.plugin) : owner.plugin;
  }

  #find({ node, group: name, tag: tagName }: Reference): { readonly group: Group } | undefined {
    const group = this.#with.nodes.get(node)?.groups.get(name);
    const tag = group?.tags.get(tagName);
    return group === undefined || tag === undefined || !isReadable(tag) ? undefined : { group };
  }

  /** Why a tag cannot be read, or written, by those who refer to it; undefined when it can. */
  problemOf(
    { node: name, group: groupName, tag: tagName }: Reference,
    role: 'read' | 'write' = 'read',
  ): Sentence | undefined {
    const node = this.#with.nodes.get(name);
    if (node === undefined) return sentence`there is no node "${name}"`;
    if (node.plugin.nodeType !== NodeType.DRIVER)
      return sentence`the node "${name}" is an app and has no tags`;
    const group = node.groups.get(groupName);
    if (group === undefined) return sentence`the node "${name}" has no group "${groupName}"`;
    const tag = group.tags.get(tagName);
    if (tag === undefined) return sentence`the group "${groupName}" of "${name}" has no tag "${tagName}"`;
    if (role === 'write')
      return isWritable(tag) ? undefined : sentence`the tag "${tagName}" of "${name}" cannot be written`;
    return isReadable(tag) ? undefined : sentence`the tag "${tagName}" of "${name}" cannot be read`;
  }
}

function refused({ name }: TagBody, reference: Reference, problem: Sentence): Fault {
  const text = sentence`The tag "${name}" refers to "${formatReference(reference)}", but ${problem}.`;
  return new Refusal(ErrorCode.TAG_ADDRESS_INVALID, text);
}

function circular({ name }: TagBody, reference: Reference, path: readonly string[]): Fault {
  const text = sentence`The tag "${name}" refers to "${formatReference(reference)}", and so its node would read itself: ${arrows(path)}. A node may not, neither directly nor over other nodes.`;
  return new Refusal(ErrorCode.TAG_ADDRESS_INVALID, text);
}

function ownerOf({ group }: Link): Sentence {
  return 'node' in group
    ? sentence`"${group.node.name}" (group "${group.name}")`
    : sentence`the template "${group.template.name}" (group "${group.name}")`;
}

/** The same reads, with the sets and the map of before where nothing has changed. */
function unchanged(
  groups: Map<Group, Set<string>>,
  before: Node['inputs'],
): ReadonlyMap<Group, ReadonlySet<string>> {
  let isSame = before?.size === groups.size;
  const now = new Map<Group, ReadonlySet<string>>();
  for (const [group, tags] of groups) {
    const old = before?.get(group);
    const isKept =
      old !== undefined && old.size === tags.size && Array.from(old).every((tag) => tags.has(tag));
    now.set(group, isKept ? old : tags);
    isSame &&= isKept;
  }
  return isSame && before !== undefined ? before : now;
}
