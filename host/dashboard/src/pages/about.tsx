import { Anchor, Button, Stack, Table, Text, Title } from '@mantine/core';
import { ErrorCode, type LicenseReply, type VersionReply } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { addressOf, ApiError, call } from '../api/call.ts';
import { useMay } from '../api/use-role.ts';
import { download } from '../parts/download.ts';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { supportBundle } from './about/bundle.ts';
import { Listeners } from './about/listeners.tsx';

/** The version of the gateway, its licence, what its nodes have open, and a support bundle to download. */
export default function About(): ReactElement {
  const { t } = useTranslation();
  const version = useQuery({
    queryKey: ['version'],
    queryFn: () => call<VersionReply>('GET', 'api/v2/version'),
    staleTime: Infinity,
  });
  return (
    <Stack gap="xl" maw={720}>
      <Stack>
        <Title order={2}>{t('nav.about')}</Title>
        <ErrorAlert error={version.error} />
        {version.data && (
          <Facts
            label={t('about.version')}
            facts={[
              [t('about.version'), version.data.version],
              [t('about.revision'), version.data.revision],
              [t('about.built'), version.data.build_date],
            ]}
          />
        )}
        <Anchor href={addressOf('api').href} underline="always">
          {t('about.api')}
        </Anchor>
      </Stack>
      <Licence />
      <Listeners />
      <Bundle />
    </Stack>
  );
}

function Facts({
  label,
  facts,
}: {
  readonly label: string;
  readonly facts: readonly (readonly [string, string])[];
}): ReactElement {
  return (
    <Table aria-label={label} w="auto">
      <Table.Tbody>
        {facts.map(([name, value]) => (
          <Table.Tr key={name}>
            <Table.Th scope="row">{name}</Table.Th>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Licence(): ReactElement {
  const { t } = useTranslation();
  const { data, error } = useQuery({
    queryKey: ['license'],
    queryFn: async () => {
      try {
        return await call<LicenseReply>('GET', 'api/v2/license');
      } catch (refusal) {
        if (refusal instanceof ApiError && refusal.code === ErrorCode.LICENSE_NOT_FOUND) return null;
        throw refusal;
      }
    },
  });
  return (
    <Stack>
      <Title order={2}>{t('about.licence')}</Title>
      <ErrorAlert error={error} />
      {data === null && <Text size="sm">{t('about.noLicence')}</Text>}
      {data && (
        <Facts
          label={t('about.licence')}
          facts={[
            [t('about.type'), data.license_type],
            [t('about.valid'), t(data.valid ? 'about.yes' : 'about.no')],
            [t('about.until'), `${data.valid_until} UTC`],
            [t('about.nodes'), t('about.nodesOf', { n: data.used_nodes, most: data.max_nodes })],
          ]}
        />
      )}
    </Stack>
  );
}

function Bundle(): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const mayMake = useMay('engineer');
  return (
    <Stack align="flex-start">
      <Title order={2}>{t('about.bundle')}</Title>
      <Text size="sm">{t(mayMake ? 'about.bundleMeaning' : 'about.mayNot')}</Text>
      {mayMake && (
        <Button
          loading={isBusy}
          onClick={() =>
            void run(async () => download('tagway-support.json', await supportBundle()), t('about.didMake'))
          }
        >
          {t('about.make')}
        </Button>
      )}
    </Stack>
  );
}
