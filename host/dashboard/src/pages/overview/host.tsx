import { Card, Progress, SimpleGrid, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { firstOf, useMetrics } from '../../api/metrics.ts';
import { useAge } from '../../shell/age.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';

const gibibyte = 2 ** 30;
const round = (number: number): string => number.toLocaleString(undefined, { maximumFractionDigits: 1 });

/** The load of the machine, and the tags that the gateway reads per second. */
export function Host(): ReactElement {
  const { t } = useTranslation();
  const age = useAge();
  const { data, error } = useMetrics();
  if (data === undefined) return <ErrorAlert error={error} />;
  const of = (name: string): number => firstOf(data.metrics, name) ?? 0;
  const memory = [of('mem_used_bytes') / gibibyte, of('mem_total_bytes') / gibibyte] as const;
  const free = of('disk_avail_gibibytes');
  const size = of('disk_used_gibibytes') + free;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} component="section" aria-label={t('overview.host')}>
      <Figure name={t('overview.rate')} value={data.rate === undefined ? '…' : round(data.rate)} />
      <Figure name={t('overview.cpu')} value={`${round(of('cpu_percent'))} %`} part={of('cpu_percent')} />
      <Figure
        name={t('overview.memory')}
        value={`${round(memory[0])} / ${round(memory[1])} GiB`}
        part={(100 * memory[0]) / memory[1]}
      />
      <Figure name={t('overview.own')} value={`${round(of('rss_bytes') / 2 ** 20)} MiB`} />
      <Figure
        name={t('overview.disk')}
        value={t('overview.free', { n: round(free) })}
        part={(100 * (size - free)) / size}
      />
      <Figure name={t('overview.uptime')} value={age(1000 * of('uptime_seconds'))} />
    </SimpleGrid>
  );
}

interface FigureProps {
  readonly name: string;
  readonly value: string;
  /** Percent of the total; above 90 it is red. */
  readonly part?: number;
}

function Figure({ name, value, part }: FigureProps): ReactElement {
  return (
    <Card withBorder padding="sm">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text fw={600}>{value}</Text>
      {part !== undefined && (
        <Progress value={part} color={part > 90 ? 'red' : 'teal'} size="sm" mt={4} aria-label={name} />
      )}
    </Card>
  );
}
