import { Button, Group, Modal, Stack } from '@mantine/core';
import { useEffect, useRef, type ReactElement, type ReactNode, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { useOpener } from './use-opener.ts';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** The text of the submit button. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  /** The error of the request; undefined or null without one. */
  readonly error: unknown;
  readonly size?: string;
  /** The text of the other button; Cancel by default. */
  readonly cancel?: string;
  /** False to leave out the other button. */
  readonly hasCancel?: boolean;
  /** Another dialog is open above this one. */
  readonly isCovered?: boolean;
  /** More buttons, before the other two. */
  readonly more?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** A dialog with a form, its error and its buttons. */
export function Dialog(props: Props): ReactElement {
  const { title, children, action, isBusy, isDisabled = false, error, size = 'md', cancel, more } = props;
  const { isCovered = false, hasCancel = true, onSubmit, onClose } = props;
  const { t } = useTranslation();
  useOpener();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isDisabled && !isBusy) onSubmit();
  };
  // The key that closes the dialog above must not close this one too.
  const isCloseBlocked = useRef(false);
  useEffect(() => {
    if (isCovered) isCloseBlocked.current = true;
    const timer = isCovered ? undefined : setTimeout(() => (isCloseBlocked.current = false));
    return () => clearTimeout(timer);
  }, [isCovered]);
  const close = (): void => {
    if (!isCloseBlocked.current) onClose();
  };
  return (
    <Modal
      opened
      onClose={close}
      title={title}
      size={size}
      closeOnClickOutside={false}
      trapFocus={!isCovered}
      styles={{ title: { overflowWrap: 'anywhere' } }}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          {children}
          <ErrorAlert error={error} />
          <Group justify="flex-end">
            {more}
            {hasCancel && (
              <Button variant="default" onClick={onClose}>
                {cancel ?? t('app.cancel')}
              </Button>
            )}
            <Button type="submit" loading={isBusy} disabled={isDisabled}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
