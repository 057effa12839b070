import { Alert, Anchor, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { usePair } from '../api/pair.ts';

/** The banner above every page of the standby of a pair. */
export function StandbyBanner(): ReactElement | null {
  const { t } = useTranslation();
  const pair = usePair();
  if (pair?.role !== 'standby') return null;
  return (
    <Alert color="cyan" variant="light" mb="md" role="status">
      <Text size="sm">
        {pair.holder === null || pair.holder_url === null
          ? t('pair.standbyAlone')
          : t('pair.standby', { name: pair.holder })}{' '}
        <ActiveLink url={pair.holder_url} />
      </Text>
    </Alert>
  );
}

/** A link to the active gateway of a pair, if its address is known. */
export function ActiveLink({ url }: { readonly url: unknown }): ReactElement | null {
  const { t } = useTranslation();
  if (typeof url !== 'string' || !/^https?:\/\//.test(url)) return null;
  return (
    <Anchor href={url} size="sm" underline="always">
      {t('pair.open', { url })}
    </Anchor>
  );
}
