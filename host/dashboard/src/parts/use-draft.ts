import { ErrorCode } from '@tagway/schemas';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError, type Revised } from '../api/call.ts';
import { isSame, merged, type Fields } from './three-way.ts';
import { useSending } from './use-sending.ts';

export interface DraftOptions<Result> {
  /** What the form was opened with; null where it makes something new, which nobody else can change. */
  readonly opened: Fields | null;
  /** What is there now; null when it is gone. */
  readonly look: () => Promise<Revised<Fields | null>>;
  /** Saves, on the condition that what is there is of the revision; empty for what is new. */
  readonly send: (fields: Fields, revision: string) => Promise<Revised<Result>>;
  /** True where a revision is of nothing else: another one is a change, also when none is seen, as that of a password. */
  readonly isAlone?: boolean;
  /** False where it is looked at only when it is to be saved, and nobody is told before that it is another. */
  readonly isWatched?: boolean;
  /** Puts other fields into the form: with what was typed, or as they are saved. */
  readonly onTake: (fields: Fields, isTyped: boolean) => void;
  readonly onSaved: (result: Result, fields: Fields) => void;
}

/** A save that was refused, because somebody else was faster. */
export interface Stale {
  readonly base: Fields;
  readonly theirs: Fields | null;
  /** Of theirs. */
  readonly revision: string;
  readonly mine: Fields;
}

export interface Draft {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Somebody else has changed or deleted since what the form was opened with. */
  readonly isOutdated: boolean;
  readonly stale: Stale | undefined;
  readonly save: (mine: Fields) => Promise<void>;
  /** Ways out of a stale save. */
  readonly keepMine: () => Promise<void>;
  readonly takeTheirs: () => void;
  readonly goOn: () => void;
}

/** Milliseconds between two looks at whether somebody else has changed what is edited. */
const pause = 4000;
/** How often a save is sent again when only other things of the same revision have changed. */
const attempts = 4;

type Seen = Revised<Fields | null>;

/**
 * What is typed into a form, and what it was opened with. It is saved only over that: when somebody else was faster, `stale` says
 * what is there now, and nothing of what was typed is lost. A foreign change is noticed before, and changes no field.
 */
export function useDraft<Result>(options: DraftOptions<Result>): Draft {
  const now = useRef(options);
  useEffect(() => {
    now.current = options;
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

  /** Looks at what is there. Returns its revision when it is what the form was opened with. */
  const look = useCallback(async (): Promise<string | undefined> => {
    const found = await now.current.look();
    const { fields, revision } = base.current;
    const isKnown = now.current.isAlone === true && revision !== undefined;
    const isHeld =
      found.value !== null && (revision === found.revision || (!isKnown && isSame(found.value, fields)));
    seen.current = found;
    // As the gateway shows it: a secret that was sent is a mask from now on.
    if (isHeld) base.current = { fields: found.value ?? fields, revision: found.revision };
    setOutdated(!isHeld);
    return isHeld ? found.revision : undefined;
  }, []);

  useEffect(() => {
    if (isNew || !isWatched) return undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const again = async (): Promise<void> => {
      // What is in nobody's sight, or does not answer, is looked at later.
      if (document.visibilityState === 'visible') await look().catch(() => undefined);
      if (!isOver) timer = setTimeout(() => void again(), pause);
    };
    void again();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [look, isNew, isWatched]);

  const save = useCallback(
    async (mine: Fields): Promise<void> => {
      await run(async () => {
        let revision = base.current.revision ?? (await look());
        for (let attempt = 0; revision !== undefined && attempt < attempts; attempt += 1) {
          try {
            const { value, revision: next } = await now.current.send(mine, revision);
            // Whoever goes on typing does so over what is saved now.
            base.current = { fields: mine, revision: next };
            now.current.onSaved(value, mine);
            return;
          } catch (refusal) {
            if (!(refusal instanceof ApiError) || refusal.code !== ErrorCode.REVISION_STALE) throw refusal;
            revision = await look();
          }
        }
        const { value: theirs = null, revision: next = '' } = seen.current ?? {};
        setStale({ base: base.current.fields, theirs, revision: next, mine });
      });
    },
    [run, look],
  );

  /** From now on the form is over what was shown as theirs. */
  const settle = useCallback((fields: Fields, theirs: Fields, revision: string): void => {
    base.current = { fields: theirs, revision };
    setOutdated(false);
    setStale(undefined);
    now.current.onTake(fields, fields !== theirs);
  }, []);

  return {
    ...{ isBusy, error, isOutdated, stale, save },
    keepMine: async () => {
      if (stale === undefined) return;
      const { theirs, mine, revision } = stale;
      const next = theirs === null ? mine : merged(stale.base, theirs, mine);
      settle(next, theirs ?? {}, revision);
      await save(next);
    },
    takeTheirs: () => {
      if (stale?.theirs) settle(stale.theirs, stale.theirs, stale.revision);
    },
    goOn: () => setStale(undefined),
  };
}
