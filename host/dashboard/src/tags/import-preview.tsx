import { Badge, Text } from '@mantine/core';
import { type PlanTagsReply, dataTypeName } from '@tagway/schemas';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Table, type Column } from '../parts/table.tsx';
import { sentenceOf } from './left-out.ts';
import type { TagLine } from './tag-file.ts';
import type { BadCell } from './tag-plan.ts';

/** All cells with errors: the row in the file, the column, the value and the rule that it breaks. */
export function BadCells({ cells }: { readonly cells: readonly BadCell[] }): ReactElement {
  const { t } = useTranslation();
  const columns: readonly Column<BadCell>[] = [
    { key: 'row', title: t('tags.row'), width: 70, order: ({ row }) => row, cell: ({ row }) => row },
    {
      key: 'field',
      title: t('tags.column'),
      width: 110,
      order: ({ field }) => field,
      cell: ({ field }) => field,
    },
    {
      key: 'value',
      title: t('tags.value'),
      cell: ({ value }) => (
        <Text size="sm" ff="monospace" truncate maw={200} title={value}>
          {value}
        </Text>
      ),
    },
    {
      key: 'rule',
      title: t('tags.rules'),
      cell: (bad) => {
        const sentence = sentenceOf(bad, t);
        return (
          <Text size="sm" lineClamp={2} miw={220} title={sentence}>
            {sentence}
          </Text>
        );
      },
    },
  ];
  return (
    <Table rows={cells} columns={columns} keyOf={({ key }) => key} label={t('tags.badList')} height="280px" />
  );
}

interface Change {
  readonly line: TagLine;
  readonly action: PlanTagsReply['rows'][number];
}

/** The rows that add or change a tag. */
export function Changes({
  lines,
  actions,
}: {
  readonly lines: readonly TagLine[];
  readonly actions: PlanTagsReply['rows'];
}): ReactElement | null {
  const { t } = useTranslation();
  const rows = useMemo(
    () =>
      lines.flatMap((line, index): Change[] => {
        const action = actions[index];
        return action === 'add' || action === 'update' ? [{ line, action }] : [];
      }),
    [lines, actions],
  );
  if (rows.length === 0) return null;
  const text = (value: string): ReactElement => (
    <Text size="sm" truncate maw={200} title={value}>
      {value}
    </Text>
  );
  const columns: readonly Column<Change>[] = [
    {
      key: 'row',
      title: t('tags.row'),
      width: 70,
      order: ({ line }) => line.row,
      cell: ({ line }) => line.row,
    },
    {
      key: 'action',
      title: t('transfer.change'),
      width: 110,
      order: ({ action }) => action,
      cell: ({ action }) => (
        <Badge variant="light" color={action === 'add' ? 'teal' : 'blue'} miw="max-content">
          {t(action === 'add' ? 'transfer.changes.add' : 'transfer.changes.change')}
        </Badge>
      ),
    },
    {
      key: 'group',
      title: t('tags.group'),
      order: ({ line }) => line.group,
      cell: ({ line }) => text(line.group),
    },
    {
      key: 'name',
      title: t('tags.name'),
      order: ({ line }) => line.tag.name,
      cell: ({ line }) => text(line.tag.name),
    },
    { key: 'address', title: t('tags.address'), cell: ({ line }) => text(line.tag.address) },
    { key: 'type', title: t('tags.type'), cell: ({ line }) => dataTypeName(line.tag.type) },
  ];
  return (
    <Table
      rows={rows}
      columns={columns}
      keyOf={({ line }) => String(line.row)}
      label={t('tags.changeList')}
      height="280px"
    />
  );
}
