import { Box, Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useMetrics } from '../../api/metrics.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';

/** Everything that a node counts. */
export function Counters({ name }: { readonly name: string }): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useMetrics(name);
  if (data === undefined) return <ErrorAlert error={error} />;
  const rows = [...data.metrics].flatMap(([metric, samples]) =>
    samples.map(({ labels: { node: _, ...labels }, value }) => ({
      key: `${metric} ${JSON.stringify(labels)}`,
      metric,
      of: Object.values(labels).join(', '),
      value,
    })),
  );
  return (
    <Box
      className="list-card"
      tabIndex={0}
      role="region"
      aria-label={t('node.metrics')}
      style={{ overflowX: 'auto', alignSelf: 'flex-start', maxWidth: '100%' }}
    >
      <Table aria-label={t('node.metrics')} verticalSpacing={4} w="auto">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('node.metric')}</Table.Th>
            <Table.Th>{t('node.of')}</Table.Th>
            <Table.Th ta="right">{t('node.value')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ key, metric, of, value }) => (
            <Table.Tr key={key}>
              <Table.Td>
                {data.helps.get(metric)}
                <Text size="xs" c="dimmed" ff="monospace">
                  {metric}
                </Text>
              </Table.Td>
              <Table.Td style={{ overflowWrap: 'anywhere' }}>{of}</Table.Td>
              <Table.Td className="number">{value.toLocaleString()}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
