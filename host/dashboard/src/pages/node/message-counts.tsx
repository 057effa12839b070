import { Text } from '@mantine/core';
import type { TraceSubscription } from '@tagway/schemas';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Isolated } from '../../parts/isolated.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Table, type Column } from '../../parts/table.tsx';
import { timeOf } from './frame-text.ts';

/** How many messages each subscription had, those with failures first. */
export function MessageCounts({
  counts,
}: {
  readonly counts: readonly TraceSubscription[];
}): ReactElement | null {
  const { t } = useTranslation();
  const rows = useMemo(() => counts.toSorted((a, b) => b.failures - a.failures), [counts]);
  const columns = useMemo<Column<TraceSubscription>[]>(
    () => [
      {
        key: 'group',
        title: t('messages.group'),
        cell: ({ driver, group }) =>
          driver === undefined ? (
            <Text size="sm" c="dimmed">
              {t('messages.others')}
            </Text>
          ) : (
            <Text size="sm" truncate="end" maw="32vw" title={`${driver} / ${group ?? ''}`}>
              <Isolated>{`${driver} / ${group ?? ''}`}</Isolated>
            </Text>
          ),
      },
      {
        key: 'sent',
        title: t('messages.sent'),
        isNumber: true,
        order: ({ messages }) => messages,
        cell: ({ messages }) => numberText(messages),
      },
      {
        key: 'bytes',
        title: t('messages.bytes'),
        width: 110,
        isNumber: true,
        isLeftOut: true,
        order: ({ bytes }) => bytes,
        cell: ({ bytes }) => numberText(bytes),
      },
      {
        key: 'failures',
        title: t('messages.failures'),
        isNumber: true,
        order: ({ failures }) => failures,
        cell: ({ failures }) => numberText(failures),
      },
      {
        key: 'failure',
        title: t('messages.failure'),
        isFilling: true,
        isLeftOut: true,
        cell: ({ failure }) =>
          failure !== undefined && (
            <Text size="sm" c="red" truncate="end" title={failure.text}>
              <Isolated>{`${timeOf(failure.time).slice(0, 8)} ${failure.topic}: ${failure.text}`}</Isolated>
            </Text>
          ),
      },
    ],
    [t],
  );
  if (rows.length === 0) return null;
  return (
    <Table
      rows={rows}
      columns={columns}
      keyOf={({ driver = '', group = '' }) => JSON.stringify([driver, group])}
      label={t('messages.counts')}
      height="180px"
    />
  );
}
