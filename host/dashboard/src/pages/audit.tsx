import { Badge, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AuditReply } from '@tagway/schemas';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useMay } from '../api/use-role.ts';
import { timeText } from '../parts/times.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';

type Entry = AuditReply['entries'][number];

/** The audit events, newest first, refused changes included. */
export default function Audit(): ReactElement {
  const { t } = useTranslation();
  const maySee = useMay('admin');
  const [user, setUser] = useState('');
  const [node, setNode] = useState('');
  const [text, setText] = useState('');
  const [page, setPage] = useState(0);
  const [query] = useDebouncedValue({ user, node, text }, 400);
  const { data, error } = useQuery({
    queryKey: ['audit', query, page],
    queryFn: () => call<AuditReply>('GET', 'api/v2/audit', { query: { ...query, page } }),
    placeholderData: keepPreviousData,
    refetchInterval: page === 0 ? 10_000 : false,
    enabled: maySee,
  });
  const count = data?.page_count ?? 0;
  if (!maySee) return <Text>{t('audit.mayNot')}</Text>;

  const field = (label: string, value: string, set: (value: string) => void): ReactElement => (
    <TextInput
      type="search"
      label={label}
      value={value}
      onChange={(event) => {
        set(event.currentTarget.value);
        setPage(0);
      }}
    />
  );
  return (
    <Stack>
      <Title order={2}>{t('nav.audit')}</Title>
      <Group>
        {field(t('audit.user'), user, setUser)}
        {field(t('audit.node'), node, setNode)}
        {field(t('audit.text'), text, setText)}
      </Group>
      <ErrorAlert error={error} />
      {data?.entries.length === 0 && <Text c="dimmed">{t('audit.none')}</Text>}
      <Stack component="ol" gap="xs" p={0} m={0} style={{ listStyle: 'none' }} aria-label={t('nav.audit')}>
        {data?.entries.map((entry, index) => (
          <EntryLine key={`${entry.time} ${index}`} entry={entry} />
        ))}
      </Stack>
      <Group>
        <Button variant="default" size="xs" disabled={page === 0} onClick={() => setPage(page - 1)}>
          {t('audit.newer')}
        </Button>
        <Text size="sm">{t('audit.page', { page: page + 1, count: Math.max(1, count) })}</Text>
        <Button variant="default" size="xs" disabled={page >= count - 1} onClick={() => setPage(page + 1)}>
          {t('audit.older')}
        </Button>
      </Group>
    </Stack>
  );
}

function EntryLine({ entry }: { readonly entry: Entry }): ReactElement {
  const { t } = useTranslation();
  const { time, user, kind, from = '', text, before, after, error } = entry;
  return (
    <li style={{ overflowWrap: 'anywhere' }}>
      <Group gap="xs">
        <Text size="sm" c="dimmed">
          {timeText(time)}
        </Text>
        <Text size="sm" fw={600}>
          {user || kind}
        </Text>
        {from !== '' && (
          <Text size="sm" c="dimmed">
            {from}
          </Text>
        )}
        {error !== 0 && (
          <Badge color="red" variant="light">
            {t('audit.refused')} {error}
          </Badge>
        )}
      </Group>
      <Text size="sm">{text}</Text>
      {(before !== undefined || after !== undefined) && (
        <Text size="xs" c="dimmed" ff="monospace">
          {JSON.stringify(before ?? {})} → {JSON.stringify(after ?? {})}
        </Text>
      )}
    </li>
  );
}
