import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core';
import { Limits } from '@tagway/schemas';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useAction } from '../../parts/use-action.ts';

interface Props {
  readonly name: string;
  readonly onClose: () => void;
}

/** Gives another user a new password. */
export function NewPassword({ name, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [password, setPassword] = useState('');
  const { run, isBusy } = useAction();

  async function set(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    const isDone = await run(
      () => call('PUT', 'api/v2/users', { body: { name, new_password: password } }),
      t('users.didSet', { name }),
    );
    if (isDone) onClose();
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={t('users.setPassword', { name })}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <form onSubmit={(event) => void set(event)}>
        <Stack>
          <PasswordInput
            label={t('users.next')}
            description={t('users.passwordHelp')}
            autoComplete="new-password"
            required
            minLength={Limits.passwordMin}
            data-autofocus
            value={password}
            visibilityToggleButtonProps={{ 'aria-label': t('settings.reveal') }}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {t('app.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
