import { Alert, Anchor, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import {
  RunningState,
  type NodeStateRecord,
  type StatesReply,
  countHealths,
  healths,
  worstFirst,
  isTroubled,
} from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../api/call.ts';
import { useIsStandby, usePair } from '../api/pair.ts';
import { useTrends } from '../api/trends.ts';
import { useConnection, useStates } from '../live/use-live.ts';
import { Pill } from '../parts/health-pill.tsx';
import { lazyPart } from '../parts/lazy-part.ts';
import { hasLosses } from '../parts/node-losses.ts';
import { Flows } from './overview/flows.tsx';
import { Numbers } from './overview/numbers.tsx';
import { Problems } from './overview/problems.tsx';
import { Tiles } from './overview/tiles.tsx';

/** Few gateways are of a pair. */
const Pair = lazyPart(() => import('./overview/pair.tsx'));

/** What the gateway does now: its numbers, what is wrong, how values flow, and every node, the worst first. */
export default function Overview(): ReactElement {
  const { t } = useTranslation();
  const states = useStates();
  const isLost = useConnection().state === 'lost';
  const pair = usePair();
  const isStandby = useIsStandby();
  const { data: trends } = useTrends();
  // On the standby no node runs, so none has a problem.
  const all = isStandby ? [] : [...(states?.values() ?? [])].toSorted(worstFirst);
  const troubled = all.filter((state) => isTroubled(state) || hasLosses(state));
  return (
    <Stack gap="sm" className="overview">
      <Group gap="sm">
        <Title order={2}>{t('nav.overview')}</Title>
        {/* Without a connection the states are old, so there is no summary. */}
        {states !== undefined && !isLost && !isStandby && <Counts all={all} />}
      </Group>
      <SafeMode />
      {pair !== undefined && pair !== null && (
        <Suspense fallback={null}>
          <Pair pair={pair} />
        </Suspense>
      )}
      {states === undefined && <Text>{t('app.loading')}</Text>}
      {states !== undefined && all.length === 0 && !isStandby && <Empty />}
      <Numbers trends={trends} />
      {!isStandby && all.length > 0 && (
        <div className="overview-halves">
          <Problems
            troubled={troubled}
            isLost={isLost}
            running={all.filter(({ running }) => running === RunningState.RUNNING).length}
          />
          {trends !== undefined && <Flows trends={trends} states={states} />}
        </div>
      )}
      {all.length > 0 && <Nodes all={all} />}
    </Stack>
  );
}

/** How many nodes are down, degraded, good and stopped. */
function Counts({ all }: { readonly all: readonly NodeStateRecord[] }): ReactElement {
  const { t } = useTranslation();
  const counts = countHealths(all);
  return (
    <Group gap={6} role="status">
      {healths
        .filter((health) => counts[health] > 0)
        .map((health) => (
          <Pill key={health} health={health} text={t(`health.${health}Count`, { n: counts[health] })} />
        ))}
    </Group>
  );
}

/** All nodes, as tiles or as the lists of drivers and apps have them. */
function Nodes({ all }: { readonly all: readonly NodeStateRecord[] }): ReactElement {
  const { t } = useTranslation();
  const { data: trends } = useTrends();
  const [onlyTroubled, setOnlyTroubled] = useState('all');
  const shown = onlyTroubled === 'all' ? all : all.filter((state) => isTroubled(state) || hasLosses(state));
  return (
    <section aria-label={t('overview.nodes')}>
      <Group justify="space-between" my="xs">
        <Group gap={6}>
          <Title order={3}>{t('overview.nodes')}</Title>
          <Text c="dimmed">{all.length}</Text>
        </Group>
        <SegmentedControl
          aria-label={t('nodes.filter')}
          size="xs"
          value={onlyTroubled}
          onChange={setOnlyTroubled}
          data={[
            { value: 'all', label: t('nodes.all') },
            { value: 'troubled', label: t('nodes.troubled') },
          ]}
        />
      </Group>
      <Tiles states={shown} trends={trends} />
    </section>
  );
}

function Empty(): ReactElement {
  const { t } = useTranslation();
  return (
    <Alert color="cyan" title={t('overview.empty')}>
      <Text mb={4}>{t('overview.emptyMeaning')}</Text>
      <Anchor component={Link} to="/drivers/add" underline="always">
        {t('overview.begin')}
      </Anchor>
    </Alert>
  );
}

/** A warning in safe mode. The stream does not report it, because it cannot change while the gateway runs. */
function SafeMode(): ReactElement | null {
  const { t } = useTranslation();
  const { data } = useQuery({
    queryKey: ['safe'],
    queryFn: async () => (await call<StatesReply>('GET', 'api/v2/node/state')).safe === true,
    refetchInterval: 60_000,
  });
  return data !== true ? null : (
    <Alert color="yellow" title={t('overview.safe')}>
      {t('overview.safeMeaning')}
    </Alert>
  );
}
