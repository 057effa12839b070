import { Text } from '@mantine/core';
import type { NodeClientRecord, NodeClientsReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { Isolated } from '../../parts/isolated.tsx';
import { type Column, Table } from '../../parts/table.tsx';
import { timeText } from '../../parts/times.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import type { TabProps } from './tab-props.ts';

/** Milliseconds between two looks. */
const pace = 5000;

/** Who is connected to a node that serves. */
export default function Clients({ node: { name: node } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: ['node', node, 'clients'],
    queryFn: async () =>
      (await call<NodeClientsReply>('GET', 'api/v2/node/clients', { query: { node } })).clients,
    refetchInterval: pace,
  });
  const text = (
    key: 'name' | 'user' | 'address' | 'endpoint' | 'security',
    absent = '',
  ): Column<NodeClientRecord> => ({
    key,
    title: t(`clients.${key}`),
    order: (row) => row[key] ?? '',
    cell: (row) => (
      <Text size="sm" truncate maw={280} title={row[key]} {...(row[key] === undefined && { c: 'dimmed' })}>
        {row[key] === undefined ? absent : <Isolated>{row[key]}</Isolated>}
      </Text>
    ),
  });
  const count = (key: 'subscriptions' | 'items'): Column<NodeClientRecord> => ({
    key,
    title: t(`clients.${key}`),
    isNumber: true,
    order: (row) => row[key] ?? 0,
    cell: (row) => row[key],
  });
  return (
    <>
      <ErrorAlert error={error} />
      <Table
        rows={data ?? []}
        keyOf={({ address, since, name }) => `${address} ${since} ${name}`}
        label={t('clients.title')}
        empty={data && t('clients.none')}
        columns={[
          text('name'),
          text('user', t('clients.nobody')),
          text('address'),
          text('endpoint'),
          text('security', t('clients.unsecured')),
          {
            key: 'since',
            title: t('clients.since'),
            order: ({ since }) => since,
            cell: ({ since }) => <Text size="sm">{timeText(since)}</Text>,
          },
          count('subscriptions'),
          count('items'),
        ]}
      />
    </>
  );
}
