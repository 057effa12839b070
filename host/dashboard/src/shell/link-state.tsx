import { Badge } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection } from '../live/use-live.ts';
import { useAge, useNow } from './age.ts';

/** Whether what the page shows is true now. */
export function LinkState(): ReactElement | null {
  const { t } = useTranslation();
  const { state, since } = useConnection();
  const now = useNow();
  const age = useAge();
  if (state === 'connecting') return null;
  if (state === 'lost') {
    return (
      <Badge color="red" variant="filled" role="status">
        {t('link.lost', { age: age(now - since) })}
      </Badge>
    );
  }
  return (
    <Badge color={state === 'live' ? 'teal' : 'yellow'} variant="light" role="status">
      {t(state === 'live' ? 'link.live' : 'link.polling')}
    </Badge>
  );
}
