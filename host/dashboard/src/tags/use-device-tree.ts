import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { loadPlace, type DeviceEntry, type DevicePlace } from './device-tree.ts';

/** A line of the tree: an entry, or the way to the rest of a place. */
export type Line =
  | { readonly key: string; readonly entry: DeviceEntry }
  | {
      readonly key: string;
      readonly more: DeviceEntry | undefined;
      readonly depth: number;
      /** How many entries are there of how many. */
      readonly shown: number;
      readonly total: number;
    };

export interface DeviceTree {
  readonly lines: readonly Line[];
  readonly isOpen: (entry: DeviceEntry) => boolean;
  readonly isLoading: (entry: DeviceEntry | undefined) => boolean;
  /** Anything is on its way. */
  readonly isBusy: boolean;
  readonly error: unknown;
  /** What was loaded of a place. */
  readonly placeOf: (entry: DeviceEntry | undefined) => DevicePlace | undefined;
  /** Opens or closes a place; what it has is loaded when it opens first. */
  readonly toggle: (entry: DeviceEntry) => void;
  /** Loads a place, of the top without one, or the next part of it. */
  readonly load: (entry: DeviceEntry | undefined) => Promise<void>;
  /** Gives up all that is on its way. */
  readonly cancel: () => void;
}

const top = '';

/** What a device has, loaded where it is opened. */
export function useDeviceTree(node: string): DeviceTree {
  const [places, setPlaces] = useState<ReadonlyMap<string, DevicePlace>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [loading, setLoading] = useState<ReadonlySet<string>>(new Set());
  const [error, setError] = useState<unknown>();
  const attempts = useRef(new Map<string, AbortController>());

  const cancel = useCallback(() => {
    for (const attempt of attempts.current.values()) attempt.abort();
    attempts.current.clear();
    setLoading(new Set());
  }, []);

  const fetchPlace = useCallback(
    async (parent: DeviceEntry | undefined, before: DevicePlace | undefined): Promise<void> => {
      const key = parent?.key ?? top;
      if (attempts.current.has(key)) return;
      const attempt = new AbortController();
      attempts.current.set(key, attempt);
      setLoading(new Set(attempts.current.keys()));
      setError(undefined);
      try {
        const place = await loadPlace(node, parent, before, attempt.signal);
        setPlaces((known) => new Map(known).set(key, place));
      } catch (problem) {
        if (attempt.signal.aborted) return;
        // So that it is asked for again when it is opened again.
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
    void fetchPlace(undefined, undefined);
    return cancel;
  }, [fetchPlace, cancel]);

  return {
    lines: useMemo(() => linesOf(places, open), [places, open]),
    isOpen: ({ key }) => open.has(key),
    isLoading: (entry) => loading.has(entry?.key ?? top),
    isBusy: loading.size > 0,
    error,
    placeOf: (entry) => places.get(entry?.key ?? top),
    toggle(entry) {
      const isOpening = !open.has(entry.key) || (!places.has(entry.key) && !loading.has(entry.key));
      setOpen((keys) =>
        isOpening ? new Set([...keys, entry.key]) : new Set([...keys].filter((one) => one !== entry.key)),
      );
      if (isOpening && !places.has(entry.key)) void fetchPlace(entry, undefined);
    },
    load: (entry) => fetchPlace(entry, places.get(entry?.key ?? top)),
    cancel,
  };
}

function linesOf(places: ReadonlyMap<string, DevicePlace>, open: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  const visit = (parent: DeviceEntry | undefined): void => {
    const place = places.get(parent?.key ?? top);
    if (place === undefined) return;
    for (const entry of place.entries) {
      lines.push({ key: entry.key, entry });
      if (open.has(entry.key)) visit(entry);
    }
    if (place.next !== undefined) {
      lines.push({
        ...{ key: `${parent?.key ?? top}+`, more: parent, depth: (parent?.depth ?? -1) + 1 },
        ...{ shown: place.entries.length, total: place.total },
      });
    }
  };
  visit(undefined);
  return lines;
}
