import { Alert, Code, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useStatus } from '../api/pair.ts';

/** Where the configuration is pulled from, above every page of a gateway whose configuration is. */
export function SourceBanner(): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useStatus();
  const source = data?.source;
  if (source === undefined) return null;
  const { url, commit, subject, locked, drift, problem } = source;
  const differences = drift.differences ?? 0;
  return (
    <Alert color={problem === null ? 'cyan' : 'yellow'} variant="light" mb="md" role="status">
      <Text size="sm">
        {t('source.managed', { url })} <Code>{commit === null ? t('source.none') : commit.slice(0, 12)}</Code>
        {subject === undefined ? '' : ` ${subject}`}
        {'. '}
        {t(locked ? 'source.locked' : 'source.open')}{' '}
        {differences > 0 && t('source.drift', { count: differences })}
      </Text>
      {problem !== null && (
        <Text size="sm">
          {t('source.problem')} <bdi>{problem.message.split('\n', 1)[0]}</bdi>
        </Text>
      )}
    </Alert>
  );
}
