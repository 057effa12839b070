import { Limits } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { useAction } from '../../parts/use-action.ts';
import { NextPassword } from './next-password.tsx';

interface Props {
  readonly name: string;
  readonly onClose: () => void;
}

/** Gives another user a new password. */
export function NewPassword({ name, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const { run, isBusy } = useAction();

  async function set(): Promise<void> {
    const isDone = await run(
      () => call('PUT', 'api/v2/users', { body: { name, new_password: password } }),
      t('users.didSet', { name }),
    );
    if (isDone) onClose();
  }

  return (
    <Dialog
      title={t('users.setPassword', { name })}
      action={t('app.save')}
      isBusy={isBusy}
      isDisabled={password.length < Limits.passwordMin}
      error={undefined}
      onSubmit={() => void set()}
      onClose={onClose}
    >
      <NextPassword value={password} onChange={setPassword} data-autofocus />
    </Dialog>
  );
}
