import { Anchor, Button, Group, Select, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { NodeType, RunningState, type NodeStateRecord, isTroubled } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation, useSearchParams } from 'react-router';
import { useNodes } from '../api/queries.ts';
import { useMayConfigure } from '../api/use-configure.ts';
import { useMay } from '../api/use-role.ts';
import { useStates } from '../live/use-live.ts';
import { LinkBadge, RunningBadge } from '../parts/state-badges.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { selectColumn } from '../parts/select-column.tsx';
import { NodeActions } from './node/actions.tsx';
import { BulkControl } from './node/bulk-control.tsx';
import { Isolated } from '../parts/isolated.tsx';

interface Row {
  readonly name: string;
  readonly plugin: string;
  readonly state: NodeStateRecord | undefined;
}

const filters = ['all', 'troubled', 'running', 'still'] as const;
type Filter = (typeof filters)[number];

function fits({ state }: Row, filter: Filter): boolean {
  if (filter === 'all') return true;
  if (state === undefined) return false;
  if (filter === 'troubled') return isTroubled(state);
  return (state.running === RunningState.RUNNING) === (filter === 'running');
}

/** All drivers, or all apps. The search is part of the address, so that the browser's back button restores it. */
export default function Nodes(): ReactElement {
  const { t } = useTranslation();
  const isDrivers = useLocation().pathname.startsWith('/drivers');
  const { data = [], error, isPending } = useNodes(isDrivers ? NodeType.DRIVER : NodeType.APP);
  const states = useStates();
  const mayAdd = useMayConfigure();
  const isEngineer = useMay('engineer');
  const [params, setParams] = useSearchParams();
  // The address follows the typed text, but is too slow to be the state of the field.
  const [text, setText] = useState(params.get('text') ?? '');
  const filter = filters.find((one) => one === params.get('filter')) ?? 'all';

  const rows = useMemo(() => {
    const wanted = text.toLowerCase();
    return data
      .map(({ name, plugin }): Row => ({ name, plugin, state: states?.get(name) }))
      .filter((row) => `${row.name}\n${row.plugin}`.toLowerCase().includes(wanted) && fits(row, filter));
  }, [data, states, text, filter]);
  const mayControl = useMay('operator');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const shownColumns = useColumns(isDrivers);
  const columns = mayControl
    ? [selectColumn<Row>({ t, shown: rows, selected, setSelected, keyOf: nameOf, nameOf }), ...shownColumns]
    : shownColumns;
  const chosen = rows.flatMap(({ name, state }) =>
    selected.has(name) && state !== undefined ? [state] : [],
  );

  function set(key: string, value: string): void {
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        if (value === '' || value === 'all') next.delete(key);
        else next.set(key, value);
        return next;
      },
      { replace: true },
    );
  }

  const title = t(isDrivers ? 'nav.drivers' : 'nav.apps');
  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{title}</Title>
        {mayAdd && (
          <Button
            component={Link}
            to={isDrivers ? '/drivers/add' : '/apps/add'}
            leftSection={<IconPlus size={16} aria-hidden />}
          >
            {t(isDrivers ? 'nodes.addDriver' : 'nodes.addApp')}
          </Button>
        )}
        {isEngineer && !mayAdd && (
          <Button disabled leftSection={<IconPlus size={16} aria-hidden />}>
            {t(isDrivers ? 'nodes.addDriver' : 'nodes.addApp')}
          </Button>
        )}
      </Group>
      <Group>
        <TextInput
          type="search"
          aria-label={t('app.search')}
          placeholder={t('app.search')}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
            set('text', event.currentTarget.value);
          }}
        />
        <Select
          aria-label={t('nodes.filter')}
          data={filters.map((value) => ({ value, label: t(`nodes.${value}`) }))}
          value={filter}
          allowDeselect={false}
          onChange={(value) => set('filter', value ?? 'all')}
          w={180}
        />
        <Text size="sm" c="dimmed" role="status">
          {t('nodes.shown', { n: rows.length, all: data.length })}
        </Text>
      </Group>
      <ErrorAlert error={error} />
      {mayControl && rows.length > 0 && <BulkControl chosen={chosen} />}
      {!isPending && (
        <Table
          rows={rows}
          columns={columns}
          keyOf={nameOf}
          label={title}
          empty={data.length === 0 ? <NoNodes isDrivers={isDrivers} mayAdd={mayAdd} /> : t('nodes.none')}
        />
      )}
    </Stack>
  );
}

