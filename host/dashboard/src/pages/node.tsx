import { Group, Loader, Stack, Tabs, Text, Title } from '@mantine/core';
import { NodeType } from '@tagway/schemas';
import { Suspense, useEffect, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate, useParams } from 'react-router';
import { useNodes, usePlugins } from '../api/queries.ts';
import { useStates } from '../live/use-live.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { HealthPill } from '../parts/health-pill.tsx';
import { Isolated } from '../parts/isolated.tsx';
import { useNodeProfile } from '../profiles/profile-queries.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { NodeActions } from './node/actions.tsx';
import { tabs, type NodeTab } from './node/tabs.ts';

/** One driver or app, with tabs for its state, its settings, and its groups or subscriptions. */
export default function NodePage(): ReactElement {
  const { t } = useTranslation();
  const { name = '', tab = 'state' } = useParams();
  const drivers = useNodes(NodeType.DRIVER);
  const apps = useNodes(NodeType.APP);
  const plugins = usePlugins();
  const state = useStates()?.get(name);
  const navigate = useNavigate();
  useEffect(() => {
    document.title = `${name} · ${t('app.name')}`;
  }, [name, t]);
  const node = [...(drivers.data ?? []), ...(apps.data ?? [])].find((one) => one.name === name);
  const isDriver = node?.type === NodeType.DRIVER;
  const profile = useNodeProfile(name, isDriver);
  if (node === undefined) {
    if (drivers.isPending || apps.isPending) return <Loader />;
    return (
      <>
        <ErrorAlert error={drivers.error ?? apps.error} />
        <Text style={{ overflowWrap: 'anywhere' }}>{t('node.gone', { name })}</Text>
      </>
    );
  }
  const plugin = plugins.data?.find((one) => one.name === node.plugin);
  const has = (what: NonNullable<NodeTab['needs']>): boolean | undefined =>
    what === 'profile' ? profile.data && profile.data.profile !== undefined : plugin && plugin[what] === true;
  const own = tabs.filter(
    ({ of, needs, path }) =>
      (of === undefined || of === node.type) &&
      // Where it is not known yet, a tab that the address names is there all the same.
      (needs === undefined || (has(needs) ?? path === tab)),
  );
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <div>
          <Crumbs
            steps={[{ to: isDriver ? '/drivers' : '/apps', text: t(isDriver ? 'nav.drivers' : 'nav.apps') }]}
            here={name}
          />
          <Group gap="sm">
            <Title order={2}>
              <Isolated>{name}</Isolated>
            </Title>
            <Text c="dimmed">
              <Isolated>{node.plugin}</Isolated>
            </Text>
            {state !== undefined && <HealthPill state={state} />}
          </Group>
        </div>
        <NodeActions name={name} isDriver={isDriver} state={state} />
      </Group>
      <Tabs
        value={tab}
        keepMounted={false}
        onChange={(next) => void navigate(`/nodes/${encodeURIComponent(name)}/${next ?? ''}`)}
      >
        <Tabs.List>
          {own.map(({ path, text }) => (
            <Tabs.Tab key={path} value={path}>
              {t(text)}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {own.map(({ path, content: Content }) => (
          <Tabs.Panel key={path} value={path} pt="md">
            <Suspense fallback={<Loader />}>
              <Content key={name} node={node} />
            </Suspense>
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}
