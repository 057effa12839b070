import { Alert, Anchor, Badge, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconCircleCheck } from '@tabler/icons-react';
import { RunningState, type NodeStateRecord, type StatesReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../api/call.ts';
import { useIsStandby } from '../api/pair.ts';
import { useConnection, useStates } from '../live/use-live.ts';
import { hasLosses, isOffline, isTroubled } from '../parts/node-state.ts';
import { Causes } from '../parts/causes.tsx';
import { LinkBadge } from '../parts/state-badges.tsx';
import { Host } from './overview/host.tsx';
import { Pair } from './overview/pair.tsx';

/** Most nodes that are shown one by one; the list of nodes has all. */
const mostNamed = 30;

/** The problems of all nodes, or one sentence when there are none. */
export default function Overview(): ReactElement {
  const { t } = useTranslation();
  const states = useStates();
  const isLost = useConnection().state === 'lost';
  const isStandby = useIsStandby();
  // On the standby no node runs, so none has a problem.
  const all = isStandby ? [] : [...(states?.values() ?? [])];
  // First nodes without a link, then nodes with tags in error, then nodes with losses.
  const rank = (state: NodeStateRecord): number => (isOffline(state) ? 0 : isTroubled(state) ? 1 : 2);
  const troubled = all
    .filter((state) => isTroubled(state) || hasLosses(state))
    .toSorted((a, b) => rank(a) - rank(b) || a.node.localeCompare(b.node));
  return (
    <Stack>
      <Title order={2}>{t('nav.overview')}</Title>
      <SafeMode />
      <Pair />
      {states === undefined && <Text>{t('app.loading')}</Text>}
      {/* Without a connection the states are old, so there is no summary. */}
      {states !== undefined && !isLost && !isStandby && <Summary all={all} />}
      <SimpleGrid cols={{ base: 1, md: 2, xl: 3 }} aria-label={t('overview.wrong')} component="section">
        {troubled.slice(0, mostNamed).map((state) => (
          <TroubledNode key={state.node} state={state} />
        ))}
      </SimpleGrid>
      {troubled.length > mostNamed && <Text>{t('overview.more', { n: troubled.length - mostNamed })}</Text>}
      <Host />
    </Stack>
  );
}

function Summary({ all }: { readonly all: readonly NodeStateRecord[] }): ReactElement {
  const { t } = useTranslation();
  const running = all.filter(({ running: state }) => state === RunningState.RUNNING);
  const wrong = running.filter(isTroubled).length;
  const still = all.length - running.length;
  const rest = still > 0 && <Text size="sm">{t('overview.still', { n: still })}</Text>;
  if (all.length === 0) {
    return (
      <Alert color="cyan" variant="light">
        <Text size="sm">{t('overview.empty')}</Text>
        <Anchor component={Link} to="/drivers/add" size="sm" underline="always">
          {t('overview.begin')}
        </Anchor>
      </Alert>
    );
  }
  if (running.length === 0) {
    return (
      <Alert color="cyan" variant="light" role="status">
        <Text fw={600}>{t('overview.nothingRuns')}</Text>
        {rest}
      </Alert>
    );
  }
  if (wrong > 0) {
    return (
      <Alert color="red" variant="light" role="status">
        <Text fw={600}>{t('overview.troubled', { n: wrong, all: running.length })}</Text>
        {rest}
      </Alert>
    );
  }
  return (
    <Alert color="teal" variant="light" role="status" icon={<IconCircleCheck aria-hidden />}>
      <Text fw={600}>{t('overview.well', { n: running.length })}</Text>
      {rest}
    </Alert>
  );
}

function TroubledNode({ state }: { readonly state: NodeStateRecord }): ReactElement {
  const { t } = useTranslation();
  return (
    <Card withBorder padding="sm">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Anchor
          component={Link}
          to={`/nodes/${encodeURIComponent(state.node)}`}
          fw={600}
          style={{ overflowWrap: 'anywhere' }}
        >
          {state.node}
        </Anchor>
        <Group gap="xs" wrap="nowrap">
          {!isTroubled(state) && (
            <Badge color="yellow" variant="light">
              {t('overview.losses')}
            </Badge>
          )}
          {isOffline(state) && <LinkBadge state={state} />}
        </Group>
      </Group>
      <Causes state={state} />
    </Card>
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
    <Alert color="yellow" variant="light" title={t('overview.safe')}>
      {t('overview.safeMeaning')}
    </Alert>
  );
}
