import { Button, Card, Center, Group, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import type { LoginReply } from '@tagway/schemas';
import { useState, type SyntheticEvent, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { session } from '../api/session.ts';
import { Mark } from '../shell/mark.tsx';
import { LoginProvider } from './login-provider.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';

/** What a new gateway has as the password of `admin`. */
const firstPassword = '0000';

/** The login. It does not change the address, so the user returns to the same page. */
export function Login(): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [pass, setPass] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  async function logIn(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    try {
      const { token } = await call<LoginReply>('POST', 'api/v2/login', { body: { name, pass } });
      session.begin({ token, user: name, hasFirstPassword: pass === firstPassword });
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <Center mih="100vh" p="md" component="main">
      <Card withBorder w="100%" maw={380} p="xl">
        <form onSubmit={(event) => void logIn(event)}>
          <Stack>
            <Group gap="xs">
              <Mark />
              <Title order={1}>{t('app.name')}</Title>
            </Group>
            {session.hasEnded() && <Text size="sm">{t('login.ended')}</Text>}
            <LoginProvider onError={setError} />
            <TextInput
              label={t('login.user')}
              name="username"
              autoComplete="username"
              autoFocus
              required
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
            />
            <PasswordInput
              label={t('login.password')}
              name="password"
              autoComplete="current-password"
              required
              visibilityToggleButtonProps={{ 'aria-label': t('settings.reveal') }}
              value={pass}
              onChange={(event) => setPass(event.currentTarget.value)}
            />
            <ErrorAlert error={error} />
            <Button type="submit" loading={isBusy}>
              {t('login.submit')}
            </Button>
            <Text size="xs" c="dimmed">
              {t('login.first')}
            </Text>
          </Stack>
        </form>
      </Card>
    </Center>
  );
}
