import { Alert, Anchor, Badge, Button, Group, Stack, Text, TextInput, Title } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import type { TFunction } from 'i18next';
import { useMemo, useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useSearchParams } from 'react-router';
import { usePlugins } from '../api/queries.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { Isolated } from '../parts/isolated.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { useSearch } from '../pages/plugins/directory.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { deviceRows, type DeviceRow } from './device-rows.ts';
import { useProfiles, useProfileSearch } from './profile-queries.ts';
import './profiles.css';

/** The first question to somebody who adds a driver. What was searched for is in the address, so that going back leads to the same list. */
export function WhatDevice(): ReactElement {
  const { t, i18n } = useTranslation();
  const [params, setParams] = useSearchParams();
  const [words, setWords] = useState(params.get('q') ?? '');
  const asked = params.get('asked') ?? undefined;
  const profiles = useProfiles();
  const plugins = usePlugins();
  const foundProfiles = useProfileSearch(asked);
  const foundPlugins = useSearch(
    asked === undefined ? undefined : { text: asked, page: 0, prerelease: false },
  );
  // What the registries have found is for the words that they were asked for.
  const isAsked = asked !== undefined && asked === words.trim();
  const rows = useMemo(
    () =>
      deviceRows(words, {
        profiles: profiles.data ?? [],
        plugins: plugins.data ?? [],
        foundProfiles: (isAsked ? foundProfiles.data : undefined) ?? [],
        foundPlugins: (isAsked ? foundPlugins.data?.packages : undefined) ?? [],
        isChinese: i18n.language === 'zh',
      }),
    [words, profiles.data, plugins.data, foundProfiles.data, foundPlugins.data, isAsked, i18n.language],
  );
  const isPending = profiles.isPending || plugins.isPending;

  const type = (text: string): void => {
    setWords(text);
    setParams(text === '' ? {} : { q: text }, { replace: true });
  };
  const ask = (event: SyntheticEvent): void => {
    event.preventDefault();
    const text = words.trim();
    setParams({ ...(text !== '' && { q: text }), asked: text }, { replace: true });
  };

  return (
    <Stack>
      <div>
        <Crumbs steps={[{ to: '/drivers', text: t('nav.drivers') }]} here={t('nodes.addDriver')} />
        <Title order={2}>{t('profiles.question')}</Title>
      </div>
      <form onSubmit={ask} role="search">
        <Group align="flex-end" maw={720}>
          <TextInput
            type="search"
            label={t('profiles.words')}
            leftSection={<IconSearch size={16} aria-hidden />}
            value={words}
            data-autofocus
            autoFocus
            style={{ flex: '1 1 240px' }}
            onChange={(event) => type(event.currentTarget.value)}
          />
          <Button
            type="submit"
            variant="default"
            loading={foundProfiles.isFetching || foundPlugins.isFetching}
          >
            {t('profiles.askRegistries')}
          </Button>
        </Group>
      </form>
      <Group justify="space-between" gap="xs">
        <Text size="xs" c="dimmed">
          {t('profiles.asks')}
        </Text>
        {!isPending && (
          <Text size="xs" c="dimmed" role="status">
            {t('profiles.found', { count: rows.length })}
          </Text>
        )}
      </Group>
      <ErrorAlert error={profiles.error ?? plugins.error} />
      {isAsked && <Refusals errors={[foundProfiles.error, foundPlugins.error]} />}
      {!isPending && (
        <Table
          rows={rows}
          columns={columnsOf(t)}
          keyOf={({ key }) => key}
          label={t('profiles.question')}
          height="calc(100vh - 300px)"
          empty={t('profiles.none')}
        />
      )}
    </Stack>
  );
}

function columnsOf(t: TFunction): readonly Column<DeviceRow>[] {
  return [
    {
      key: 'name',
      title: t('nodes.name'),
      cell: ({ name, to }) => (
        <Anchor component={Link} size="sm" className="device-name" to={to}>
          <Isolated>{name}</Isolated>
        </Anchor>
      ),
    },
    {
      key: 'kind',
      title: t('profiles.kind'),
      isLeftOut: true,
      cell: ({ kind, isInRegistry }) => (
        <Group gap={4} wrap="nowrap">
          <Text size="sm">{t(`profiles.${kind}`)}</Text>
          {isInRegistry && (
            <Badge variant="light" color="gray" miw="max-content">
              {t('profiles.inRegistry')}
            </Badge>
          )}
        </Group>
      ),
    },
    {
      key: 'about',
      title: t('profiles.fits'),
      isFilling: true,
      isLeftOut: true,
      cell: ({ about }) => <span title={about}>{about}</span>,
    },
    {
      key: 'through',
      title: t('profiles.through'),
      cell: ({ through, missing }) =>
        missing.length === 0 ? (
          <Text size="sm" c="dimmed">
            {through}
          </Text>
        ) : (
          <Badge variant="light" color="yellow" miw="max-content">
            {t('profiles.missing', { id: missing.join(' / ') })}
          </Badge>
        ),
    },
  ];
}

/** Why registries have not answered, each reason once. */
function Refusals({ errors }: { readonly errors: readonly unknown[] }): ReactElement | null {
  const reasons = [...new Set(errors.flatMap((error) => (error instanceof Error ? [error.message] : [])))];
  if (reasons.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" role="alert">
      {reasons.map((reason) => (
        <Text key={reason} size="sm">
          {reason}
        </Text>
      ))}
    </Alert>
  );
}
