import { Text } from '@mantine/core';
import type { ProfileRecord } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { Confirm } from '../parts/confirm.tsx';
import { useAction } from '../parts/use-action.ts';
import { ofProfiles } from './profile-queries.ts';

interface Props {
  readonly profile: Pick<ProfileRecord, 'id' | 'name'>;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

/** Asks before a profile is removed. */
export function RemoveProfile({ profile: { id, name }, onClose, onRemoved }: Props): ReactElement {
  const { t } = useTranslation();
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const remove = async (): Promise<void> => {
    const isDone = await run(
      () => call('DELETE', 'api/v2/profile', { body: { profile: id } }),
      t('profiles.didRemove', { name }),
    );
    onClose();
    if (isDone) onRemoved();
    await refresh(...ofProfiles);
  };
  return (
    <Confirm
      isOpen
      title={t('profiles.remove', { name })}
      action={t('profiles.remove', { name })}
      isBusy={isBusy}
      onConfirm={() => void remove()}
      onClose={onClose}
    >
      <Text size="sm">{t('profiles.removeAsk', { name })}</Text>
    </Confirm>
  );
}
