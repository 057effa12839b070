import { ErrorCode, formatReference, type Reference } from '@tagway/schemas';
import type { Node, Params, Plugin } from '../model.ts';
import { Refusal, type Sentence, sentence } from '../system/sentence.ts';
import { circleIn, edgesOfLinks, type NodeWithTags, origins } from './input-circles.ts';
import {
  type SettingReference,
  settingReferences,
  type WrittenLink,
  withSettingReferences,
} from './setting-references.ts';

/** A node, a group of it or a tag of that, by names. */
export type Place = Pick<Reference, 'node'> & Partial<Omit<Reference, 'node'>>;

/** Something that gets another name. */
export interface NameChange {
  readonly place: Place;
  readonly newName: string;
}

/** An app whose settings are to change because something that they refer to gets another name. */
export interface SettingRename {
  readonly app: Node;
  readonly params: Params;
  readonly settings: Params | undefined;
}

/** A setting that refers to a tag. */
interface Use extends SettingReference {
  readonly app: Node;
  readonly reference: Reference;
}

type AppDraft = Pick<Node, 'name' | 'plugin'> & { readonly params: Params };

/** What settings of apps with inputs refer to. */
export class SettingLinks {
  readonly #with: { readonly nodes: ReadonlyMap<string, Node> };
  readonly #pluginOf: (plugin: Plugin | string) => Plugin | undefined;

  constructor(
    linked: { readonly nodes: ReadonlyMap<string, Node> },
    pluginOf: (plugin: Plugin | string) => Plugin | undefined,
  ) {
    this.#with = linked;
    this.#pluginOf = pluginOf;
  }

  /** Throws NODE_SETTING_INVALID; references that were there before are not looked at. */
  check(
    app: AppDraft,
    before: Params | undefined,
    problemOf: (reference: Reference, role: SettingReference['role']) => Sentence | undefined,
  ): void {
    const { all, links } = settingReferences(app.plugin, app.params);
    const old = new Set(settingReferences(app.plugin, before).all.map(({ role, text }) => `${role} ${text}`));
    for (const { setting, role, reference, text } of all) {
      if (old.has(`${role} ${text}`)) continue;
      if (reference === undefined)
        throw new Refusal(
          ErrorCode.NODE_SETTING_INVALID,
          sentence`The setting "${setting}" refers to "${text}", which names no tag: a reference is node/group/tag, with %2F for a slash and %25 for a percent sign in a name.`,
        );
      const problem = problemOf(reference, role);
      if (problem !== undefined)
        throw new Refusal(
          ErrorCode.NODE_SETTING_INVALID,
          sentence`The setting "${setting}" refers to "${formatReference(reference)}", but ${problem}.`,
        );
    }
    const others = Array.from(this.#with.nodes.values()).filter(({ name }) => name !== app.name);
    if (links.length > 0) this.checkCircles([...others, { ...app, groups: new Map() }]);
  }

  /**
   * Throws NODE_SETTING_INVALID when the apps among these nodes would write a tag from itself, directly or over other tags, or one tag from
   * two rows.
   */
  checkCircles(
    nodes: readonly NodeWithTags[],
    named: (reference: Reference) => Reference = (reference) => reference,
  ): void {
    const links = this.#linksOf(nodes);
    checkTargets(links, named);
    const path = circleIn(edgesOfLinks(links, nodes, named));
    if (path === undefined) return;
    throw new Refusal(
      ErrorCode.NODE_SETTING_INVALID,
      sentence`The tag "${path[0]!}" would be written from itself: ${origins(path)}.`,
    );
  }

  /** Throws GROUP_SUBSCRIBED when settings refer to these tags of a group, or to any of it. */
  checkUnused(place: Required<Omit<Place, 'tag'>>, tags?: ReadonlySet<string>): void {
    const uses = [...this.#usesOf(place)].filter(({ reference }) => tags?.has(reference.tag) ?? true);
    const [first] = uses;
    if (first === undefined) return;
    const { tag } = first.reference;
    const what =
      tags === undefined
        ? sentence`The group "${place.group}"`
        : sentence`The tag "${tag}" of the group "${place.group}"`;
    const user = sentence`the app "${first.app.name}" (setting "${first.setting}")`;
    throw new Refusal(
      ErrorCode.GROUP_SUBSCRIBED,
      uses.length === 1
        ? sentence`${what} of "${place.node}" is used by ${user}; change that first.`
        : sentence`${what} of "${place.node}" is used by ${user}, and by ${uses.length - 1} more; change that first.`,
    );
  }

  /**
   * The apps whose settings change, as these are to be. Throws NODE_SETTING_INVALID when a tag would be written from itself under the new
   * name.
   */
  renamed(change: (reference: Reference) => Reference | undefined): SettingRename[] {
    const nodes = [...this.#with.nodes.values()];
    this.checkCircles(nodes, (reference) => change(reference) ?? reference);
    return nodes.flatMap((app) => {
      const { plugin, params, settings } = app;
      if (params === undefined || settingReferences(plugin, params).all.length === 0) return [];
      const changed = withSettingReferences(plugin, params, change);
      if (changed === undefined) return [];
      const now = settings && (withSettingReferences(plugin, settings, change) ?? settings);
      return [{ app, params: changed, settings: now }];
    });
  }

  #linksOf(nodes: readonly NodeWithTags[]): WrittenLink[] {
    return nodes.flatMap(({ plugin, params }) => {
      const known = this.#pluginOf(plugin);
      return known === undefined ? [] : settingReferences(known, params).links;
    });
  }

  *#usesOf(place: Place): Generator<Use> {
    for (const app of this.#with.nodes.values())
      for (const use of settingReferences(app.plugin, app.params).all)
        if (use.reference !== undefined && isIn(use.reference, place))
          yield { ...use, reference: use.reference, app };
  }
}

/** Throws NODE_SETTING_INVALID when two rows write the same tag. */
function checkTargets(links: readonly WrittenLink[], named: (reference: Reference) => Reference): void {
  const targets = new Set<string>();
  for (const { target } of links) {
    const text = formatReference(named(target));
    if (targets.has(text))
      throw new Refusal(
        ErrorCode.NODE_SETTING_INVALID,
        sentence`The tag "${text}" would be written by two rows: a tag has one row that writes it, in all apps together.`,
      );
    targets.add(text);
  }
}

export function withName(reference: Reference, { place, newName }: NameChange): Reference {
  if (place.tag !== undefined) return { ...reference, tag: newName };
  if (place.group !== undefined) return { ...reference, group: newName };
  return { ...reference, node: newName };
}

export function isIn({ node, group, tag }: Reference, place: Place): boolean {
  return (
    node === place.node &&
    (place.group === undefined || group === place.group) &&
    (place.tag === undefined || tag === place.tag)
  );
}
