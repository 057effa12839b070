import { ActionIcon, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { FleetGateway } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useFleetList } from '../../api/fleet.ts';
import { useRefresh } from '../../api/queries.ts';
import { useMay } from '../../api/use-role.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Crumbs } from '../../parts/crumbs.tsx';
import { Isolated } from '../../parts/isolated.tsx';
import { Table } from '../../parts/table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { GatewayDialog } from './gateway-dialog.tsx';

/** Which gateways are of the fleet. */
export function FleetList(): ReactElement {
  const { t } = useTranslation();
  const mayChange = useMay('admin');
  return (
    <Stack>
      <Crumbs steps={[{ to: '/fleet', text: t('fleet.title') }]} here={t('fleet.listTitle')} />
      <Title order={2}>{t('fleet.listTitle')}</Title>
      {mayChange ? <Gateways /> : <Text>{t('fleet.mayNot')}</Text>}
    </Stack>
  );
}

function Gateways(): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { run, isBusy } = useAction();
  const { data, error } = useFleetList();
  const [open, setOpen] = useState<FleetGateway | 'new'>();
  const [toRemove, setToRemove] = useState<FleetGateway>();
  const gateways = data?.gateways ?? [];

  const store = async (list: readonly FleetGateway[]): Promise<void> => {
    await call('PUT', 'api/v2/fleet/gateways', { body: { gateways: list } });
    await refresh(['fleet'], ['status']);
  };
  const save = (gateway: FleetGateway): Promise<void> =>
    store(
      open === 'new'
        ? [...gateways, gateway]
        : gateways.map((one) => (one.name === open?.name ? gateway : one)),
    );
  const remove = async ({ name }: FleetGateway): Promise<void> => {
    await run(() => store(gateways.filter((one) => one.name !== name)), t('fleet.didSave'));
    setToRemove(undefined);
  };

  return (
    <>
      <Group justify="space-between">
        <Text size="sm">{t('fleet.listMeans')}</Text>
        <Button disabled={data === undefined} onClick={() => setOpen('new')}>
          {t('fleet.add')}
        </Button>
      </Group>
      <ErrorAlert error={error} />
      <Table
        rows={gateways}
        keyOf={({ name }) => name}
        label={t('fleet.listTitle')}
        height="70vh"
        empty={t('fleet.empty')}
        columns={[
          { key: 'name', title: t('fleet.name'), cell: ({ name }) => <Isolated>{name}</Isolated> },
          {
            key: 'address',
            title: t('fleet.address'),
            cell: ({ url }) => (
              <Text size="sm" truncate="end" maw={360} title={url}>
                {url}
              </Text>
            ),
          },
          { key: 'trust', title: t('fleet.trust'), cell: (one) => t(`fleet.${trustOf(one)}`) },
          {
            key: 'actions',
            title: t('fleet.actions'),
            cell: (one) => (
              <Group gap="xs" wrap="nowrap">
                <ActionIcon
                  variant="default"
                  aria-label={t('fleet.change', { name: one.name })}
                  onClick={() => setOpen(one)}
                >
                  <IconPencil size={16} />
                </ActionIcon>
                <ActionIcon
                  variant="default"
                  aria-label={t('fleet.remove', { name: one.name })}
                  onClick={() => setToRemove(one)}
                >
                  <IconTrash size={16} />
                </ActionIcon>
              </Group>
            ),
          },
        ]}
      />
      {open !== undefined && (
        <GatewayDialog
          gateway={open === 'new' ? undefined : open}
          onSave={save}
          onClose={() => setOpen(undefined)}
        />
      )}
      {toRemove !== undefined && (
        <Confirm
          isOpen
          title={t('fleet.remove', { name: toRemove.name })}
          action={t('app.delete')}
          isBusy={isBusy}
          onConfirm={() => void remove(toRemove)}
          onClose={() => setToRemove(undefined)}
        >
          <Text size="sm">{t('fleet.removeAsk')}</Text>
        </Confirm>
      )}
    </>
  );
}

function trustOf({ url, ca = '' }: FleetGateway): 'noTrust' | 'ownTrust' | 'systemTrust' {
  if (url.startsWith('http:')) return 'noTrust';
  return ca === '' ? 'systemTrust' : 'ownTrust';
}
