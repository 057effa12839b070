import { useQueries } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { tagsOf, useAllGroups } from '../../api/tag-queries.ts';
import { useTagSearch } from '../../api/tag-search.ts';
import { referenceText, type GroupReference } from '../references.ts';
import { groupTree, type Branch, type TreeTag } from './branches.ts';
import { foundRows, rowsOf, type TreeRow } from './tree-rows.ts';

export interface TagTree {
  readonly rows: readonly TreeRow[];
  readonly error: unknown;
  /** Tags that have the words, and how many of them have a row; undefined without words. */
  readonly found: { readonly found: number; readonly shown: number } | undefined;
  readonly toggle: (row: TreeRow) => void;
}

/** The tree of all tags; the tags of a group are loaded when it is first opened. `asked`: only what has these words. */
export function useTagTree(separator: string, asked: string): TagTree {
  const { data: groups, error } = useAllGroups();
  const roots = useMemo(() => groupTree(groups ?? [], separator), [groups, separator]);
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const opened = useMemo(() => openGroups(roots, open), [roots, open]);
  const loaded = useQueries({
    queries: opened.map(({ node, group }) => ({ ...tagsOf(node, group), staleTime: 30_000 })),
    combine: (results) => ({
      lists: results.map(({ data }) => data),
      error: results.find((one) => one.error !== null)?.error,
    }),
  });
  const search = useTagSearch(asked);
  const found = asked === '' ? undefined : search.data;
  const rows = useMemo(() => {
    if (asked !== '') return foundRows({ roots, separator }, asked, found?.tags ?? []);
    const tags = new Map<string, readonly TreeTag[]>();
    for (const [index, group] of opened.entries()) {
      const list = loaded.lists[index];
      if (list !== undefined) tags.set(referenceText(group), list);
    }
    return rowsOf({ roots, separator, open, tags });
  }, [roots, separator, asked, found, open, opened, loaded.lists]);
  return {
    rows,
    error: error ?? loaded.error ?? search.error,
    found: found && { found: found.found, shown: found.tags.length },
    toggle: ({ branch: { key }, canOpen }) => {
      if (!canOpen || asked !== '') return;
      setOpen((keys) =>
        keys.has(key) ? new Set([...keys].filter((one) => one !== key)) : new Set([...keys, key]),
      );
    },
  };
}

function openGroups(roots: readonly Branch[], open: ReadonlySet<string>): readonly GroupReference[] {
  const groups: GroupReference[] = [];
  const visit = (branches: readonly Branch[]): void => {
    for (const { key, group, children } of branches) {
      if (!open.has(key)) continue;
      if (group !== undefined) groups.push(group);
      visit(children);
    }
  };
  visit(roots);
  return groups;
}
