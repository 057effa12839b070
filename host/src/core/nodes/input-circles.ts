import { formatReference, type Reference, referencesIn } from '@tagway/schemas';
import type { Params, Plugin, TagBody } from '../model.ts';
import { getOrMake } from '../system/get-or-make.ts';
import { isStatic } from '../tags/tag-check.ts';
import type { WrittenLink } from './setting-references.ts';

/** A node, or the draft of one with the name of its plugin. */
export interface NodeWithTags {
  readonly name: string;
  readonly plugin: Plugin | string;
  readonly params?: Params | undefined;
  readonly groups: {
    values(): Iterable<{ readonly name: string; readonly tags: { values(): Iterable<TagBody> } }>;
  };
}

/** What each of these depends on, by names. */
export type Edges = ReadonlyMap<string, ReadonlySet<string>>;

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

/**
 * What each tag that apps write is written from, and what each tag of these nodes refers to. A tag of a device is no circle because another
 * one of that device is read: these edges are between tags, not nodes. `named`: the names that references have then.
 */
export function edgesOfLinks(
  links: readonly WrittenLink[],
  nodes: readonly NodeWithTags[],
  named: (reference: Reference) => Reference = (reference) => reference,
): Map<string, Set<string>> {
  const edges = new Map<string, Set<string>>();
  const text = (reference: Reference): string => formatReference(named(reference));
  for (const { source, target, isMeant } of links)
    if (!isMeant) getOrMake(edges, text(target), () => new Set<string>()).add(text(source));
  if (edges.size === 0) return edges;
  for (const { name: node, groups } of nodes)
    for (const { name: group, tags } of groups.values())
      for (const tag of tags.values())
        for (const source of referencesOf(tag))
          getOrMake(edges, text({ node, group, tag: tag.name }), () => new Set<string>()).add(text(source));
  return edges;
}

/** The circle that would close if `from` read `to`: from the one back to itself. */
export function pathTo(from: string, to: string, edges: Edges): string[] | undefined {
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

/** The first circle, from one back to itself. Its time grows with the edges alone, and chains of them may be long. */
export function circleIn(edges: Edges): string[] | undefined {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    const path: string[] = [];
    const places = new Map<string, number>();
    /** Of each on the path those that it depends on and that were not looked at. */
    const rests: Iterator<string>[] = [];
    const enter = (name: string): void => {
      places.set(name, path.length);
      path.push(name);
      rests.push((edges.get(name) ?? new Set<string>()).values());
    };
    if (!done.has(start)) enter(start);
    for (let rest = rests.at(-1); rest !== undefined; rest = rests.at(-1)) {
      const next = rest.next();
      if (next.done === true) {
        const name = path.pop()!;
        rests.pop();
        places.delete(name);
        done.add(name);
        continue;
      }
      const place = places.get(next.value);
      if (place !== undefined) return [...path.slice(place), next.value];
      if (!done.has(next.value)) enter(next.value);
    }
  }
  return undefined;
}

/** The nodes of a circle, of which each reads the next. */
export function arrows(path: readonly string[]): string {
  return path.map((name) => `"${name}"`).join(' reads ');
}

/** The tags of a circle, of which each is made of the next. */
export function origins(path: readonly string[]): string {
  return path.map((name) => `"${name}"`).join(' comes from ');
}
