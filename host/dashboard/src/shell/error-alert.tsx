import { Alert, Text } from '@mantine/core';
import { ErrorCode } from '@tagway/schemas';
import { useCallback, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/call.ts';
import { ActiveLink } from './standby-banner.tsx';

/** The text of an error: the gateway's own sentence if it has sent one. */
export function useReason(): (error: unknown) => string {
  const { t } = useTranslation();
  return useCallback(
    (error) => {
      if (error instanceof ApiError && error.status === 0) {
        return t(error.message === 'unsent' ? 'error.unsent' : 'error.unreachable');
      }
      return error instanceof Error ? error.message : String(error);
    },
    [t],
  );
}

/** The text of an error; for the refusal of a standby, with a link to the active gateway. */
export function Reason({ error }: { readonly error: unknown }): ReactElement {
  const reason = useReason();
  return (
    <>
      {reason(error)}{' '}
      {error instanceof ApiError && error.code === ErrorCode.STANDBY && (
        <ActiveLink url={error.reply['active']} />
      )}
    </>
  );
}

/** An alert with the text and code of an error; nothing without an error. */
export function ErrorAlert({ error }: { readonly error: unknown }): ReactElement | null {
  const { t } = useTranslation();
  if (error === null || error === undefined) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      <Text size="sm">
        <Reason error={error} />
      </Text>
      {error instanceof ApiError && error.code !== 0 && (
        <Text size="xs" c="dimmed">
          {t('error.code', { code: error.code })}
        </Text>
      )}
    </Alert>
  );
}
