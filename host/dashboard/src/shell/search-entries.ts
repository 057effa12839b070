import type { NodeEntry } from '../api/queries.ts';
import type { MenuPage } from './menu-pages.ts';

/** Something that the search leads to. */
export interface SearchEntry {
  readonly key: string;
  readonly kind: 'seen' | 'asked' | 'tags' | 'nodes' | 'pages' | 'actions';
  readonly name: string;
  /** Where it is or what it is, in grey. */
  readonly place?: string | undefined;
  /** The address that it leads to; of a text that was searched for the text itself. */
  readonly to: string;
}

/** Whether all words are in a text, in any case and order. */
export function hasWords(text: string, asked: string): boolean {
  const low = text.toLowerCase();
  return asked
    .toLowerCase()
    .split(/\s+/)
    .every((word) => low.includes(word));
}

/** Nodes by their names and plugins; those whose names begin with the text first. */
export function findNodes(nodes: readonly NodeEntry[], asked: string): SearchEntry[] {
  const begins = ({ name }: NodeEntry): number =>
    name.toLowerCase().startsWith(asked.toLowerCase()) ? 0 : 1;
  return nodes
    .filter(({ name, plugin }) => hasWords(`${name} ${plugin}`, asked))
    .toSorted((a, b) => begins(a) - begins(b) || a.name.localeCompare(b.name))
    .slice(0, 6)
    .map(({ name, plugin }) => ({
      key: `node ${name}`,
      kind: 'nodes',
      name,
      place: plugin,
      to: `/nodes/${encodeURIComponent(name)}`,
    }));
}

export const findPages = (
  pages: readonly MenuPage[],
  textOf: (page: MenuPage) => string,
  asked: string,
): SearchEntry[] =>
  pages
    .filter((page) => hasWords(textOf(page), asked))
    .map((page) => ({ key: `page ${page.path}`, kind: 'pages', name: textOf(page), to: page.path }));
