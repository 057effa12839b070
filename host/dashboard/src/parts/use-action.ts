import { notifications } from '@mantine/notifications';
import { createElement, useCallback, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Reason } from '../shell/error-alert.tsx';
import { Undoable } from './undoable.tsx';

/** What undoes an action, and the sentence that says so. */
export interface Undo {
  readonly work: () => Promise<unknown>;
  readonly done: string;
}

type RunAction = (work: () => Promise<unknown>, done: string, undo?: Undo) => Promise<boolean>;

/** Milliseconds in which an action can be undone. */
const undoTime = 20_000;

/**
 * Runs an action of the user and shows a notification with its result or its error. `isBusy` is true while it runs. The result is true
 * when it has succeeded. With `undo` the notification has a button for that, and stays longer.
 */
export function useAction(): { readonly isBusy: boolean; readonly run: RunAction } {
  const [isBusy, setBusy] = useState(false);
  const { t } = useTranslation();
  const run = useCallback<RunAction>(
    async (work, done, undo) => {
      setBusy(true);
      const closeButtonProps = { 'aria-label': t('app.close') };
      try {
        await work();
        const takeBack = async ({ work: back, done: undone }: Undo): Promise<void> => {
          notifications.hide(id);
          await run(back, undone);
        };
        const id = notifications.show({
          message:
            undo === undefined ? done : createElement(Undoable, { done, onUndo: () => void takeBack(undo) }),
          color: 'teal',
          role: 'status',
          closeButtonProps,
          ...(undo !== undefined && { autoClose: undoTime }),
        });
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
