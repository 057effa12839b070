import { useCallback, useState } from 'react';

/** The state of a request that a dialog sends: whether it is in flight, and why it was refused. */
export function useSending(): {
  readonly isBusy: boolean;
  readonly error: unknown;
  /** Runs the work. If it rejects, the reason becomes `error` and the result is undefined. */
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
