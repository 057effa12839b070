import { Alert, Button, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useRouteError } from 'react-router';

/** Shown in place of a page that has thrown an error; the menu still works. */
export function PageError(): ReactElement {
  const { t } = useTranslation();
  const error = useRouteError();
  return (
    <Alert color="red" title={t('app.broken')} m="md">
      <Stack align="flex-start">
        <Text size="sm">{error instanceof Error ? error.message : String(error)}</Text>
        <Button variant="default" onClick={() => location.reload()}>
          {t('app.retry')}
        </Button>
      </Stack>
    </Alert>
  );
}