/** What drivers or apps are, and where the first one is added. */
function NoNodes({
  isDrivers,
  mayAdd,
}: {
  readonly isDrivers: boolean;
  readonly mayAdd: boolean;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Stack gap={4} component="span" align="flex-start">
      <span>{t(isDrivers ? 'nodes.noDrivers' : 'nodes.noApps')}</span>
      {mayAdd && (
        <Anchor component={Link} to={isDrivers ? '/drivers/add' : '/apps/add'} size="sm">
          {t(isDrivers ? 'nodes.addDriver' : 'nodes.addApp')}
        </Anchor>
      )}
    </Stack>
  );
}

const nameOf = ({ name }: Row): string => name;

function useColumns(isDrivers: boolean): Column<Row>[] {
  const { t } = useTranslation();
  return useMemo(
    () => [
      {
        key: 'name',
        title: t('nodes.name'),
        order: ({ name }) => name,
        cell: ({ name }) => (
          <Anchor
            component={Link}
            to={`/nodes/${encodeURIComponent(name)}`}
            size="sm"
            maw="min(280px, 40vw)"
            truncate="end"
            display="block"
          >
            <Isolated>{name}</Isolated>
          </Anchor>
        ),
      },
      {
        key: 'state',
        title: t('nodes.state'),
        order: ({ state }) => state?.running ?? -1,
        cell: ({ state }) => state && <RunningBadge state={state} />,
      },
      {
        key: 'link',
        title: t('nodes.link'),
        order: ({ state }) => state?.link ?? -1,
        cell: ({ state }) => state && <LinkBadge state={state} />,
      },
      ...(isDrivers
        ? [
            {
              key: 'rtt',
              isLeftOut: true,
              title: t('nodes.rtt'),
              order: ({ state }: Row) => state?.rtt ?? -1,
              cell: ({ state }: Row) =>
                state === undefined || state.rtt === unknownRtt ? '–' : t('nodes.ms', { n: state.rtt }),
            },
          ]
        : [
            {
              key: 'subscriptions',
              isLeftOut: true,
              title: t('nodes.subscriptions'),
              order: ({ state }: Row) => state?.sub_group_count ?? -1,
              cell: ({ state }: Row) => state?.sub_group_count ?? '–',
            },
          ]),
      {
        key: 'error',
        isLeftOut: true,
        title: t('nodes.error'),
        order: ({ state }) => state?.last_error?.text ?? '',
        cell: ({ state }) => (
          <Text
            size="sm"
            truncate="end"
            maw={360}
            title={state?.last_error?.text}
            // The last error stays after the node has recovered.
            {...(state !== undefined && !isTroubled(state) && { c: 'dimmed' })}
          >
            {state?.last_error?.text}
          </Text>
        ),
      },
      {
        key: 'plugin',
        isLeftOut: true,
        title: t('nodes.plugin'),
        order: ({ plugin }) => plugin,
        cell: ({ plugin }) => (
          <Text size="sm" truncate="end" maw={180}>
            <Isolated>{plugin}</Isolated>
          </Text>
        ),
      },
      {
        key: 'actions',
        isLeftOut: true,
        title: t('nodes.actions'),
        cell: ({ name, state }) => <NodeActions name={name} isDriver={isDrivers} state={state} />,
      },
    ],
    [t, isDrivers],
  );
}

/** The gateway's value for an unknown round-trip time. */
const unknownRtt = 9999;
