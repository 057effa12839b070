import type { SearchReply } from '@tagway/schemas';
import { hasWords } from '../../shell/search-entries.ts';
import { referenceText, type GroupReference } from '../references.ts';
import { tagTree, type Branch, type TreeTag } from './branches.ts';

/** A row of the tree that is in sight, or would be after scrolling. */
export interface TreeRow {
  readonly branch: Branch;
  /** Of a tag: the group that it is in. */
  readonly group?: GroupReference;
  readonly isOpen: boolean;
  readonly canOpen: boolean;
  /** Its tags are on their way. */
  readonly isLoading?: boolean;
}

export interface Shown {
  readonly roots: readonly Branch[];
  readonly separator: string;
  /** Keys of branches that are open. */
  readonly open: ReadonlySet<string>;
  /** The tags of groups that were opened, by their references. */
  readonly tags: ReadonlyMap<string, readonly TreeTag[]>;
}

/** Tag branches of a group are made once for a list of its tags. */
const made = new WeakMap<
  readonly TreeTag[],
  { readonly separator: string; readonly branches: readonly Branch[] }
>();

function tagsBelow(branch: Branch, tags: readonly TreeTag[], separator: string): readonly Branch[] {
  const known = made.get(tags);
  if (known?.separator === separator && known.branches[0]?.key.startsWith(branch.key) === true)
    return known.branches;
  const branches = tagTree(branch, tags, separator);
  made.set(tags, { separator, branches });
  return branches;
}

/** The rows of what is open, from the top. */
export function rowsOf({ roots, separator, open, tags }: Shown): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (branches: readonly Branch[], within: GroupReference | undefined): void => {
    for (const branch of branches) {
      const { group, tag, children } = branch;
      const isOpen = open.has(branch.key);
      const own = group === undefined ? undefined : tags.get(referenceText(group));
      rows.push({
        branch,
        ...(within !== undefined && tag !== undefined && { group: within }),
        isOpen,
        canOpen: group !== undefined || children.length > 0,
        isLoading: isOpen && group !== undefined && own === undefined,
      });
      if (!isOpen) continue;
      visit(children, within);
      if (own !== undefined) visit(tagsBelow(branch, own, separator), group);
    }
  };
  visit(roots, undefined);
  return rows;
}

/** The rows of what has all words: groups by their place, open down to them, and the tags that a search has found. */
export function foundRows(
  { roots, separator }: Pick<Shown, 'roots' | 'separator'>,
  asked: string,
  found: SearchReply['tags'],
): readonly TreeRow[] {
  const rows: TreeRow[] = [];
  const hits = new Map<string, TreeTag[]>();
  for (const { node, group, name, type } of found) {
    const reference = referenceText({ node, group });
    hits.set(reference, [...(hits.get(reference) ?? []), { name, type }]);
  }
  const visit = (branch: Branch, path: string): readonly TreeRow[] => {
    const place = `${path} ${branch.name}`;
    const { group } = branch;
    const below = branch.children.flatMap((child) => visit(child, place));
    const own = group === undefined ? [] : (hits.get(referenceText(group)) ?? []);
    const tags = tagRows(branch, own, separator);
    if (below.length === 0 && tags.length === 0 && !(group !== undefined && hasWords(place, asked)))
      return [];
    const inside = [...below, ...tags];
    return [{ branch, isOpen: inside.length > 0, canOpen: inside.length > 0 }, ...inside];
  };
  for (const root of roots) rows.push(...visit(root, ''));
  return rows;
}

function tagRows(branch: Branch, found: readonly TreeTag[], separator: string): readonly TreeRow[] {
  const { group } = branch;
  if (group === undefined) return [];
  const rows: TreeRow[] = [];
  const visit = (branches: readonly Branch[]): void => {
    for (const one of branches) {
      const isFolder = one.children.length > 0;
      rows.push({ branch: one, ...(one.tag && { group }), isOpen: isFolder, canOpen: isFolder });
      visit(one.children);
    }
  };
  visit(tagTree(branch, found, separator));
  return rows;
}
