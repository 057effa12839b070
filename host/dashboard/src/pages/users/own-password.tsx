import { Button, PasswordInput, Stack, Title } from '@mantine/core';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../../api/call.ts';
import { useSession } from '../../api/session.ts';
import { useAction } from '../../parts/use-action.ts';
import { NextPassword } from './next-password.tsx';

/** Changes the password of the user who is logged in. */
export function OwnPassword(): ReactElement {
  const { t } = useTranslation();
  const name = useSession()?.user ?? '';
  const [old, setOld] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const { run, isBusy } = useAction();
  const differ = again !== '' && again !== next;

  async function change(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (again !== next) return;
    const isDone = await run(
      () => call('POST', 'api/v2/password', { body: { name, old_pass: old, new_pass: next } }),
      t('users.didChange'),
    );
    if (!isDone) return;
    setOld('');
    setNext('');
    setAgain('');
  }

  const reveal = { 'aria-label': t('settings.reveal') };
  return (
    <form onSubmit={(event) => void change(event)}>
      <Stack maw={380}>
        <Title order={2}>{t('users.mine')}</Title>
        <input type="text" name="username" autoComplete="username" value={name} readOnly hidden />
        <PasswordInput
          label={t('users.old')}
          autoComplete="current-password"
          required
          value={old}
          visibilityToggleButtonProps={reveal}
          onChange={(event) => setOld(event.currentTarget.value)}
        />
        <NextPassword value={next} onChange={setNext} />
        <PasswordInput
          label={t('users.again')}
          autoComplete="new-password"
          required
          error={differ ? t('users.differ') : undefined}
          value={again}
          visibilityToggleButtonProps={reveal}
          onChange={(event) => setAgain(event.currentTarget.value)}
        />
        <Button type="submit" loading={isBusy} disabled={differ} style={{ alignSelf: 'flex-start' }}>
          {t('users.change')}
        </Button>
      </Stack>
    </form>
  );
}
