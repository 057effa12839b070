import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { loadChildren, type DeviceEntry, type LoadedChildren } from './device-tree.ts';

/** A row of the tree: an entry, or a button that loads more children. */
export type TreeRow =
  | { readonly key: string; readonly entry: DeviceEntry }
  | {
      readonly key: string;
      readonly more: DeviceEntry | undefined;
      readonly depth: number;
      /** How many children are loaded, of how many. */
      readonly shown: number;
      readonly total: number;
    };

export interface DeviceTree {
  readonly rows: readonly TreeRow[];
  readonly isOpen: (entry: DeviceEntry) => boolean;
  readonly isLoading: (entry: DeviceEntry | undefined) => boolean;
  /** A request is in flight. */
  readonly isBusy: boolean;
  readonly error: unknown;
  /** The loaded children of an entry; without an entry, of the root. */
  readonly childrenOf: (entry: DeviceEntry | undefined) => LoadedChildren | undefined;
  /** Opens or closes an entry; its children are loaded when it is first opened. */
  readonly toggle: (entry: DeviceEntry) => void;
  /** Loads the first or the next children of an entry; without an entry, of the root. */
  readonly load: (entry: DeviceEntry | undefined) => Promise<void>;
  /** Aborts all requests. */
  readonly cancel: () => void;
}

const root = '';

/** The tree of a device; children are loaded when their entry is opened. */
export function useDeviceTree(node: string): DeviceTree {
  const [loaded, setLoaded] = useState<ReadonlyMap<string, LoadedChildren>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [loading, setLoading] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>();
  const attempts = useRef(new Map<string, AbortController>());

  const cancel = useCallback(() => {
    for (const attempt of attempts.current.values()) attempt.abort();
    attempts.current.clear();
    setLoading(new Set());
  }, []);

  const fetchChildren = useCallback(
    async (parent: DeviceEntry | undefined, before: LoadedChildren | undefined): Promise<void> => {
      const key = parent?.key ?? root;
      if (attempts.current.has(key)) return;
      const attempt = new AbortController();
      attempts.current.set(key, attempt);
      setLoading(new Set(attempts.current.keys()));
      setError(undefined);
      try {
        const children = await loadChildren(node, parent, before, attempt.signal);
        setLoaded((known) => new Map(known).set(key, children));
      } catch (problem) {
        if (attempt.signal.aborted) return;
        // Closed again, so that the next opening loads it.
        setOpen((keys) => new Set([...keys].filter((one) => one !== key)));
        setError(problem);
      } finally {
        if (attempts.current.get(key) === attempt) {
          attempts.current.delete(key);
          setLoading(new Set(attempts.current.keys()));
        }
      }
    },
    [node],
  );
  useEffect(() => {
    void fetchChildren(undefined, undefined);
    return cancel;
  }, [fetchChildren, cancel]);

  return {
    rows: useMemo(() => rowsOf(loaded, open), [loaded, open]),
    isOpen: ({ key }) => open.has(key),
    isLoading: (entry) => loading.has(entry?.key ?? root),
    isBusy: loading.size > 0,
    error,
    childrenOf: (entry) => loaded.get(entry?.key ?? root),
    toggle(entry) {
      const isOpening = !open.has(entry.key) || (!loaded.has(entry.key) && !loading.has(entry.key));
      setOpen((keys) =>
        isOpening ? new Set([...keys, entry.key]) : new Set([...keys].filter((one) => one !== entry.key)),
      );
      if (isOpening && !loaded.has(entry.key)) void fetchChildren(entry, undefined);
    },
    load: (entry) => fetchChildren(entry, loaded.get(entry?.key ?? root)),
    cancel,
  };
}

function rowsOf(loaded: ReadonlyMap<string, LoadedChildren>, open: ReadonlySet<string>): TreeRow[] {
  const rows: TreeRow[] = [];
  const visit = (parent: DeviceEntry | undefined): void => {
    const children = loaded.get(parent?.key ?? root);
    if (children === undefined) return;
    for (const entry of children.entries) {
      rows.push({ key: entry.key, entry });
      if (open.has(entry.key)) visit(entry);
    }
    if (children.next !== undefined) {
      rows.push({
        key: `${parent?.key ?? root}+`,
        more: parent,
        depth: (parent?.depth ?? -1) + 1,
        shown: children.entries.length,
        total: children.total,
      });
    }
  };
  visit(undefined);
  return rows;
}
