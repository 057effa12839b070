import { Anchor, Group, SegmentedControl, Stack, Text, Title } from '@mantine/core';
import type { FleetMember } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { useFleet } from '../api/fleet.ts';
import { useMay } from '../api/use-role.ts';
import { Pill } from '../parts/health-pill.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { addTexts } from '../texts/index.ts';
import * as texts from '../texts/fleet.ts';
import { FleetList } from './fleet/list.tsx';
import { FleetTile, markOf } from './fleet/tile.tsx';
import '../parts/tile.css';
import './fleet/fleet.css';

addTexts(texts);

/** Other gateways in one view, or their list. */
export default function Fleet(): ReactElement {
  const [search] = useSearchParams();
  return search.has('list') ? <FleetList /> : <Overview />;
}

const states = ['unreachable', 'down', 'degraded', 'waiting', 'good', 'standby', 'stopped'] as const;

const isTroubled = ({ health }: FleetMember): boolean =>
  health === 'unreachable' || health === 'down' || health === 'degraded';

function Overview(): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useFleet();
  const mayChange = useMay('admin');
  const [filter, setFilter] = useState('all');
  const all = data?.gateways ?? [];
  const shown = filter === 'all' ? all : all.filter(isTroubled);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Group gap="sm">
          <Title order={2}>{t('fleet.title')}</Title>
          <Counts all={all} />
        </Group>
        {mayChange && (
          <Anchor component={Link} to="/fleet?list">
            {t('fleet.list')}
          </Anchor>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t('fleet.meaning')}
      </Text>
      <ErrorAlert error={error} />
      {data === undefined && error === null && <Text>{t('app.loading')}</Text>}
      {data !== undefined && all.length === 0 && (
        <Text>
          {t('fleet.empty')} {t('fleet.emptyMeaning')}
        </Text>
      )}
      {all.length > 0 && (
        <section aria-label={t('fleet.gateways')}>
          <Group justify="space-between" mb="xs">
            <Group gap={6}>
              <Title order={3}>{t('fleet.gateways')}</Title>
              <Text c="dimmed">{all.length}</Text>
            </Group>
            <SegmentedControl
              aria-label={t('fleet.gateways')}
              size="xs"
              value={filter}
              onChange={setFilter}
              data={[
                { value: 'all', label: t('fleet.all') },
                { value: 'troubled', label: t('fleet.troubled') },
              ]}
            />
          </Group>
          {shown.length === 0 && <Text>{t('fleet.none')}</Text>}
          <ul className="fleet-tiles">
            {shown.map((member) => (
              <li key={member.url}>
                <FleetTile member={member} />
              </li>
            ))}
          </ul>
        </section>
      )}
    </Stack>
  );
}

/** How many gateways are in which state. */
function Counts({ all }: { readonly all: readonly FleetMember[] }): ReactElement {
  const { t } = useTranslation();
  return (
    <Group gap={6} role="status">
      {states.map((state) => {
        const n = all.filter(({ health }) => health === state).length;
        return n === 0 ? null : (
          <Pill key={state} health={markOf(state)} text={t(`fleet.${state}Count`, { n })} />
        );
      })}
    </Group>
  );
}
