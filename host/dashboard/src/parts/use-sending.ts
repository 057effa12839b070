import { useCallback, useState } from 'react';

/** The state of a dialog that sends something: whether it is under way, and why it was refused. */
export function useSending(): {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Runs the work. What it rejects with becomes `error`; the result is undefined then. */
  readonly run: <T>(work: () => Promise<T>) => Promise<T | undefined>;
} {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = useCallback(async <T>(work: () => Promise<T>): Promise<T | undefined> => {
    setBusy(true);
    setError(undefined);
    try {
      return await work();
    } catch (refusal) {
      setError(refusal);
      return undefined;
    } finally {
      setBusy(false);
    }
  }, []);
  return { isBusy, error, run };
}
