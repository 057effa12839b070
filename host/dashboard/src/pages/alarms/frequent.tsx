import { Group, Select, Stack, Text } from '@mantine/core';
import type { AlarmFrequencyReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useFrequentAlarms } from '../../api/alarms.ts';
import { Isolated } from '../../parts/isolated.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { ErrorAlert } from '../../shell/error-alert.tsx';

type Frequency = AlarmFrequencyReply['alarms'][number];

/** Seconds. */
const ranges = ['86400', '604800', '2592000'] as const;

const keyOf = ({ group, node, tag }: Frequency): string => JSON.stringify([node, group, tag]);

/** The alarms that were there most often, which is where mending begins. */
export function Frequent(): ReactElement {
  const { t } = useTranslation();
  const [range, setRange] = useState<(typeof ranges)[number]>('604800');
  const { data, error } = useFrequentAlarms(Number(range));
  const total = data?.total ?? 0;
  const columns: readonly Column<Frequency>[] = [
    {
      key: 'alarm',
      isFilling: true,
      title: t('alarms.alarm'),
      cell: ({ group, node, tag }) => (
        <>
          <Isolated>{tag}</Isolated>{' '}
          <Text span size="xs" c="dimmed">
            <Isolated>{`${node} / ${group}`}</Isolated>
          </Text>
        </>
      ),
    },
    { key: 'count', title: t('alarms.count'), isNumber: true, cell: ({ count }) => count },
    {
      key: 'share',
      title: t('alarms.share'),
      isNumber: true,
      cell: ({ count }) => `${Math.round((count * 100) / total)} %`,
    },
    {
      key: 'priority',
      isLeftOut: true,
      title: t('alarms.priority'),
      cell: (one) => t(`alarms.priorities.${one.priority}`),
    },
    { key: 'last', title: t('alarms.last'), cell: ({ last }) => <Time at={last} /> },
  ];
  return (
    <Stack gap="sm">
      <Text size="sm">{t('alarms.frequentMeaning')}</Text>
      <Group align="flex-end">
        <Select
          label={t('alarms.within')}
          data={ranges.map((value) => ({ value, label: t(`alarms.ranges.${value}`) }))}
          value={range}
          allowDeselect={false}
          onChange={(value) => setRange(ranges.find((one) => one === value) ?? range)}
        />
        {data !== undefined && <Text size="sm">{t('alarms.total', { n: total })}</Text>}
      </Group>
      <ErrorAlert error={error} />
      <Table
        rows={data?.alarms ?? []}
        columns={columns}
        keyOf={keyOf}
        label={t('alarms.frequent')}
        empty={t('alarms.noFrequent')}
      />
    </Stack>
  );
}
