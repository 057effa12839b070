import { Text } from '@mantine/core';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { useAction } from '../../parts/use-action.ts';

interface Props {
  readonly name: string;
  readonly onClose: () => void;
}

/** Copies a node, and shows the settings of the copy, which has to differ in its address before it is started. */
export function CloneNode({ name, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [copy, setCopy] = useState<string>(t('nodes.copyName', { name }));
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();

  async function clone(): Promise<void> {
    const isDone = await run(
      () => call('POST', 'api/v2/node/clone', { body: { name, new_name: copy } }),
      t('nodes.didClone', { name, copy }),
    );
    if (!isDone) return;
    onClose();
    await refresh(['nodes']);
    void navigate(`/nodes/${encodeURIComponent(copy)}/settings`);
  }

  return (
    <Dialog
      title={t('nodes.cloneTitle', { name })}
      action={t('nodes.clone')}
      isBusy={isBusy}
      isDisabled={copy === ''}
      error={undefined}
      onSubmit={() => void clone()}
      onClose={onClose}
    >
      <NameField label={t('nodes.name')} value={copy} onChange={setCopy} />
      <Text size="sm">{t('nodes.cloneNote')}</Text>
    </Dialog>
  );
}
