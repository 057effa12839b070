import { ActionIcon, Anchor, Badge, Button, Group, List, Stack, Text, Title } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { NodeType, type OutdatedReply, PluginKind, type PluginsReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call, ifMatch, isStale } from '../api/call.ts';
import { useNodes, usePlugins, usePluginsRevision, useRefresh } from '../api/queries.ts';
import { useMay } from '../api/use-role.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { lookForUpdates, useOutdated } from './plugins/directory.ts';
import { InstallPlugin } from './plugins/install.tsx';

type Plugin = PluginsReply['plugins'][number];
type Outdated = OutdatedReply['plugins'][number];

const colors = { idle: 'gray', starting: 'yellow', running: 'teal', failed: 'red' } as const;

/** The plugins: their versions and nodes, and how to install and remove one. */
export default function Plugins(): ReactElement {
  const { t, i18n } = useTranslation();
  const { data = [], error } = usePlugins();
  const drivers = useNodes(NodeType.DRIVER).data ?? [];
  const apps = useNodes(NodeType.APP).data ?? [];
  const mayChange = useMay('engineer');
  const isAdmin = useMay('admin');
  const outdated = useOutdated(mayChange);
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const isFromRegistry = data.some(({ origin }) => origin !== undefined);
  const look = async (): Promise<void> => {
    await run(lookForUpdates, t('find.didLook'));
    await refresh(['directory', 'outdated']);
  };
  const [toDelete, setToDelete] = useState<string>();
  const nodes = [...drivers, ...apps];
  const namesOf = (plugin: string): string[] =>
    nodes.filter((node) => node.plugin === plugin).map(({ name }) => name);

  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{t('nav.plugins')}</Title>
        {mayChange && (
          <Group gap="xs">
            {isFromRegistry && (
              <Button variant="default" loading={isBusy} onClick={() => void look()}>
                {t('find.look')}
              </Button>
            )}
            {isAdmin && (
              <Button component={Link} to="/plugins/registries" variant="default">
                {t('find.registries')}
              </Button>
            )}
            <Button component={Link} to="/plugins/find">
              {t('find.title')}
            </Button>
          </Group>
        )}
      </Group>
      {mayChange && <InstallPlugin />}
      <ErrorAlert error={error} />
      <Anchor size="sm" href="docs/plugins/write-a-driver.html" target="_blank">
        {t('plugins.guide')}
      </Anchor>
      <Table
        rows={data}
        keyOf={({ name }) => name}
        label={t('nav.plugins')}
        columns={[
          {
            key: 'name',
            title: t('plugins.name'),
            order: ({ name }) => name,
            cell: (plugin) => (
              <Text size="sm" title={i18n.language === 'zh' ? plugin.description_zh : plugin.description}>
                {plugin.name}
              </Text>
            ),
          },
          {
            key: 'version',
            isLeftOut: true,
            title: t('plugins.version'),
            cell: ({ name, version }) => (
              <Group gap="xs" wrap="nowrap">
                {version}
                <Update outdated={outdated.data?.plugins.find((one) => one.name === name)} />
              </Group>
            ),
          },
          {
            key: 'kind',
            title: t('plugins.kind'),
            order: ({ node_type }) => node_type,
            cell: ({ node_type }) => t(node_type === NodeType.DRIVER ? 'plugins.driver' : 'plugins.app'),
          },
          {
            key: 'source',
            isLeftOut: true,
            title: t('plugins.source'),
            order: ({ kind }) => kind,
            cell: ({ kind, library, origin }) => (
              <Text size="sm" title={origin?.registry ?? library}>
                {origin?.package ?? t(kind === PluginKind.CUSTOM ? 'plugins.custom' : 'plugins.builtin')}
              </Text>
            ),
          },
          {
            key: 'process',
            title: t('plugins.process'),
            order: ({ state }) => state,
            cell: ({ state }) => (
              <Badge color={colors[state]} variant="light">
                {t(`plugins.${state}`)}
              </Badge>
            ),
          },
          {
            key: 'used',
            isLeftOut: true,
            title: t('plugins.used'),
            order: ({ name }) => namesOf(name).length,
            cell: ({ name }) => (
              <Text size="sm" truncate="end" maw={260} title={namesOf(name).join(', ')}>
                {namesOf(name).join(', ') || '–'}
              </Text>
            ),
          },
          {
            key: 'actions',
            title: t('plugins.actions'),
            cell: ({ name, kind }: Plugin) =>
              mayChange &&
              kind === PluginKind.CUSTOM && (
                <ActionIcon
                  variant="default"
                  aria-label={t('plugins.remove', { name })}
                  onClick={() => setToDelete(name)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              ),
          },
        ]}
      />
      {toDelete !== undefined && (
        <RemovePlugin name={toDelete} users={namesOf(toDelete)} onClose={() => setToDelete(undefined)} />
      )}
    </Stack>
  );
}

/** The newest version that fits, where it is newer than the one that is installed: the way to it. */
function Update({ outdated }: { readonly outdated: Outdated | undefined }): ReactElement | null {
  const { t } = useTranslation();
  if (outdated?.fitting === undefined) return null;
  const { package: name, fitting } = outdated;
  return (
    <Badge
      component={Link}
      to={`/plugins/find/${encodeURIComponent(name)}`}
      variant="light"
      style={{ cursor: 'pointer' }}
    >
      {t('find.available', { version: fitting })}
    </Badge>
  );
}

interface RemoveProps {
  readonly name: string;
  readonly users: readonly string[];
  readonly onClose: () => void;
}

function RemovePlugin({ name, users, onClose }: RemoveProps): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const now = usePluginsRevision();
  const [seen] = useState(now);

  async function remove(): Promise<void> {
    await run(
      async () => {
        try {
          await call('DELETE', 'api/v2/plugin', { body: { plugin: name }, headers: ifMatch(seen) });
        } catch (error) {
          throw isStale(error) ? new Error(t('plugins.stale'), { cause: error }) : error;
        }
      },
      t('plugins.didRemove', { name }),
    );
    onClose();
    await refresh(['plugins'], ['nodes']);
  }

  return (
    <Confirm
      isOpen
      title={t('plugins.removeTitle')}
      action={t('plugins.remove', { name })}
      isBusy={isBusy}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <Text size="sm">{t('plugins.removeAsk', { name })}</Text>
      {users.length > 0 && (
        <>
          <Text size="sm">{t('plugins.removeUsed')}</Text>
          <List size="sm">
            {users.map((user) => (
              <List.Item key={user}>{user}</List.Item>
            ))}
          </List>
        </>
      )}
    </Confirm>
  );
}
