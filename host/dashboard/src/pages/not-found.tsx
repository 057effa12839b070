import { Button, Stack, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

export function NotFound(): ReactElement {
  const { t } = useTranslation();
  return (
    <Stack align="center" mt="xl">
      <Text>{t('app.notFound')}</Text>
      <Button component={Link} to="/" variant="default">
        {t('app.home')}
      </Button>
    </Stack>
  );
}
