import { Button, Group, Select, Stack, Switch, Text, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { NodeType, type LogReply } from '@tagway/schemas';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { call } from '../api/call.ts';
import { useNodes } from '../api/queries.ts';
import { download } from '../parts/download.ts';
import { SearchField } from '../parts/search-field.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { LogArchive } from './logs/archive.tsx';
import { Lines } from './logs/lines.tsx';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
const spans = { hour: 3600, day: 86_400, week: 604_800, all: undefined } as const;
type Span = keyof typeof spans;
const pageSize = 500;
/** A time after every line of the log, in seconds since 1970. */
const end = 99_999_999_999;

interface Wanted {
  readonly node: string;
  readonly level: string;
  readonly text: string;
  readonly span: Span;
  /** Counts from 0; undefined for the newest page. */
  readonly page: number | undefined;
}

async function ask({ node, level, text, span, page }: Wanted): Promise<LogReply & { page: number }> {
  const length = spans[span];
  const since = length === undefined ? 0 : Math.floor(Date.now() / 1000) - length;
  const query = { since, until: end, level, node, text, page_size: pageSize };
  const first = await call<LogReply>('GET', 'api/v2/log', { query: { ...query, page: page ?? 0 } });
  const last = Math.max(0, first.page_count - 1);
  if (page !== undefined || last === 0) return { ...first, page: page ?? 0 };
  return { ...(await call<LogReply>('GET', 'api/v2/log', { query: { ...query, page: last } })), page: last };
}

/** The log: its newest lines as they arrive, or an older page. */
export default function Logs(): ReactElement {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const node = params.get('node') ?? '';
  const [level, setLevel] = useState<string>('trace');
  const [span, setSpan] = useState<Span>('day');
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text, 400);
  const [page, setPage] = useState<number>();
  const isFollowing = page === undefined;
  const wanted = { node, level, text: settled, span, page };
  const { data, error } = useQuery({
    queryKey: ['log', wanted],
    queryFn: () => ask(wanted),
    refetchInterval: isFollowing ? 2000 : false,
    placeholderData: keepPreviousData,
  });
  const drivers = useNodes(NodeType.DRIVER).data;
  const apps = useNodes(NodeType.APP).data;
  const names = useMemo(
    () => new Set([...(drivers ?? []), ...(apps ?? [])].map(({ name }) => name)),
    [drivers, apps],
  );
  const rows = data?.rows ?? [];
  const at = data?.page ?? 0;
  const count = data?.page_count ?? 0;

  return (
    <Stack>
      <Title order={2}>{t('nav.logs')}</Title>
      <Group align="flex-end">
        <Select
          label={t('logs.node')}
          data={[
            { value: '', label: t('logs.everything') },
            { value: 'gateway', label: t('logs.gateway') },
            ...[...names].map((name) => ({ value: name, label: name })),
          ]}
          value={node}
          searchable
          allowDeselect={false}
          onChange={(value) => setParams(value ? { node: value } : {}, { replace: true })}
        />
        <Select
          label={t('logs.level')}
          data={levels}
          value={level}
          allowDeselect={false}
          onChange={(value) => setLevel(value ?? 'trace')}
          w={110}
        />
        <Select
          label={t('logs.time')}
          data={(Object.keys(spans) as Span[]).map((value) => ({ value, label: t(`logs.${value}`) }))}
          value={span}
          allowDeselect={false}
          onChange={(value) => setSpan(value ?? 'day')}
          w={130}
        />
        <SearchField label={t('logs.text')} value={text} onChange={setText} />
        <Switch
          label={t('logs.follow')}
          checked={isFollowing}
          onChange={(event) => setPage(event.currentTarget.checked ? undefined : at)}
          mb={8}
        />
      </Group>
      <ErrorAlert error={error} />
      <Lines rows={rows} isFollowing={isFollowing} nodes={names} />
      <Group>
        <Button variant="default" size="xs" disabled={at === 0} onClick={() => setPage(at - 1)}>
          {t('logs.older')}
        </Button>
        <Text size="sm">{t('logs.page', { page: at + 1, count: Math.max(1, count) })}</Text>
        <Button variant="default" size="xs" disabled={at >= count - 1} onClick={() => setPage(at + 1)}>
          {t('logs.newer')}
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconDownload size={14} aria-hidden />}
          disabled={rows.length === 0}
          onClick={() => download('tagway.log', new Blob([rows.join('\n'), '\n'], { type: 'text/plain' }))}
        >
          {t('logs.save')}
        </Button>
        <LogArchive />
      </Group>
    </Stack>
  );
}
