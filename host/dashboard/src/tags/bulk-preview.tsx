import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Table, type Column } from '../parts/table.tsx';
import type { BulkRow } from './bulk-change.ts';
import { Isolated } from '../parts/isolated.tsx';

interface Props {
  readonly rows: readonly BulkRow[];
  /** The result for each tag by its old name; undefined before the change is sent. */
  readonly results: ReadonlyMap<string, string> | undefined;
}

/** The tags that change, before and after, each with its problem or its result. */
export function BulkPreview({ rows, results }: Props): ReactElement | null {
  const { t } = useTranslation();
  if (rows.length === 0) return null;
  const columns: readonly Column<BulkRow>[] = [
    {
      key: 'name',
      title: t('tags.name'),
      order: ({ name }) => name,
      cell: ({ name, after }) => (
        <Text size="sm" truncate maw={220} title={name === after.name ? name : `${name} → ${after.name}`}>
          {name === after.name ? (
            name
          ) : (
            <>
              <s>{name}</s> {after.name}
            </>
          )}
        </Text>
      ),
    },
    {
      key: 'changes',
      title: t('tags.preview'),
      cell: ({ fields, before, after }) => {
        const text = fields
          .filter((field) => field !== 'name')
          .map((field) => `${t(`tags.${field}`)}: ${before[field] || '–'} → ${after[field] || '–'}`)
          .join(', ');
        return (
          <Text size="sm" truncate maw={300} title={text}>
            <Isolated>{text}</Isolated>
          </Text>
        );
      },
    },
    {
      key: 'result',
      title: t('tags.result'),
      order: ({ name, problem }) => results?.get(name) ?? problem?.rule ?? '',
      cell: ({ name, problem }) => {
        const wrong =
          problem &&
          `${t(`tags.${problem.field}`)}: ${t(`tags.rule.${problem.rule}`, { limit: problem.limit })}`;
        const text = results?.get(name) ?? wrong ?? '';
        return (
          <Text size="sm" c={wrong === undefined ? 'inherit' : 'red'} truncate maw={260} title={text}>
            <Isolated>{text}</Isolated>
          </Text>
        );
      },
    },
  ];
  return (
    <Table
      rows={rows}
      columns={columns}
      keyOf={({ name }) => name}
      label={t('tags.preview')}
      height="260px"
    />
  );
}
