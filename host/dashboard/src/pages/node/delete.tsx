import { List, Text } from '@mantine/core';
import { NodeType, type GroupsReply, type NodesReply, type SubscriptionsReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';

interface Dependents {
  readonly groups: number;
  readonly tags: number;
  /** Subscriptions to a driver's groups, or of an app. */
  readonly subscriptions: number;
  readonly apps: readonly string[];
}

/** What is deleted with a driver: its groups and tags, and the apps' subscriptions to them. */
async function ofDriver(node: string): Promise<Dependents> {
  const { groups } = await call<GroupsReply>('GET', 'api/v2/group', { query: { node } });
  const { nodes } = await call<NodesReply>('GET', 'api/v2/node', { query: { type: NodeType.APP } });
  const subscribed = await Promise.all(
    nodes.map(async ({ name }) => {
      const all = await call<SubscriptionsReply>('GET', 'api/v2/subscribe', { query: { app: name } });
      return { name, count: all.groups.filter(({ driver }) => driver === node).length };
    }),
  );
  const subscribers = subscribed.filter(({ count }) => count > 0);
  return {
    groups: groups.length,
    tags: groups.reduce((sum, { tag_count }) => sum + tag_count, 0),
    subscriptions: subscribers.reduce((sum, { count }) => sum + count, 0),
    apps: subscribers.map(({ name }) => name),
  };
}

async function ofApp(app: string): Promise<Dependents> {
  const { groups } = await call<SubscriptionsReply>('GET', 'api/v2/subscribe', { query: { app } });
  return { groups: 0, tags: 0, subscriptions: groups.length, apps: [] };
}

interface Props {
  readonly name: string;
  readonly isDriver: boolean;
  readonly onClose: () => void;
}

/** Deletes a node, after it has shown what depends on it. */
export function DeleteNode({ name, isDriver, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const { pathname } = useLocation();
  const { data, error } = useQuery({
    queryKey: ['node', name, 'dependents'],
    queryFn: () => (isDriver ? ofDriver(name) : ofApp(name)),
    staleTime: 0,
  });

  async function remove(): Promise<void> {
    const isDone = await run(
      () => call('DELETE', 'api/v2/node', { body: { name } }),
      t('nodes.didDelete', { name }),
      {
        work: async () => {
          await call('POST', 'api/v2/node/undelete', { body: { name } });
          await refresh(['nodes'], ['node', name]);
        },
        done: t('app.undone', { name }),
      },
    );
    if (!isDone) return;
    onClose();
    if (pathname.startsWith('/nodes/')) void navigate(isDriver ? '/drivers' : '/apps', { replace: true });
    await refresh(['nodes']);
  }

  return (
    <Confirm
      isOpen
      title={t('nodes.deleteTitle')}
      action={t('nodes.delete')}
      isBusy={isBusy}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <Text style={{ overflowWrap: 'anywhere' }}>{t('nodes.deleteAsk', { name })}</Text>
      <ErrorAlert error={error} />
      {data === undefined && error === null && <Text size="sm">{t('app.loading')}</Text>}
      {data !== undefined && (
        <List size="sm">
          {isDriver && <List.Item>{t('nodes.loseTags', { groups: data.groups, tags: data.tags })}</List.Item>}
          <List.Item>{t('nodes.loseSubscriptions', { n: data.subscriptions })}</List.Item>
          {data.apps.length > 0 && (
            <List.Item style={{ overflowWrap: 'anywhere' }}>
              {t('nodes.loseApps', { names: data.apps.join(', ') })}
            </List.Item>
          )}
        </List>
      )}
    </Confirm>
  );
}
