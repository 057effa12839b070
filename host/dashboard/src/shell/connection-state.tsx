import { Alert, Badge, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useConnection } from '../live/use-live.ts';
import { timeText } from '../parts/times.ts';
import { useAge, useNow } from './age.ts';

const shown = {
  live: ['link.live', 'teal', 'light'],
  polling: ['link.polling', 'yellow', 'light'],
  lost: ['link.lost', 'red', 'filled'],
} as const;

/** The state of the page's connection to the gateway. */
export function ConnectionBadge(): ReactElement | null {
  const { t } = useTranslation();
  const { state } = useConnection();
  if (state === 'connecting') return null;
  const [text, color, variant] = shown[state];
  return (
    <Badge
      color={color}
      variant={variant}
      role="status"
      miw="max-content"
      title={state === 'polling' ? t('link.pollingMeaning') : undefined}
    >
      {t(text)}
    </Badge>
  );
}

/** The banner above every page while the gateway cannot be reached and the values are old. */
export function LostBanner(): ReactElement | null {
  const { t } = useTranslation();
  const { state, since } = useConnection();
  const now = useNow();
  const age = useAge();
  if (state !== 'lost') return null;
  return (
    <Alert color="red" variant="light" mb="md" role="alert">
      <Text fw={600}>{t('link.lostSince', { time: timeText(since), age: age(now - since) })}</Text>
      <Text size="sm">{t('link.lostMeaning')}</Text>
    </Alert>
  );
}
