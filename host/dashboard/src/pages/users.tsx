import { Stack, Text, Title } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsOwnUser, useMay } from '../api/use-role.ts';
import { OwnPassword } from './users/own-password.tsx';
import { Tokens } from './users/tokens.tsx';
import { UserList } from './users/user-list.tsx';

/** The user's own password; for admins also all users and the tokens of machines. */
export default function Users(): ReactElement {
  const { t } = useTranslation();
  const isAdmin = useMay('admin');
  const isOwn = useIsOwnUser();
  return (
    <Stack gap="xl">
      {isOwn ? (
        <OwnPassword />
      ) : (
        <Stack>
          <Title order={2}>{t('users.mine')}</Title>
          <Text size="sm">{t('users.outside')}</Text>
        </Stack>
      )}
      {isAdmin && (
        <Stack>
          <Title order={2}>{t('users.all')}</Title>
          <UserList />
        </Stack>
      )}
      {isAdmin && (
        <Stack>
          <Title order={2}>{t('tokens.title')}</Title>
          <Text size="sm">{t('tokens.meaning')}</Text>
          <Tokens />
        </Stack>
      )}
    </Stack>
  );
}
