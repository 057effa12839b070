import { Card, Stack, Text, Title } from '@mantine/core';
import { NodeType, healthOf, isTroubled } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTrends } from '../../api/trends.ts';
import { useStates } from '../../live/use-live.ts';
import { Causes } from '../../parts/causes.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { hasLosses } from '../../parts/node-losses.ts';
import { timeText } from '../../parts/times.ts';
import { Counters } from './counters.tsx';
import { CycleTable } from './cycle-table.tsx';
import { StateNumbers } from './state-numbers.tsx';
import type { TabProps } from './tab-props.ts';

/** The state of a node: its numbers, its errors, how its groups keep their intervals, and everything that it counts. */
export default function NodeState({ node: { name, type } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const state = useStates()?.get(name);
  const { data: trends } = useTrends(name);
  const trend = trends?.nodes[0];
  const [isOpen, setOpen] = useState(false);
  return (
    <Stack gap="sm">
      <StateNumbers state={state} trend={trend} />
      {state !== undefined && (isTroubled(state) || hasLosses(state)) && (
        <Card padding={0} role="alert" aria-label={t('node.wrong')}>
          <div className="card-head">
            <Title order={3}>{t('node.wrong')}</Title>
          </div>
          <div className="problem">
            <HealthMark health={healthOf(state)} />
            <div className="what">
              <Causes state={state} />
            </div>
          </div>
        </Card>
      )}
      {type === NodeType.DRIVER && trend !== undefined && trend.groups.length > 0 && (
        <CycleTable
          node={name}
          groups={trend.groups}
          health={state === undefined ? 'stopped' : healthOf(state)}
          slow={state?.slow_groups ?? []}
        />
      )}
      {state?.last_error !== undefined && !isTroubled(state) && (
        <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
          {t('node.lastError', { text: state.last_error.text, time: timeText(state.last_error.since) })}
        </Text>
      )}
      <div>
        <button type="button" className="plain-link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {t(isOpen ? 'node.hideCounters' : 'node.showCounters')}
        </button>
      </div>
      {isOpen && <Counters name={name} />}
    </Stack>
  );
}
