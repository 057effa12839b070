import { Anchor, Stack, Text } from '@mantine/core';
import { type NodeStateRecord, isOffline, isTroubled, tagsInError } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useAge, useNow } from '../shell/age.ts';
import { Advice } from './advice.tsx';
import { meaningOf } from './error-text.ts';
import { losses } from './node-losses.ts';
import { textInLanguage } from '../texts/refusals.ts';
import { timeText } from './times.ts';

/** The problems of a node: its last error, its tags in error by reason, and its losses. */
export function Causes({ state }: { readonly state: NodeStateRecord }): ReactElement {
  const { t } = useTranslation();
  const now = useNow();
  const age = useAge();
  const { last_error: error } = state;
  const failing = error !== undefined && isTroubled(state) ? [error.code] : [];
  const codes = [...failing, ...tagsInError(state).map(([code]) => code)];
  return (
    <Stack gap={4} mt={4} style={{ overflowWrap: 'anywhere' }}>
      {error !== undefined && isTroubled(state) && (
        <>
          <Text size="sm">{textInLanguage(error.text)}</Text>
          <Text size="xs" c="dimmed">
            {t('causes.since', {
              time: timeText(error.since),
              age: age(now - error.since),
              code: error.code,
            })}
          </Text>
        </>
      )}
      {tagsInError(state).map(([code, n]) => (
        <Text key={code} size="sm">
          {t('causes.tags', { n, reason: meaningOf(code) ?? t('causes.plugin'), code })}
        </Text>
      ))}
      <Advice codes={codes} isApp={state.sub_group_count !== undefined} />
      {losses
        .filter((name) => (state[name] ?? 0) > 0)
        .map((name) => (
          <Text key={name} size="sm">
            {t(`causes.${name}`, { n: state[name] ?? 0 })}
          </Text>
        ))}
      {state.slow_groups?.map(({ group, interval, takes }) => (
        <Text key={group} size="sm">
          {t('causes.slow', { group, interval, takes })}
        </Text>
      ))}
      {isOffline(state) && (
        <Anchor
          component={Link}
          to={`/logs?node=${encodeURIComponent(state.node)}`}
          size="sm"
          underline="always"
        >
          {t('causes.log')}
        </Anchor>
      )}
    </Stack>
  );
}
