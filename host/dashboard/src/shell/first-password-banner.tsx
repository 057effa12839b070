import { Alert, Anchor } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useSession } from '../api/session.ts';

/** The banner above every page after a login with the password that every new gateway has. */
export function FirstPasswordBanner(): ReactElement | null {
  const { t } = useTranslation();
  if (useSession()?.hasFirstPassword !== true) return null;
  return (
    <Alert color="yellow" mb="md" role="status">
      {t('login.stillFirst')}{' '}
      <Anchor component={Link} to="/users" size="sm" underline="always">
        {t('users.change')}
      </Anchor>
    </Alert>
  );
}
