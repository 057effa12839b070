import { Alert, Text } from '@mantine/core';
import { useCallback, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../api/call.ts';

/** What went wrong, in the gateway's own words where it has some. */
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

/** A refusal or fault of a call, with its code. Nothing where there is none. */
export function Trouble({ error }: { readonly error: unknown }): ReactElement | null {
  const { t } = useTranslation();
  const reason = useReason();
  if (error === null || error === undefined) return null;
  return (
    <Alert color="red" variant="light" role="alert">
      <Text size="sm">{reason(error)}</Text>
      {error instanceof ApiError && error.code !== 0 && (
        <Text size="xs" c="dimmed">
          {t('error.code', { code: error.code })}
        </Text>
      )}
    </Alert>
  );
}
