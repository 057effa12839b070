import { ActionIcon, Button, Group, Select, Stack, Text, Title } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { Registries as RegistriesBody, RegistriesReply, Registry } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { useMay } from '../api/use-role.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Crumbs } from '../parts/crumbs.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { addTexts } from '../texts/index.ts';
import * as texts from '../texts/registries.ts';
import { RegistryDialog } from './registries/registry-dialog.tsx';
import { TrustRenewal } from './registries/trust-renewal.tsx';

addTexts(texts);

const day = 24;

/** The registries in which plugins are found by name, and how often the gateway looks for newer versions. */
export default function Registries(): ReactElement {
  const { t } = useTranslation();
  const mayChange = useMay('admin');
  return (
    <Stack>
      <Crumbs steps={[{ to: '/plugins', text: t('nav.plugins') }]} here={t('registries.title')} />
      <Title order={2}>{t('registries.title')}</Title>
      {mayChange ? <Lists /> : <Text>{t('registries.mayNot')}</Text>}
    </Stack>
  );
}

/** What is being changed: one of the list by its place, or a new one. */
type Open = { readonly place: number } | 'new';

function Lists(): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { run, isBusy } = useAction();
  const { data, error } = useQuery({
    queryKey: ['directory', 'registries'],
    queryFn: () => call<RegistriesReply>('GET', 'api/v2/directory/registries'),
  });
  const [open, setOpen] = useState<Open>();
  const [toRemove, setToRemove] = useState<Registry>();
  const own = data?.registries ?? [];

  const store = async (
    registries: readonly Registry[],
    more: Partial<RegistriesBody> = {},
  ): Promise<void> => {
    const body: RegistriesBody = { ...more, registries: [...registries] };
    await call('PUT', 'api/v2/directory/registries', { body });
    await refresh(['directory', 'registries'], ['directory', 'search'], ['directory', 'package']);
  };
  const save = (registry: Registry): Promise<void> =>
    store(
      open === 'new' || open === undefined
        ? [...own, registry]
        : own.map((one, place) => (place === open.place ? registry : one)),
    );
  const remove = async (registry: Registry): Promise<void> => {
    await run(() => store(own.filter((one) => one !== registry)), t('registries.didSave'));
    setToRemove(undefined);
  };

  return (
    <>
      <Text size="sm">{t('registries.meaning')}</Text>
      <ErrorAlert error={error} />
      {data !== undefined && (
        <LookEvery
          hours={data.look_every}
          isBusy={isBusy}
          onChange={(hours) => void run(() => store(own, { look_every: hours }), t('registries.didSave'))}
        />
      )}
      {data !== undefined && (
        <TrustRenewal
          renewal={data.trust_renewal}
          isBusy={isBusy}
          onSave={(setting) =>
            void run(() => store(own, { trust_renewal: setting }), t('registries.didSave'))
          }
        />
      )}
      <Group justify="space-between">
        <Title order={3}>{t('registries.own')}</Title>
        <Button onClick={() => setOpen('new')}>{t('registries.add')}</Button>
      </Group>
      <List
        label={t('registries.own')}
        registries={own}
        actions={(registry) => (
          <Group gap="xs" wrap="nowrap">
            <ActionIcon
              variant="default"
              aria-label={t('registries.change', { address: registry.url })}
              onClick={() => setOpen({ place: own.indexOf(registry) })}
            >
              <IconPencil size={16} />
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={t('registries.remove', { address: registry.url })}
              onClick={() => setToRemove(registry)}
            >
              <IconTrash size={16} />
            </ActionIcon>
          </Group>
        )}
      />
      <Title order={3}>{t('registries.others')}</Title>
      <List label={t('registries.others')} registries={data?.file ?? []} />
      {open !== undefined && (
        <RegistryDialog
          registry={open === 'new' ? undefined : own[open.place]}
          onSave={save}
          onClose={() => setOpen(undefined)}
        />
      )}
      {toRemove !== undefined && (
        <Confirm
          isOpen
          title={t('registries.remove', { address: toRemove.url })}
          action={t('app.delete')}
          isBusy={isBusy}
          onConfirm={() => void remove(toRemove)}
          onClose={() => setToRemove(undefined)}
        >
          <Text size="sm">{t('registries.removeAsk')}</Text>
        </Confirm>
      )}
    </>
  );
}

interface ListProps {
  readonly label: string;
  readonly registries: readonly Registry[];
  readonly actions?: (registry: Registry) => ReactElement;
}

function List({ label, registries, actions }: ListProps): ReactElement {
  const { t } = useTranslation();
  const isSearched = ({ search, scope = '' }: Registry): boolean => search ?? scope === '';
  const loginOf = ({ token, user, cert }: Registry): string => {
    if (token !== undefined) return t('registries.token');
    if (user !== undefined) return user;
    return t(cert === undefined ? 'registries.none' : 'registries.cert');
  };
  return (
    <Table
      rows={registries}
      keyOf={({ scope = '' }) => scope}
      label={label}
      height="40vh"
      empty={t('registries.empty')}
      columns={[
        {
          key: 'scope',
          title: t('registries.scope'),
          cell: ({ scope = '' }) => (scope === '' ? t('registries.allNames') : scope),
        },
        {
          key: 'address',
          title: t('registries.address'),
          cell: ({ url }) => (
            <Text size="sm" truncate="end" maw={360} title={url}>
              {url}
            </Text>
          ),
        },
        {
          key: 'search',
          isLeftOut: true,
          title: t('registries.searched'),
          cell: (one) => t(isSearched(one) ? 'registries.yes' : 'registries.no'),
        },
        { key: 'login', isLeftOut: true, title: t('registries.login'), cell: loginOf },
        ...(actions === undefined
          ? []
          : [{ key: 'actions', title: t('registries.actions'), cell: (one: Registry) => actions(one) }]),
      ]}
    />
  );
}

interface LookProps {
  readonly hours: number;
  readonly isBusy: boolean;
  readonly onChange: (hours: number) => void;
}

function LookEvery({ hours, isBusy, onChange }: LookProps): ReactElement {
  const { t } = useTranslation();
  const known = [
    { value: '0', label: t('registries.never') },
    { value: String(day), label: t('registries.daily') },
    { value: String(7 * day), label: t('registries.weekly') },
  ];
  const isKnown = known.some(({ value }) => value === String(hours));
  const other = { value: String(hours), label: t('registries.hourly', { hours }) };
  return (
    <Select
      label={t('registries.look')}
      description={t('registries.lookMeans')}
      data={isKnown ? known : [...known, other]}
      value={String(hours)}
      allowDeselect={false}
      disabled={isBusy}
      maw={420}
      onChange={(value) => value !== null && onChange(Number(value))}
    />
  );
}
