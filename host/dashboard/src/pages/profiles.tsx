import { ActionIcon, Anchor, Badge, Button, FileButton, Group, Stack, Text, Title } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import type { InstallProfileReply, OutdatedProfile, ProfileRecord } from '@tagway/schemas';
import type { TFunction } from 'i18next';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { useMay } from '../api/use-role.ts';
import { base64Of } from '../parts/base64.ts';
import { Isolated } from '../parts/isolated.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { useSending } from '../parts/use-sending.ts';
import { sourceOf } from '../profiles/profile-head.tsx';
import { ofProfiles, useProfiles } from '../profiles/profile-queries.ts';
import { RemoveProfile } from '../profiles/remove-profile.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { addTexts } from '../texts/index.ts';
import * as texts from '../texts/profiles.ts';
import { lookForUpdates, useOutdated } from './plugins/directory.ts';
import '../profiles/profiles.css';

addTexts(texts);

/** The device profiles: where they are from, their versions, and how to install and remove one. */
export default function Profiles(): ReactElement {
  const { t } = useTranslation();
  const { data = [], error, isPending } = useProfiles();
  const mayChange = useMay('engineer');
  const outdated = useOutdated(mayChange).data?.profiles ?? [];
  const refresh = useRefresh();
  const { run, isBusy } = useAction();
  const sending = useSending();
  const [toRemove, setToRemove] = useState<ProfileRecord>();

  const install = async (file: File): Promise<void> => {
    const done = await sending.run(async () => {
      const body = { file: await base64Of(file) };
      return await call<InstallProfileReply>('POST', 'api/v2/profile', { body });
    });
    if (done === undefined) return;
    const { profile: id, version } = done;
    await run(() => refresh(...ofProfiles), t('profiles.didInstall', { id, version }));
  };
  const look = async (): Promise<void> => {
    await run(lookForUpdates, t('profiles.didLook'));
    await refresh(['directory', 'outdated']);
  };

  return (
    <Stack>
      <Group justify="space-between">
        <Title order={2}>{t('profiles.list')}</Title>
        {mayChange && (
          <Group gap="xs">
            {data.some(({ package: name }) => name !== undefined) && (
              <Button variant="default" loading={isBusy} onClick={() => void look()}>
                {t('profiles.look')}
              </Button>
            )}
            <FileButton accept=".tgz,.json" onChange={(file) => file !== null && void install(file)}>
              {(button) => (
                <Button {...button} variant="default" loading={sending.isBusy}>
                  {t('profiles.installFile')}
                </Button>
              )}
            </FileButton>
            <Button component={Link} to="/drivers/add" leftSection={<IconPlus size={16} aria-hidden />}>
              {t('nodes.addDriver')}
            </Button>
          </Group>
        )}
      </Group>
      <Text size="sm" c="dimmed">
        {t('profiles.about')}
      </Text>
      <ErrorAlert error={error ?? sending.error} />
      {!isPending && (
        <Table
          rows={data}
          columns={columnsOf(t, outdated, mayChange, setToRemove)}
          keyOf={({ id }) => id}
          label={t('profiles.list')}
        />
      )}
      {toRemove !== undefined && (
        <RemoveProfile
          profile={toRemove}
          onClose={() => setToRemove(undefined)}
          onRemoved={() => undefined}
        />
      )}
    </Stack>
  );
}

function columnsOf(
  t: TFunction,
  outdated: readonly OutdatedProfile[],
  mayChange: boolean,
  remove: (profile: ProfileRecord) => void,
): readonly Column<ProfileRecord>[] {
  return [
    {
      key: 'name',
      title: t('nodes.name'),
      order: ({ name }) => name,
      cell: ({ id, name }) => (
        <Anchor component={Link} size="sm" className="device-name" to={`/profiles/${encodeURIComponent(id)}`}>
          <Isolated>{name}</Isolated>
        </Anchor>
      ),
    },
    {
      key: 'devices',
      title: t('profiles.devices'),
      isFilling: true,
      isLeftOut: true,
      cell: ({ devices }) => <span title={devices.join(', ')}>{devices.join(', ')}</span>,
    },
    {
      key: 'through',
      title: t('profiles.through'),
      isLeftOut: true,
      cell: ({ plugins }) => <Through plugins={plugins} />,
    },
    {
      key: 'tags',
      title: t('profiles.tags'),
      isNumber: true,
      isLeftOut: true,
      order: ({ tags }) => tags,
      cell: ({ tags, discovers }) => (discovers ? t('profiles.asksDevice') : tags),
    },
    {
      key: 'version',
      title: t('profiles.version'),
      cell: ({ id, version }) => (
        <Group gap="xs" wrap="nowrap">
          {version}
          <Newer profile={id} outdated={outdated.find(({ profile }) => profile === id)} />
        </Group>
      ),
    },
    {
      key: 'source',
      title: t('profiles.source'),
      isLeftOut: true,
      order: (profile) => sourceOf({ profile }, t),
      cell: (profile) => (
        <Text size="sm" c="dimmed" truncate maw={220} title={profile.registry ?? ''}>
          {sourceOf({ profile }, t)}
        </Text>
      ),
    },
    {
      key: 'actions',
      title: '',
      width: 48,
      cell: (profile) =>
        mayChange &&
        !profile.system && (
          <ActionIcon
            variant="default"
            aria-label={t('profiles.remove', { name: profile.name })}
            onClick={() => remove(profile)}
          >
            <IconTrash size={16} />
          </ActionIcon>
        ),
    },
  ];
}

function Through({ plugins }: { readonly plugins: ProfileRecord['plugins'] }): ReactElement {
  const { t } = useTranslation();
  const names = plugins.flatMap(({ name }) => name ?? []);
  if (names.length > 0)
    return (
      <Text size="sm" c="dimmed">
        {names.join(', ')}
      </Text>
    );
  return (
    <Badge variant="light" color="yellow" miw="max-content">
      {t('profiles.missing', { id: plugins.map(({ id }) => id).join(' / ') })}
    </Badge>
  );
}

/** The way to the newer version, where the registry has one. */
function Newer({
  profile,
  outdated,
}: {
  readonly profile: string;
  readonly outdated: OutdatedProfile | undefined;
}): ReactElement | null {
  const { t } = useTranslation();
  if (outdated === undefined) return null;
  const { newest, message = '' } = outdated;
  if (newest === undefined)
    return (
      <Text size="xs" c="dimmed" truncate maw={200} title={message}>
        {t('profiles.unknown', { reason: message })}
      </Text>
    );
  return (
    <Badge
      component={Link}
      to={`/profiles/${encodeURIComponent(profile)}`}
      variant="light"
      miw="max-content"
      style={{ cursor: 'pointer' }}
    >
      {t('profiles.available', { version: newest })}
    </Badge>
  );
}
