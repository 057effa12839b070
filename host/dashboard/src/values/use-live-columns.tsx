import { Button, Checkbox, Text } from '@mantine/core';
import { Attribute, dataTypeName } from '@tagway/schemas';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useMay } from '../api/use-role.ts';
import { Isolated } from '../parts/isolated.tsx';
import type { Column } from '../parts/table.tsx';
import { AgeCell, ValueCell } from './cells.tsx';
import { LineCell } from './line-cell.tsx';
import type { LiveRow } from './live-row.ts';
import type { RecentValues } from './recent-values.ts';
import { orderOf, currentValue } from './value-order.ts';
import type { Base } from './value-text.ts';

interface Options {
  readonly base: Base;
  readonly picked: readonly LiveRow[];
  readonly pick: (row: LiveRow) => void;
  readonly write: (row: LiveRow) => void;
  readonly recent: RecentValues;
}

export function useLiveColumns({ base, picked, pick, write, recent }: Options): readonly Column<LiveRow>[] {
  const { t } = useTranslation();
  const mayWrite = useMay('operator');
  return useMemo(() => {
    const keys = new Set(picked.map(({ key }) => key));
    return [
      {
        key: 'name',
        title: t('live.tag'),
        order: ({ tag }) => tag.name,
        cell: ({ tag }) => (
          <Text fw={550} truncate maw={260} title={tag.description === '' ? tag.name : tag.description}>
            <Isolated>{tag.name}</Isolated>
          </Text>
        ),
      },
      {
        key: 'value',
        title: t('live.value'),
        isNumber: true,
        order: ({ node, group, tag }) => orderOf(currentValue(node, group, tag.name)),
        cell: ({ node, group, tag }) => (
          <ValueCell node={node} group={group} name={tag.name} type={tag.type} base={base} unit={tag.unit} />
        ),
      },
      {
        key: 'age',
        title: t('live.age'),
        width: 130,
        isNumber: true,
        cell: ({ node, group, tag }) => <AgeCell node={node} group={group} name={tag.name} />,
      },
      {
        key: 'line',
        title: t('live.line'),
        width: 130,
        cell: ({ node, group, tag }) => (
          <LineCell node={node} group={group} name={tag.name} recent={recent} />
        ),
      },
      {
        key: 'trend',
        title: t('live.trend'),
        width: 70,
        cell: (row) => (
          <Checkbox
            size="xs"
            aria-label={t('live.trendOf', { tags: row.tag.name })}
            checked={keys.has(row.key)}
            onChange={() => pick(row)}
          />
        ),
      },
      {
        key: 'write',
        title: '',
        width: 90,
        cell: (row) =>
          (row.tag.attribute & Attribute.WRITE) === 0 ? null : (
            <Button
              size="compact-xs"
              variant="default"
              disabled={!mayWrite}
              title={mayWrite ? undefined : t('live.needsOperator')}
              aria-label={t('live.writeTo', { tag: row.tag.name })}
              onClick={() => write(row)}
            >
              {t('live.write')}
            </Button>
          ),
      },
      {
        key: 'group',
        title: t('live.group'),
        order: ({ reference }) => reference,
        cell: ({ node, group }) => (
          <Text size="sm" truncate maw={220}>
            <Isolated>{`${node} · ${group}`}</Isolated>
          </Text>
        ),
      },
      {
        key: 'address',
        isLeftOut: true,
        title: t('live.address'),
        order: ({ tag }) => tag.address,
        cell: ({ tag }) => (
          <Text size="xs" ff="monospace" c="dimmed" truncate maw={220}>
            <Isolated>{tag.address}</Isolated>
          </Text>
        ),
      },
      {
        key: 'type',
        isLeftOut: true,
        title: t('live.type'),
        order: ({ tag }) => dataTypeName(tag.type),
        width: 90,
        cell: ({ tag }) => (
          <Text size="xs" c="dimmed">
            {dataTypeName(tag.type)}
          </Text>
        ),
      },
    ];
  }, [t, base, picked, pick, write, mayWrite, recent]);
}
