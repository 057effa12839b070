import { Text } from '@mantine/core';
import { useEffect, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useBlocker } from 'react-router';
import { Confirm } from './confirm.tsx';

/** Asks for confirmation before the user leaves a page with unsaved changes. */
export function LeaveGuard({ isDirty }: { readonly isDirty: boolean }): ReactElement | null {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isDirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!isDirty) return undefined;
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isDirty]);
  if (blocker.state !== 'blocked') return null;
  return <ConfirmLeaving onLeave={() => blocker.proceed()} onStay={() => blocker.reset()} />;
}

/** Asks whether unsaved changes may be lost. */
export function ConfirmLeaving({
  onLeave,
  onStay,
}: {
  readonly onLeave: () => void;
  readonly onStay: () => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Confirm isOpen title={t('app.unsaved')} action={t('app.leave')} onConfirm={onLeave} onClose={onStay}>
      <Text size="sm">{t('app.unsavedMeaning')}</Text>
    </Confirm>
  );
}
