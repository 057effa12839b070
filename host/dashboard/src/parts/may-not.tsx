import { Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useIsLocked } from '../api/use-configure.ts';
import { useMay } from '../api/use-role.ts';

/** Why something cannot be changed here: because the configuration is changed at its source, or by what `role` says of the user. */
export function MayNot({ role }: { readonly role: string }): ReactElement {
  const { t } = useTranslation();
  const isEngineer = useMay('engineer');
  const isLocked = useIsLocked();
  return <Text size="sm">{isLocked && isEngineer ? t('source.mayNot') : role}</Text>;
}
