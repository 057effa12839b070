import { Anchor, Card, Text, Title } from '@mantine/core';
import { type NodeStateRecord, healthOf, isTroubled } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Causes } from '../../parts/causes.tsx';
import { HealthMark } from '../../parts/health-mark.tsx';
import { Isolated } from '../../parts/isolated.tsx';
import './overview.css';

interface Props {
  /** Those with a problem, or with losses in this run; the worst first. */
  readonly troubled: readonly NodeStateRecord[];
  readonly isLost: boolean;
  /** Nodes that run. */
  readonly running: number;
}

/** Most nodes that are shown one by one; the lists of nodes have all. */
const mostNamed = 30;

/** What is wrong, in sentences, or one sentence that nothing is. */
export function Problems({ troubled, isLost, running }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <Card padding={0} component="section" aria-label={t('overview.wrong')}>
      <div className="card-head">
        <Title order={3}>{t('overview.wrong')}</Title>
        {troubled.length > 1 && (
          <Text size="xs" c="dimmed">
            {t('overview.worstFirst')}
          </Text>
        )}
      </div>
      {!isLost && troubled.every((state) => !isTroubled(state)) && (
        <Text c="dimmed" px="md" pb="md">
          {t(running === 0 ? 'overview.nothingRuns' : 'overview.well', { n: running })}
        </Text>
      )}
      {troubled.slice(0, mostNamed).map((state) => (
        <div key={state.node} className="problem">
          <HealthMark health={healthOf(state)} />
          <div className="what">
            <Anchor component={Link} to={`/nodes/${encodeURIComponent(state.node)}`} fw={600} c="inherit">
              <span id={`problem-${state.node}`}>
                <Isolated>{state.node}</Isolated>
              </span>
            </Anchor>
            <Causes state={state} />
          </div>
          <Anchor
            component={Link}
            to={`/nodes/${encodeURIComponent(state.node)}`}
            aria-describedby={`problem-${state.node}`}
          >
            {t('overview.openIt')}
          </Anchor>
        </div>
      ))}
      {troubled.length > mostNamed && (
        <Text px="md" pb="md">
          {t('overview.more', { n: troubled.length - mostNamed })}
        </Text>
      )}
    </Card>
  );
}
