import { Badge, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { AuditReply } from '@tagway/schemas';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Fragment, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useMay } from '../api/use-role.ts';
import { Isolated } from '../parts/isolated.tsx';
import { Pager } from '../parts/pager.tsx';
import { timeText } from '../parts/times.ts';
import { changesOf } from './audit/changes.ts';
import './logs/logs.css';
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
      <Stack
        component="ol"
        className="list-card"
        gap={0}
        p={0}
        m={0}
        style={{ listStyle: 'none' }}
        aria-label={t('nav.audit')}
      >
        {data?.entries.map((entry, index) => (
          <EntryLine key={`${entry.time} ${index}`} entry={entry} />
        ))}
      </Stack>
      <Pager page={page} count={data?.page_count ?? 0} setPage={setPage} />
    </Stack>
  );
}

function EntryLine({ entry }: { readonly entry: Entry }): ReactElement {
  const { t } = useTranslation();
  const { time, user, kind, from = '', text, before, after, error } = entry;
  return (
    <li className="audit-entry">
      <span className="time">{timeText(time)}</span>
      <span className="who">
        <Text fw={600} span>
          <Isolated>{user || kind}</Isolated>
        </Text>
        {from !== '' && (
          <Text size="xs" c="dimmed">
            {from}
          </Text>
        )}
      </span>
      <div className="what">
        {error !== 0 && (
          <Badge color="red" mr={6}>
            {t('audit.refused')} {error}
          </Badge>
        )}
        <Isolated>{text}</Isolated>
        <Changes before={before} after={after} />
      </div>
    </li>
  );
}

/** What was changed, by the names of the fields. */
function Changes({
  before,
  after,
}: {
  readonly before: unknown;
  readonly after: unknown;
}): ReactElement | null {
  const { t } = useTranslation();
  const changes = changesOf(before, after);
  if (changes.length === 0) return null;
  return (
    <dl className="audit-changes">
      {changes.map(({ name, before: old, after: next }) => (
        <Fragment key={name}>
          <dt>
            <Isolated>{name}</Isolated>
          </dt>
          <dd>
            {old !== undefined && <Isolated>{old}</Isolated>}
            {old !== undefined && ' → '}
            {next === undefined ? t('audit.removed') : <Isolated>{next}</Isolated>}
          </dd>
        </Fragment>
      ))}
    </dl>
  );
}
