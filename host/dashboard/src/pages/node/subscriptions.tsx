import { Badge, Button, Group, Stack, Switch, Text } from '@mantine/core';
import type { Params } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call, callRevised, ifMatch, type Revised } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { useMayConfigure } from '../../api/use-configure.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { MayNot } from '../../parts/may-not.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { selectColumn } from '../../parts/select-column.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { loadSubscription, useCandidates, type Candidate } from '../../subscriptions/candidates.ts';
import { ParamsDialog } from '../../subscriptions/params-dialog.tsx';
import type { TabProps } from './tab-props.ts';
import { Isolated } from '../../parts/isolated.tsx';

/** The groups that an app subscribes to, and the parameters of each subscription. */
export default function Subscriptions({ node: { name: app } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const { rows, error } = useCandidates(app);
  const mayEdit = useMayConfigure();
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const [filter, setFilter] = useState('');
  const [isOwnOnly, setOwnOnly] = useState(false);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<'subscribe' | 'end' | Candidate>();

  const shown = useMemo(() => {
    const text = filter.toLowerCase();
    return rows.filter(
      ({ driver, group, isSubscribed }) =>
        (isSubscribed || !isOwnOnly) && `${driver} ${group}`.toLowerCase().includes(text),
    );
  }, [rows, filter, isOwnOnly]);
  const chosen = rows.filter(({ key }) => selected.has(key));
  const toSubscribe = chosen.filter(({ isSubscribed }) => !isSubscribed);
  const toUnsubscribe = chosen.filter(({ isSubscribed }) => isSubscribed);

  const done = (): Promise<void> => {
    setDialog(undefined);
    setSelected(new Set());
    return refresh(['node', app]);
  };
  const subscribe = (params: Params | undefined): Promise<Revised<unknown>> => {
    const groups = toSubscribe.map(({ driver, group }) => ({ driver, group, ...(params && { params }) }));
    return callRevised('POST', 'api/v2/subscribes', { body: { app, groups } });
  };
  const end = async (): Promise<void> => {
    for (const { driver, group } of toUnsubscribe) {
      await call('DELETE', 'api/v2/subscribe', { body: { app, driver, group } });
    }
    await done();
  };

  const columns: readonly Column<Candidate>[] = [
    selectColumn({
      t,
      shown,
      selected,
      setSelected,
      keyOf: ({ key }) => key,
      nameOf: ({ driver, group }) => `${driver} · ${group}`,
    }),
    {
      key: 'driver',
      title: t('subscriptions.driver'),
      order: ({ driver }) => driver,
      cell: ({ driver }) => <Name>{driver}</Name>,
    },
    {
      key: 'group',
      title: t('subscriptions.group'),
      order: ({ group }) => group,
      cell: ({ group }) => <Name>{group}</Name>,
    },
    {
      key: 'state',
      title: t('subscriptions.state'),
      width: 120,
      order: ({ isSubscribed }) => (isSubscribed ? 0 : 1),
      cell: ({ isSubscribed }) => isSubscribed && <Badge>{t('subscriptions.yes')}</Badge>,
    },
    {
      key: 'params',
      isLeftOut: true,
      title: t('subscriptions.params'),
      cell: ({ params }) => (
        <Text size="sm" ff="monospace" truncate maw={360}>
          {Object.entries(params)
            .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
            .join(', ')}
        </Text>
      ),
    },
    {
      key: 'change',
      title: '',
      width: 100,
      cell: (row) =>
        row.isSubscribed && (
          <Button
            size="compact-xs"
            variant="default"
            disabled={!mayEdit}
            aria-label={t('subscriptions.edit', { driver: row.driver, group: row.group })}
            onClick={() => setDialog(row)}
          >
            {t('subscriptions.change')}
          </Button>
        ),
    },
  ];

  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <SearchField value={filter} onChange={setFilter} />
        <Switch
          label={t('subscriptions.only')}
          checked={isOwnOnly}
          onChange={(event) => setOwnOnly(event.currentTarget.checked)}
        />
        <Button disabled={!mayEdit || toSubscribe.length === 0} onClick={() => setDialog('subscribe')}>
          {t('subscriptions.subscribe')}
        </Button>
        <Button
          variant="outline"
          color="red"
          disabled={!mayEdit || toUnsubscribe.length === 0}
          onClick={() => setDialog('end')}
        >
          {t('subscriptions.unsubscribe')}
        </Button>
      </Group>
      {!mayEdit && <MayNot role={t('subscriptions.needsEngineer')} />}
      <ErrorAlert error={error} />
      <Table
        rows={shown}
        columns={columns}
        keyOf={({ key }) => key}
        label={t('tabs.subscriptions')}
        height="calc(100vh - 320px)"
      />
      {dialog === 'subscribe' && (
        <ParamsDialog
          title={t('subscriptions.subscribeTitle', { n: toSubscribe.length })}
          params={null}
          action={t('subscriptions.subscribe')}
          app={app}
          of={toSubscribe[0]}
          onClose={() => setDialog(undefined)}
          load={() => Promise.resolve({ value: null, revision: '' })}
          onSave={subscribe}
          onSaved={() => void run(done, t('subscriptions.subscribed', { n: toSubscribe.length }))}
        />
      )}
      {typeof dialog === 'object' && (
        <ParamsDialog
          title={t('subscriptions.edit', { driver: dialog.driver, group: dialog.group })}
          params={dialog.params}
          action={t('app.save')}
          app={app}
          of={dialog}
          onClose={() => setDialog(undefined)}
          load={() => loadSubscription(app, dialog.driver, dialog.group)}
          onSave={(params = {}, revision) => {
            const { driver, group } = dialog;
            const body = { app, driver, group, params };
            return callRevised('PUT', 'api/v2/subscribe', { body, headers: ifMatch(revision) });
          }}
          onSaved={() => void run(done, t('tags.saved', { name: `${dialog.driver} · ${dialog.group}` }))}
        />
      )}
      <Confirm
        isOpen={dialog === 'end'}
        title={t('subscriptions.endTitle', { n: toUnsubscribe.length })}
        action={t('subscriptions.unsubscribe')}
        isBusy={isBusy}
        onClose={() => setDialog(undefined)}
        onConfirm={() => void run(end, t('subscriptions.unsubscribed', { n: toUnsubscribe.length }))}
      >
        <Text size="sm">
          {t('subscriptions.endText', {
            names: toUnsubscribe
              .slice(0, 10)
              .map(({ driver, group }) => `${driver} · ${group}`)
              .join(', '),
          })}
        </Text>
      </Confirm>
    </Stack>
  );
}

function Name({ children }: { readonly children: string }): ReactElement {
  return (
    <Text size="sm" truncate maw={260} title={children}>
      <Isolated>{children}</Isolated>
    </Text>
  );
}
