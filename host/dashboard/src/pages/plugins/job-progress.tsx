import { Alert, Progress, Text } from '@mantine/core';
import type { DirectoryJob } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { plainText } from './plain-text.ts';

/** How far a job is, or how it ended. Undefined: it was sent and is not answered yet. */
export function JobProgress({ job }: { readonly job: DirectoryJob | undefined }): ReactElement {
  const { t } = useTranslation();
  const { state = 'waiting', received = 0, size, message = '', code = 0 } = job ?? {};
  if (state === 'done')
    return (
      <Alert color="teal" variant="light" role="status">
        {plainText(message)}
      </Alert>
    );
  if (state === 'failed' || state === 'cancelled')
    return (
      <Alert color="red" variant="light" role="alert">
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          {state === 'failed' ? plainText(message) : t('find.cancelled')}
        </Text>
        {code !== 0 && <Text size="xs">{t('error.code', { code })}</Text>}
      </Alert>
    );
  const percent =
    size === undefined || size === 0 ? undefined : Math.min(100, Math.round((100 * received) / size));
  const isKnown = state === 'fetching' && percent !== undefined;
  const text = isKnown ? t('find.fetchingPart', { percent }) : t(`find.${state}`);
  return (
    <div role="status">
      <Text size="sm">{text}</Text>
      <Progress value={isKnown ? percent : 100} animated={!isKnown} aria-label={text} />
    </div>
  );
}
