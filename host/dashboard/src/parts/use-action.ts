import { notifications } from '@mantine/notifications';
import { createElement, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Reason } from '../shell/error-alert.tsx';

/**
 * Runs an action of the user and shows a notification with its result or its error. `isBusy` is true while it runs. The result is true
 * when it has succeeded.
 */
export function useAction(): {
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<unknown>, done: string) => Promise<boolean>;
} {
  const [isBusy, setBusy] = useState(false);
  const { t } = useTranslation();
  const run = useCallback(
    async (work: () => Promise<unknown>, done: string) => {
      setBusy(true);
      const closeButtonProps = { 'aria-label': t('app.close') };
      try {
        await work();
        notifications.show({ message: done, color: 'teal', role: 'status', closeButtonProps });
        return true;
      } catch (error) {
        // An error stays until the user closes it.
        notifications.show({
          message: createElement(Reason, { error }),
          color: 'red',
          autoClose: false,
          role: 'alert',
          closeButtonProps,
        });
        return false;
      } finally {
        setBusy(false);
      }
    },
    [t],
  );
  return { isBusy, run };
}
