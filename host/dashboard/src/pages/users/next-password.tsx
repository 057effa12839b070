import { PasswordInput } from '@mantine/core';
import { Limits } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';

interface Props {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Gives the field the focus when a dialog opens. */
  readonly 'data-autofocus'?: boolean;
}

/** The field for a new password. */
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
