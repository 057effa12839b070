import { Box, Button, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { ErrorCode, type Params, type PreviewReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError, call } from '../api/call.ts';
import { timeText } from '../parts/times.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';

interface Props {
  readonly app: string;
  readonly driver: string;
  readonly group: string;
  /** The parameters in the form; undefined while they cannot be parsed. */
  readonly params: Params | undefined;
}

/** Most characters of a payload that are shown: one with ten thousand tags would fill the page. */
const mostShown = 20_000;

/** The messages that the app would send next with the parameters of a form, after a click on a button. */
export function Preview(props: Props): ReactElement {
  const { t } = useTranslation();
  const [isShown, setShown] = useState(false);
  if (isShown) return <Messages {...props} />;
  return (
    <Button variant="default" disabled={props.params === undefined} onClick={() => setShown(true)}>
      {t('preview.show')}
    </Button>
  );
}

function Messages({ app, driver, group, params }: Props): ReactElement {
  const { t } = useTranslation();
  const [wanted] = useDebouncedValue(params, 400);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['preview', app, driver, group, wanted],
    queryFn: ({ signal }) => {
      const own = wanted !== undefined && Object.keys(wanted).length > 0 ? { params: wanted } : {};
      return call<PreviewReply>('POST', 'api/v2/subscribe/preview', {
        body: { app, driver, group, ...own },
        signal,
      });
    },
    enabled: wanted !== undefined,
    retry: false,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  return (
    <Stack gap="xs" role="group" aria-label={t('preview.title')}>
      {isExpected(error) ? <Text size="sm">{error.message}</Text> : <ErrorAlert error={error} />}
      {data !== undefined && error === null && (
        <>
          <Text size="xs" c="dimmed">
            {t('preview.of', { driver, group, time: timeText(data.time) })}
          </Text>
          {data.messages.length === 0 && <Text size="sm">{t('preview.none')}</Text>}
          {data.messages.map(({ topic, payload }, at) => (
            <Message key={at} topic={topic} payload={payload} />
          ))}
        </>
      )}
      <Button variant="default" loading={isFetching} onClick={() => void refetch()}>
        {t('preview.again')}
      </Button>
    </Stack>
  );
}

function Message({ topic, payload }: PreviewReply['messages'][number]): ReactElement {
  const { t } = useTranslation();
  return (
    <Stack gap={4}>
      <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
        {`${t('subscriptions.topic')}: `}
        <Text span ff="monospace" size="sm">
          {topic}
        </Text>
      </Text>
      <Box
        component="pre"
        tabIndex={0}
        role="region"
        aria-label={t('preview.payload')}
        m={0}
        p="xs"
        mah={260}
        fz="xs"
        bg="light-dark(var(--mantine-color-gray-1), var(--mantine-color-dark-6))"
        style={{ overflow: 'auto', whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
      >
        {payload.slice(0, mostShown)}
      </Box>
      {payload.length > mostShown && (
        <Text size="xs">{t('preview.cut', { shown: mostShown, all: payload.length })}</Text>
      )}
    </Stack>
  );
}

/** Whether the app has no preview or the group is not read yet; neither is an error. */
const isExpected = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  (error.code === ErrorCode.PLUGIN_TYPE_UNSUPPORTED || error.code === ErrorCode.NOT_READY);
