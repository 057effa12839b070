import { Stack, Text, Title } from '@mantine/core';
import type { SignInSettings } from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { useMay } from '../api/use-role.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { addTexts } from '../texts/index.ts';
import * as texts from '../texts/sign-in.ts';
import { WayForm } from './sign-in/way-form.tsx';
import { ldapFields, oidcFields } from './sign-in/fields.ts';

addTexts(texts);

/** Where users are kept beside the gateway. */
export default function SignIn(): ReactElement {
  const { t } = useTranslation();
  const mayChange = useMay('admin');
  return (
    <Stack>
      <Title order={2}>{t('signIn.title')}</Title>
      {mayChange ? <Ways /> : <Text>{t('signIn.mayNot')}</Text>}
    </Stack>
  );
}

function Ways(): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { data, error } = useQuery({
    queryKey: ['sign-in', 'settings'],
    queryFn: () => call<SignInSettings>('GET', 'api/v2/sign-in/settings'),
  });
  const store = async (changed: SignInSettings): Promise<void> => {
    await call('PUT', 'api/v2/sign-in/settings', { body: changed });
    await refresh(['sign-in']);
  };
  return (
    <Stack maw={760}>
      <Text size="sm">{t('signIn.meaning')}</Text>
      <ErrorAlert error={error} />
      {data !== undefined && (
        <>
          <WayForm
            key={`ldap ${JSON.stringify(data.ldap)}`}
            way="ldap"
            fields={ldapFields}
            stored={data.ldap}
            onStore={({ ldap, ...more }) => store({ ...data, ...more, ...(ldap && { ldap }) })}
            onRemove={() => store({ ...(data.oidc && { oidc: data.oidc }) })}
          />
          <WayForm
            key={`oidc ${JSON.stringify(data.oidc)}`}
            way="oidc"
            fields={oidcFields}
            stored={data.oidc}
            onStore={({ oidc, ...more }) => store({ ...data, ...more, ...(oidc && { oidc }) })}
            onRemove={() => store({ ...(data.ldap && { ldap: data.ldap }) })}
          />
        </>
      )}
    </Stack>
  );
}
