import { Alert, Anchor, Button, Card, Stack, Text, Title } from '@mantine/core';
import type { ProfileReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { usePackage, useSearch } from '../pages/plugins/directory.ts';
import { InstallPackage } from '../pages/plugins/install-package.tsx';
import { Trust } from '../pages/plugins/marks.tsx';
import { plainText } from '../pages/plugins/plain-text.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';

type Plugins = ProfileReply['profile']['plugins'];

/** A profile whose plugins are all missing: finds one of them, and installs it once it is confirmed by itself. */
export function MissingPlugin({ plugins }: { readonly plugins: Plugins }): ReactElement {
  const { t } = useTranslation();
  const ids = plugins.map(({ id }) => id);
  const [asked, setAsked] = useState<string>();
  const search = useSearch(asked === undefined ? undefined : { text: asked, page: 0, prerelease: false });
  const found = (search.data?.packages ?? []).filter(({ plugin }) => plugin === asked);
  return (
    <Alert color="yellow" variant="light" role="note" title={t('profiles.pluginMissing')}>
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{t('profiles.pluginMissingMeans', { ids: ids.join(', ') })}</Text>
        {ids.map((id) => (
          <Button
            key={id}
            variant={ids.length === 1 ? 'filled' : 'default'}
            loading={asked === id && search.isFetching}
            onClick={() => setAsked(id)}
          >
            {ids.length === 1 ? t('profiles.lookForPlugin') : `${t('profiles.lookForPlugin')}: ${id}`}
          </Button>
        ))}
        <ErrorAlert error={search.error} />
        {search.data !== undefined && !search.isFetching && found.length === 0 && (
          <Text size="sm">{t('profiles.pluginNotFound')}</Text>
        )}
        {found.map(({ package: name }) => (
          <Offer key={name} name={name} />
        ))}
      </Stack>
    </Alert>
  );
}

/** A package with the plugin, and the button that installs it with everything that speaks against it. */
function Offer({ name }: { readonly name: string }): ReactElement {
  const { t } = useTranslation();
  const { data, error } = usePackage({ package: name, version: undefined, prerelease: false });
  if (data === undefined)
    return error === null ? <Text size="sm">{t('find.asking')}</Text> : <ErrorAlert error={error} />;
  const { package: found } = data;
  return (
    <Card withBorder w="100%">
      <Stack gap="xs">
        <Title order={3}>
          <Anchor component={Link} inherit to={`/plugins/find/${encodeURIComponent(name)}`}>
            {plainText(found.package)}
          </Anchor>
        </Title>
        <Text size="sm">{plainText(found.description)}</Text>
        <Trust {...found} />
        {found.fits ? (
          <InstallPackage reply={data} />
        ) : (
          <Text size="sm">{plainText(found.reason ?? t('find.doesNotFit'))}</Text>
        )}
      </Stack>
    </Card>
  );
}
