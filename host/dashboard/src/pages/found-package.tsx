import { Alert, Anchor, Group, Stack, Table, Text, Title } from '@mantine/core';
import type { PackageReply } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams, useSearchParams } from 'react-router';
import { useMay } from '../api/use-role.ts';
import { Crumbs } from '../parts/crumbs.tsx';
import { timeText } from '../parts/times.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { PackageContent } from './plugins/content.tsx';
import { usePackage } from './plugins/directory.ts';
import { InstallPackage } from './plugins/install-package.tsx';
import { Fit, Trust } from './plugins/marks.tsx';
import { linkOf, plainText } from './plugins/plain-text.ts';
import './plugins/found.css';

/** A package of a registry: what it is, whether it fits, its versions, what is in it, and the button that installs it. */
export default function FoundPackage(): ReactElement {
  const { t } = useTranslation();
  const { package: name = '' } = useParams();
  const [params] = useSearchParams();
  const mayFind = useMay('engineer');
  return (
    <Stack>
      <Crumbs
        steps={[
          { to: '/plugins', text: t('nav.plugins') },
          { to: '/plugins/find', text: t('find.title') },
        ]}
        here={plainText(name)}
      />
      {mayFind ? (
        // Another version is another page: what was looked at and confirmed is not for it.
        <Details
          key={`${name} ${params.get('version') ?? ''}`}
          name={name}
          version={params.get('version') ?? undefined}
        />
      ) : (
        <Text>{t('find.mayNot')}</Text>
      )}
    </Stack>
  );
}

interface DetailsProps {
  readonly name: string;
  readonly version: string | undefined;
}

function Details({ name, version }: DetailsProps): ReactElement {
  const { t } = useTranslation();
  const { data, error } = usePackage({ package: name, version, prerelease: version !== undefined });
  if (data === undefined)
    return error === null ? <Text>{t('find.asking')}</Text> : <ErrorAlert error={error} />;
  const { package: found } = data;
  return (
    <>
      <div>
        <Title order={2}>{plainText(found.name ?? found.package)}</Title>
        <Text>{plainText(found.description)}</Text>
      </div>
      <ErrorAlert error={error} />
      <Facts reply={data} />
      {found.fits ? (
        <>
          <InstallPackage reply={data} />
          <PackageContent name={name} version={found.version} />
        </>
      ) : (
        <Alert color="yellow" variant="light" title={t('find.notOffered')}>
          {plainText(found.reason ?? t('find.doesNotFit'))}
        </Alert>
      )}
      <Versions reply={data} />
    </>
  );
}

function Facts({ reply }: { readonly reply: PackageReply }): ReactElement {
  const { t } = useTranslation();
  const { package: found, uses = [], license, homepage, repository } = reply;
  const rows: readonly (readonly [string, string | ReactElement | undefined])[] = [
    [t('find.package'), plainText(found.package)],
    [t('plugins.version'), plainText(found.version)],
    [t('plugins.kind'), found.kind === undefined ? undefined : t(`plugins.${found.kind}`)],
    [t('find.author'), found.author === undefined ? undefined : plainText(found.author)],
    [t('find.publisher'), found.publisher === undefined ? undefined : plainText(found.publisher)],
    [t('find.date'), found.time === undefined ? undefined : timeText(found.time)],
    [t('find.registry'), plainText(found.registry)],
    [t('find.trust'), <Trust key="trust" {...found} />],
    [t('find.uses'), usesText(uses, t('find.saysNothing'))],
    [t('find.licence'), license === undefined ? undefined : plainText(license)],
    [t('find.homepage'), linkTo(homepage)],
    [t('find.attestedSources'), linkTo(found.attested_repository)],
    [t('find.sources'), found.attested ? undefined : linkTo(repository)],
  ];
  return (
    <div>
      <Table layout="auto" w="auto" aria-label={t('find.facts')}>
        <Table.Tbody>
          {rows.map(
            ([title, value]) =>
              value !== undefined && (
                <Table.Tr key={title}>
                  <Table.Th>{title}</Table.Th>
                  <Table.Td style={{ overflowWrap: 'anywhere' }}>{value}</Table.Td>
                </Table.Tr>
              ),
          )}
        </Table.Tbody>
      </Table>
      <Text size="xs" c="dimmed">
        {t('find.usesMeans')}
      </Text>
    </div>
  );
}

const usesText = (uses: readonly string[], nothing: string): string =>
  uses.length === 0 ? nothing : uses.map(plainText).join(', ');

function linkTo(address: string | undefined): ReactElement | undefined {
  const href = linkOf(address);
  if (href === undefined) return undefined;
  return (
    <Anchor key={href} size="sm" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {href}
    </Anchor>
  );
}

function Versions({ reply }: { readonly reply: PackageReply }): ReactElement {
  const { t } = useTranslation();
  const { package: found, versions } = reply;
  return (
    <div>
      <Title order={3}>{t('find.versions')}</Title>
      <div className="wide" tabIndex={0} role="region" aria-label={t('find.versions')}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('plugins.version')}</Table.Th>
              <Table.Th>{t('find.date')}</Table.Th>
              <Table.Th>{t('find.publisher')}</Table.Th>
              <Table.Th>{t('find.fits')}</Table.Th>
              <Table.Th>{t('find.trust')}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {versions.map((one) => (
              <Table.Tr key={one.version}>
                <Table.Td>
                  <Group gap="xs" wrap="nowrap">
                    {one.version === found.version ? (
                      <Text size="sm" fw={600}>
                        {plainText(one.version)}
                      </Text>
                    ) : (
                      <Anchor component={Link} size="sm" to={`?version=${encodeURIComponent(one.version)}`}>
                        {plainText(one.version)}
                      </Anchor>
                    )}
                    {one.version === found.installed && <Text size="xs">{t('plugins.custom')}</Text>}
                  </Group>
                </Table.Td>
                <Table.Td>{one.time === undefined ? '–' : timeText(one.time)}</Table.Td>
                <Table.Td>{plainText(one.publisher ?? '–')}</Table.Td>
                <Table.Td>
                  <Fit {...one} />
                  {one.deprecated !== undefined && (
                    <Text size="xs">{t('find.deprecated', { reason: plainText(one.deprecated) })}</Text>
                  )}
                </Table.Td>
                <Table.Td>
                  <Trust {...one} isClaim />
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </div>
  );
}
