import { Button, Group, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

/** Leads from page to page of what has its newest first. */
export function Pager({
  page,
  count,
  setPage,
}: {
  /** From 0 on. */
  readonly page: number;
  /** How many pages there are. */
  readonly count: number;
  readonly setPage: (page: number) => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Group>
      <Button variant="default" size="xs" disabled={page === 0} onClick={() => setPage(page - 1)}>
        {t('audit.newer')}
      </Button>
      <Text size="sm">{t('audit.page', { page: page + 1, count: Math.max(1, count) })}</Text>
      <Button variant="default" size="xs" disabled={page >= count - 1} onClick={() => setPage(page + 1)}>
        {t('audit.older')}
      </Button>
    </Group>
  );
}
