import { useCallback, useEffect, useRef, useState } from 'react';
import { isStale, type Revised } from '../api/call.ts';
import { isSame, merged, type Fields } from './three-way.ts';
import { useSending } from './use-sending.ts';

export interface DraftOptions<Result> {
  /** The fields that the form was opened with; null when it creates something new, which no other user can change. */
  readonly opened: Fields | null;
  /** Loads the saved fields; null when they are deleted. */
  readonly load: () => Promise<Revised<Fields | null>>;
  /** Saves the fields on condition that the revision is still the same; it is empty for something new. */
  readonly send: (fields: Fields, revision: string) => Promise<Revised<Result>>;
  /** True when the revision covers only these fields. Then a new revision is a change, even one that cannot be seen, as of a password. */
  readonly hasOwnRevision?: boolean;
  /** False when other users' changes are noticed only at a save. */
  readonly isWatched?: boolean;
  /** Puts other fields into the form: merged with what was typed, or as they are saved. */
  readonly onTake: (fields: Fields, isTyped: boolean) => void;
  readonly onSaved: (result: Result, fields: Fields) => void;
}

/** A save that was refused because another user has saved first. */
export interface Stale {
  readonly base: Fields;
  readonly theirs: Fields | null;
  /** The revision of `theirs`. */
  readonly revision: string;
  readonly mine: Fields;
}

export interface Draft {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Another user has changed or deleted what the form was opened with. */
  readonly isOutdated: boolean;
  readonly stale: Stale | undefined;
  readonly save: (mine: Fields) => Promise<void>;
  /** The choices after a stale save. */
  readonly keepMine: () => Promise<void>;
  readonly takeTheirs: () => void;
  readonly keepEditing: () => void;
}

/** Milliseconds between two checks for changes by other users. */
const checkInterval = 4000;
/** Most attempts of a save while only other things under the same revision change. */
const attempts = 4;

type Seen = Revised<Fields | null>;

/**
 * Saves a form only if what it was opened with is unchanged. When another user has saved first, `stale` has the saved fields, and what
 * was typed is kept. Changes by other users are noticed while the form is open, and change no field.
 */
export function useDraft<Result>(options: DraftOptions<Result>): Draft {
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  const isNew = options.opened === null;
  const { isWatched = true } = options;
  const base = useRef<{ fields: Fields; revision: string | undefined }>({
    fields: options.opened ?? {},
    revision: isNew ? '' : undefined,
  });
  const seen = useRef<Seen>(undefined);
  const [isOutdated, setOutdated] = useState(false);
  const [stale, setStale] = useState<Stale>();
  const { isBusy, error, run } = useSending();

  /** Loads the saved fields. Returns their revision when they are what the form was opened with. */
  const load = useCallback(async (): Promise<string | undefined> => {
    const found = await latest.current.load();
    const { fields, revision } = base.current;
    const isKnown = latest.current.hasOwnRevision === true && revision !== undefined;
    const isUnchanged =
      found.value !== null && (revision === found.revision || (!isKnown && isSame(found.value, fields)));
    seen.current = found;
    // Takes the fields as the gateway shows them: a secret that was sent is masked from now on.
    if (isUnchanged) base.current = { fields: found.value ?? fields, revision: found.revision };
    setOutdated(!isUnchanged);
    return isUnchanged ? found.revision : undefined;
  }, []);

  useEffect(() => {
    if (isNew || !isWatched) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const again = async (): Promise<void> => {
      // In a tab in the background, or without a reply, the check is repeated later.
      if (document.visibilityState === 'visible') await load().catch(() => undefined);
      if (!isOver) timer = setTimeout(() => void again(), checkInterval);
    };
    void again();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [load, isNew, isWatched]);

  const save = useCallback(
    async (mine: Fields): Promise<void> => {
      await run(async () => {
        let revision = base.current.revision ?? (await load());
        for (let attempt = 0; revision !== undefined && attempt < attempts; attempt += 1) {
          try {
            const { value, revision: next } = await latest.current.send(mine, revision);
            // Further changes are based on what is saved now.
            base.current = { fields: mine, revision: next };
            latest.current.onSaved(value, mine);
            return;
          } catch (refusal) {
            if (!isStale(refusal)) throw refusal;
            revision = await load();
          }
        }
        const { value: theirs = null, revision: next = '' } = seen.current ?? {};
        setStale({ base: base.current.fields, theirs, revision: next, mine });
      });
    },
    [run, load],
  );

  /** Bases the form on the other user's fields. */
  const rebase = useCallback((fields: Fields, theirs: Fields, revision: string): void => {
    base.current = { fields: theirs, revision };
    setOutdated(false);
    setStale(undefined);
    latest.current.onTake(fields, fields !== theirs);
  }, []);

  return {
    isBusy,
    error,
    isOutdated,
    stale,
    save,
    keepMine: async () => {
      if (stale === undefined) return;
      const { theirs, mine, revision } = stale;
      const next = theirs === null ? mine : merged(stale.base, theirs, mine);
      rebase(next, theirs ?? {}, revision);
      await save(next);
    },
    takeTheirs: () => {
      if (stale?.theirs) rebase(stale.theirs, stale.theirs, stale.revision);
    },
    keepEditing: () => setStale(undefined),
  };
}
