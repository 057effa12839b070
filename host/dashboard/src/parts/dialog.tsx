import { Button, Group, Modal, Stack } from '@mantine/core';
import { useEffect, useRef, type ReactElement, type ReactNode, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Trouble } from '../shell/trouble.tsx';

interface Props {
  readonly title: string;
  readonly children: ReactNode;
  /** What the button says that goes through with it. */
  readonly action: string;
  readonly isBusy: boolean;
  readonly isDisabled?: boolean;
  /** Why the gateway has not done it. */
  readonly error: unknown;
  readonly size?: string;
  /** What the other button says; Cancel unless told. */
  readonly cancel?: string;
  /** False where there is nothing to be given up. */
  readonly hasCancel?: boolean;
  /** Something stands above it, which is to be answered first. */
  readonly isCovered?: boolean;
  /** Further buttons, before the other two. */
  readonly more?: ReactNode;
  readonly onSubmit: () => void;
  readonly onClose: () => void;
}

/** The frame of every dialog in which something is typed: a form with its refusal and its two buttons. */
export function Dialog(props: Props): ReactElement {
  const { title, children, action, isBusy, isDisabled = false, error, size = 'md', cancel, more } = props;
  const { isCovered = false, hasCancel = true, onSubmit, onClose } = props;
  const { t } = useTranslation();
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isDisabled && !isBusy) onSubmit();
  };
  // The key that closes what stands above it must not close this one, too.
  const isHeld = useRef(false);
  useEffect(() => {
    if (isCovered) isHeld.current = true;
    const timer = isCovered ? undefined : setTimeout(() => (isHeld.current = false));
    return () => clearTimeout(timer);
  }, [isCovered]);
  const close = (): void => {
    if (!isHeld.current) onClose();
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
          <Trouble error={error} />
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
