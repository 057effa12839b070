import { PasswordInput } from '@mantine/core';
import { Limits } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** That it is typed into first, in a dialog. */
  readonly 'data-autofocus'?: boolean;
}

/** The field of a password that is to be. */
export function NextPassword({ onChange, ...props }: Props): ReactElement {
  const { t } = useTranslation();
  return (
    <PasswordInput
      {...props}
      label={t('users.next')}
      description={t('users.passwordHelp')}
      autoComplete="new-password"
      required
      minLength={Limits.passwordMin}
      visibilityToggleButtonProps={{ 'aria-label': t('settings.reveal') }}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
