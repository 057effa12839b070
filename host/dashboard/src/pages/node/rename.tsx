import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { NameField } from '../../parts/name-field.tsx';
import { useAction } from '../../parts/use-action.ts';

interface Props {
  readonly name: string;
  readonly onClose: () => void;
}

/** Gives a node another name. */
export function RenameNode({ name, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const [next, setNext] = useState(name);
  const { run, isBusy } = useAction();
  const refresh = useRefresh();
  const navigate = useNavigate();
  const { pathname } = useLocation();

  async function rename(): Promise<void> {
    const isDone = await run(
      () => call('PUT', 'api/v2/node', { body: { name, new_name: next } }),
      t('nodes.didRename', { name, next }),
    );
    if (!isDone) return;
    onClose();
    // The page of a node has its name in the address.
    if (pathname.startsWith('/nodes/'))
      void navigate(`/nodes/${encodeURIComponent(next)}`, { replace: true });
    await refresh(['nodes'], ['node', name]);
  }

  return (
    <Dialog
      title={t('nodes.rename')}
      action={t('nodes.rename')}
      isBusy={isBusy}
      isDisabled={next === name || next === ''}
      error={undefined}
      onSubmit={() => void rename()}
      onClose={onClose}
    >
      <NameField label={t('nodes.name')} value={next} onChange={setNext} />
    </Dialog>
  );
}
