import { Alert, Box, Stack, Table, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useMetrics } from '../../api/metrics.ts';
import { useStates } from '../../live/use-live.ts';
import { Causes } from '../../parts/causes.tsx';
import { hasLosses, isTroubled } from '../../parts/node-state.ts';
import { timeText } from '../../parts/times.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import type { TabProps } from './tab-props.ts';

/** The state of a node: its errors and its metrics. */
export default function NodeState({ node: { name } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const state = useStates()?.get(name);
  return (
    <Stack>
      {state !== undefined && (isTroubled(state) || hasLosses(state)) && (
        <Alert color={isTroubled(state) ? 'red' : 'yellow'} variant="light" title={t('node.wrong')}>
          <Causes state={state} />
        </Alert>
      )}
      {state?.last_error !== undefined && !isTroubled(state) && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('node.lastError', { text: state.last_error.text, time: timeText(state.last_error.since) })}
        </Text>
      )}
      <Counts name={name} />
    </Stack>
  );
}

function Counts({ name }: { readonly name: string }): ReactElement {
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
    <Box tabIndex={0} role="region" aria-label={t('node.metrics')} style={{ overflowX: 'auto' }}>
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
              <Table.Td ta="right" ff="monospace">
                {value.toLocaleString()}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Box>
  );
}
