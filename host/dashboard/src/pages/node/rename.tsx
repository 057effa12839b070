import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation, useNavigate } from 'react-router';
import { call } from '../../api/call.ts';
import { useRefresh } from '../../api/queries.ts';
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

  async function rename(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
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
    <Modal
      opened
      onClose={onClose}
      title={t('nodes.rename')}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
      <form onSubmit={(event) => void rename(event)}>
        <Stack>
          <TextInput
            label={t('nodes.name')}
            value={next}
            required
            data-autofocus
            onChange={(event) => setNext(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={next === name}>
              {t('nodes.rename')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
