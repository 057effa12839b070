import { Anchor, Box, Card, Table, Text, Title } from '@mantine/core';
import type { NodeStateRecord, TrendsReply, Health } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { latestOf } from '../../api/trends.ts';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Isolated } from '../../parts/isolated.tsx';
import { numberText } from '../../parts/number-text.ts';
import { Sparkline } from '../../parts/sparkline.tsx';
import { tagsPath } from '../../tags/breadcrumbs.tsx';
import './state-numbers.css';

interface Props {
  readonly node: string;
  readonly groups: TrendsReply['nodes'][number]['groups'];
  /** Of the node. */
  readonly health: Health;
  readonly slow: NonNullable<NodeStateRecord['slow_groups']>;
}

/** The groups of a driver: how long the last reading of each took, against its interval. */
export function CycleTable({ node, groups, slow, health }: Props): ReactElement {
  const { t } = useTranslation();
  const slowNames = new Set(slow.map(({ group }) => group));
  return (
    <Card padding={0} component="section" aria-label={t('tabs.groups')}>
      <div className="card-head">
        <Title order={3} style={{ whiteSpace: 'nowrap' }}>
          {t('tabs.groups')}
        </Title>
        <Text size="xs" c="dimmed">
          {t('node.barMeaning')}
        </Text>
      </div>
      <Box tabIndex={0} role="region" aria-label={t('tabs.groups')} style={{ overflowX: 'auto' }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('tags.group')}</Table.Th>
              <Table.Th ta="right">{t('node.tags')}</Table.Th>
              <Table.Th ta="right">{t('tags.interval')}</Table.Th>
              <Table.Th>{t('node.lastCycle')}</Table.Th>
              <Table.Th>{t('node.quarter')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {groups.map(({ name, tags, interval, cycle = [] }) => {
              const last = latestOf(cycle);
              const isSlow = slowNames.has(name) || (last ?? 0) > 0.8 * interval;
              return (
                <Table.Tr key={name}>
                  <Table.Td>
                    <HealthMark health={health === 'good' && slowNames.has(name) ? 'degraded' : health} />{' '}
                    <Anchor component={Link} to={tagsPath(node, name)}>
                      <Isolated>{name}</Isolated>
                    </Anchor>
                  </Table.Td>
                  <Table.Td className="number">{numberText(tags, 0)}</Table.Td>
                  <Table.Td className="number">{numberText(interval, 0)}</Table.Td>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    <span className="cycle-bar">
                      <i
                        className={isSlow ? 'slow' : ''}
                        style={{ width: `${Math.min(100, (100 * (last ?? 0)) / interval)}%` }}
                      />
                    </span>
                    {last === undefined ? '–' : t('nodes.ms', { n: numberText(last, 0) })}
                  </Table.Td>
                  <Table.Td>
                    <Sparkline points={cycle} width={130} height={18} />
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Box>
    </Card>
  );
}
