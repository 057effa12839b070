import { notifications } from '@mantine/notifications';
import { useCallback, useState } from 'react';
import { useReason } from '../shell/trouble.tsx';

/**
 * Runs something that somebody has asked for: says what it did, or why it failed. `isBusy` is true meanwhile. The result is
 * true when it succeeded.
 */
export function useAction(): {
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<unknown>, done: string) => Promise<boolean>;
} {
  const [isBusy, setBusy] = useState(false);
  const reason = useReason();
  const run = useCallback(
    async (work: () => Promise<unknown>, done: string) => {
      setBusy(true);
      try {
        await work();
        notifications.show({ message: done, color: 'teal', role: 'status' });
        return true;
      } catch (error) {
        // A refusal stays until somebody has read it.
        notifications.show({ message: reason(error), color: 'red', autoClose: false, role: 'alert' });
        return false;
      } finally {
        setBusy(false);
      }
    },
    [reason],
  );
  return { isBusy, run };
}
