import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import type { AlarmTransition } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useAlarmJournal, type JournalQuery } from '../../api/alarms.ts';
import { ApiError, send } from '../../api/call.ts';
import { download, today } from '../../parts/download.ts';
import { Isolated } from '../../parts/isolated.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { alarmStates, whatOf } from './alarm-state.ts';

async function fetchTable(query: JournalQuery): Promise<void> {
  const response = await send('GET', 'api/v2/alarms/journal/csv', { query: { ...query } });
  if (!response.ok) throw new ApiError(response.statusText, 0, response.status);
  download(`alarms-${today()}.csv`, await response.blob());
}

/** Two fields stand beside each other on a phone. */
const half = { flex: '1 1 150px', maw: 220 } as const;

const keyOf = ({ node, sequence }: AlarmTransition): string => `${sequence} ${node}`;

/** What has happened to alarms, newest first. */
export function Journal(): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const [node, setNode] = useState('');
  const [tag, setTag] = useState('');
  const [priority, setPriority] = useState('');
  const [state, setState] = useState('');
  const [page, setPage] = useState(0);
  const [query] = useDebouncedValue({ node, tag, priority, state }, 400);
  const { data, error } = useAlarmJournal(query, page);
  const field = (label: string, value: string, set: (value: string) => void): ReactElement => (
    <TextInput
      type="search"
      label={label}
      {...half}
      value={value}
      onChange={(event) => {
        set(event.currentTarget.value);
        setPage(0);
      }}
    />
  );
  const choice = (
    label: string,
    value: string,
    set: (value: string) => void,
    options: readonly { readonly value: string; readonly label: string }[],
  ): ReactElement => (
    <Select
      label={label}
      {...half}
      data={[{ value: '', label: t('alarms.all') }, ...options]}
      value={value}
      allowDeselect={false}
      onChange={(chosen) => {
        set(chosen ?? '');
        setPage(0);
      }}
    />
  );
  const columns: readonly Column<AlarmTransition>[] = [
    { key: 'time', title: t('alarms.time'), cell: ({ time }) => <Time at={time} /> },
    {
      key: 'alarm',
      title: t('alarms.alarm'),
      cell: ({ group, node: from, tag: name }) => (
        <>
          <Isolated>{name}</Isolated>{' '}
          <Text span size="xs" c="dimmed">
            <Isolated>{`${from} / ${group}`}</Isolated>
          </Text>
        </>
      ),
    },
    {
      key: 'states',
      title: t('alarms.change'),
      cell: ({ from, to }) => `${t(alarmStates[from].text)} → ${t(alarmStates[to].text)}`,
    },
    { key: 'what', title: t('alarms.what'), cell: (one) => <Isolated>{whatOf(one)}</Isolated> },
    { key: 'priority', title: t('alarms.priority'), cell: (one) => t(`alarms.priorities.${one.priority}`) },
    {
      key: 'who',
      title: t('alarms.who'),
      cell: ({ comment = '', user = '' }) => (
        <Isolated>{comment === '' ? user : `${user}: ${comment}`}</Isolated>
      ),
    },
  ];
  return (
    <Stack gap="sm">
      <Group align="flex-end">
        {field(t('alarms.node'), node, setNode)}
        {field(t('alarms.tag'), tag, setTag)}
        {choice(
          t('alarms.priority'),
          priority,
          setPriority,
          (['low', 'medium', 'high'] as const).map((value) => ({
            value,
            label: t(`alarms.priorities.${value}`),
          })),
        )}
        {choice(
          t('alarms.state'),
          state,
          setState,
          Object.entries(alarmStates).map(([value, { text }]) => ({ value, label: t(text) })),
        )}
        <Button
          variant="default"
          loading={isBusy}
          leftSection={<IconDownload size={14} aria-hidden />}
          onClick={() => void run(() => fetchTable(query), t('alarms.didSave'))}
        >
          {t('alarms.save')}
        </Button>
      </Group>
      <ErrorAlert error={error} />
      <Table
        rows={data?.transitions ?? []}
        columns={columns}
        keyOf={keyOf}
        label={t('alarms.journal')}
        empty={t('alarms.noTransition')}
      />
      <Pager page={page} count={data?.page_count ?? 0} setPage={setPage} />
    </Stack>
  );
}
