import { Alert, Badge, List, Table as MantineTable, Text } from '@mantine/core';
import type { PlanConfigReply } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Table, type Column } from '../parts/table.tsx';
import { kinds, type Difference } from './differences.ts';
import { Isolated } from '../parts/isolated.tsx';

type Counts = Pick<PlanConfigReply, (typeof kinds)[number]>;

/** The number of changes of a plan, all kinds together. */
export function totalsOf(plan: Counts): {
  readonly add: number;
  readonly change: number;
  readonly remove: number;
} {
  const sum = (name: 'add' | 'update' | 'remove'): number =>
    kinds.reduce((total, kind) => total + plan[kind][name], 0);
  return { add: sum('add'), change: sum('update'), remove: sum('remove') };
}

interface Props {
  readonly plan: Counts;
  readonly differences: readonly Difference[];
  readonly height: string;
}

/** What an import or a restore would change: counted by kind, and one by one. */
export function PlanView({ plan, differences, height }: Props): ReactElement {
  const { t } = useTranslation();
  const totals = totalsOf(plan);
  const all = totals.add + totals.change + totals.remove;
  if (all === 0) {
    return (
      <Alert color="blue" role="status">
        {t('transfer.same')}
      </Alert>
    );
  }
  const columns: readonly Column<Difference>[] = [
    {
      key: 'change',
      title: t('transfer.change'),
      width: 110,
      order: ({ change }) => change,
      cell: ({ change }) => (
        <Badge
          variant="light"
          miw="max-content"
          color={{ add: 'teal', update: 'blue', remove: 'red' }[change]}
        >
          {t(`transfer.changes.${change === 'update' ? 'change' : change}`)}
        </Badge>
      ),
    },
    {
      key: 'kind',
      title: t('transfer.kind'),
      width: 130,
      order: ({ kind }) => kind,
      cell: ({ kind }) => t(`transfer.kinds.${kind}`),
    },
    {
      key: 'name',
      title: t('transfer.name'),
      order: ({ name }) => name,
      cell: ({ name }) => <Truncated>{name}</Truncated>,
    },
    { key: 'fields', title: t('transfer.fields'), cell: ({ fields }) => <Truncated>{fields}</Truncated> },
  ];
  return (
    <>
      <Alert color={totals.remove > 0 ? 'red' : 'teal'} role="status">
        {t('transfer.counts', totals)}
      </Alert>
      <MantineTable
        aria-label={t('transfer.byKind')}
        maw={560}
        layout="fixed"
        fz="xs"
        style={{ overflowWrap: 'anywhere' }}
        verticalSpacing={2}
        horizontalSpacing={6}
      >
        <MantineTable.Thead>
          <MantineTable.Tr>
            <MantineTable.Th>{t('transfer.kind')}</MantineTable.Th>
            <MantineTable.Th>{t('transfer.changes.add')}</MantineTable.Th>
            <MantineTable.Th>{t('transfer.changes.change')}</MantineTable.Th>
            <MantineTable.Th>{t('transfer.changes.remove')}</MantineTable.Th>
            <MantineTable.Th>{t('transfer.unchanged')}</MantineTable.Th>
          </MantineTable.Tr>
        </MantineTable.Thead>
        <MantineTable.Tbody>
          {kinds.map((kind) => (
            <MantineTable.Tr key={kind}>
              <MantineTable.Td>{t(`transfer.kinds.${kind}`)}</MantineTable.Td>
              <MantineTable.Td>{plan[kind].add}</MantineTable.Td>
              <MantineTable.Td>{plan[kind].update}</MantineTable.Td>
              <MantineTable.Td>{plan[kind].remove}</MantineTable.Td>
              <MantineTable.Td c="dimmed">{plan[kind].unchanged}</MantineTable.Td>
            </MantineTable.Tr>
          ))}
        </MantineTable.Tbody>
      </MantineTable>
      <Table
        rows={differences}
        columns={columns}
        keyOf={({ key }) => key}
        label={t('transfer.list')}
        height={height}
      />
      {all > differences.length && (
        <Text size="sm">{t('transfer.more', { n: all - differences.length })}</Text>
      )}
    </>
  );
}

/** A list of the gateway's sentences. */
export function Sentences({
  title,
  color,
  all,
}: {
  readonly title: string;
  readonly color: string;
  readonly all: readonly string[];
}): ReactElement | null {
  if (all.length === 0) return null;
  return (
    <Alert color={color} title={title} role="alert">
      <List size="sm" style={{ overflowWrap: 'anywhere' }}>
        {[...new Set(all)].slice(0, 200).map((sentence) => (
          <List.Item key={sentence}>{sentence}</List.Item>
        ))}
      </List>
    </Alert>
  );
}

function Truncated({ children }: { readonly children: string }): ReactElement {
  return (
    <Text size="sm" ff="monospace" truncate maw={420} title={children}>
      <Isolated>{children}</Isolated>
    </Text>
  );
}
