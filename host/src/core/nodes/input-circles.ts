import { type Reference, referencesIn } from '@tagway/schemas';
import type { Plugin, TagBody } from '../model.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { isStatic } from '../tags/tag-check.ts';

/** A node, or the draft of one with the name of its plugin. */
export interface NodeWithTags {
  readonly name: string;
  readonly plugin: Plugin | string;
  readonly groups: { values(): Iterable<{ readonly tags: { values(): Iterable<TagBody> } }> };
}

/** By the tag, which never changes. */
const known = new WeakMap<TagBody, readonly Reference[]>();

const noReferences: readonly Reference[] = [];

/** What a tag refers to; a static one to nothing. */
export function referencesOf(tag: TagBody): readonly Reference[] {
  if (isStatic(tag)) return noReferences;
  return getOrMake(known, tag, () => referencesIn(tag.address).flatMap(({ reference }) => reference ?? []));
}

/** Which nodes each of these refers to, by names. */
export function edgesOf(nodes: readonly NodeWithTags[]): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  for (const { name, groups } of nodes) {
    const sources = new Set<string>();
    for (const group of groups.values())
      for (const tag of group.tags.values()) for (const { node } of referencesOf(tag)) sources.add(node);
    edges.set(name, sources);
  }
  return edges;
}

/** The circle that would close if `from` read `to`: from the one back to itself. */
export function pathTo(
  from: string,
  to: string,
  edges: ReadonlyMap<string, ReadonlySet<string>>,
): string[] | undefined {
  const seen = new Set<string>();
  const search = (name: string, path: readonly string[]): string[] | undefined => {
    if (name === from) return [...path, name];
    if (seen.has(name)) return undefined;
    seen.add(name);
    for (const next of edges.get(name) ?? []) {
      const found = search(next, [...path, name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search(to, [from]);
}

/** The first circle, from a node back to itself. */
export function circleIn(edges: ReadonlyMap<string, ReadonlySet<string>>): string[] | undefined {
  for (const [name, sources] of edges)
    for (const source of sources) {
      const path = pathTo(name, source, edges);
      if (path !== undefined) return path;
    }
  return undefined;
}

/** The nodes of a circle, of which each reads the next. */
export function arrows(path: readonly string[]): string {
  return path.map((name) => `"${name}"`).join(' reads ');
}
