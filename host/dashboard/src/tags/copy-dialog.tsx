import { Button, Group, Modal, NativeSelect, Stack, TextInput } from '@mantine/core';
import type { GroupRecord, TagRecord } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { Trouble } from '../shell/trouble.tsx';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly groups: readonly GroupRecord[];
  readonly tags: readonly TagRecord[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Copies tags into a group of the same driver, with another ending of their names and other addresses where wanted. */
export function CopyDialog({ node, group, groups, tags, onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const [target, setTarget] = useState(group);
  const [suffix, setSuffix] = useState('_copy');
  const [find, setFind] = useState('');
  const [replace, setReplace] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  async function copy(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const copies = tags.map((tag) => ({
        ...tag,
        name: `${tag.name}${suffix}`,
        address: find === '' ? tag.address : tag.address.replaceAll(find, replace),
      }));
      // Several groups are added all or nothing; one is no different.
      const interval = groups.find(({ name }) => name === target)?.interval;
      await call('POST', 'api/v2/gtags', {
        body: { node, groups: [{ group: target, interval, tags: copies }] },
      });
      onDone();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      closeButtonProps={{ 'aria-label': t('app.close') }}
      title={t('tags.copyTitle', { count: tags.length })}
    >
      <Stack gap="sm">
        <NativeSelect
          label={t('tags.target')}
          data={groups.map(({ name }) => name)}
          value={target}
          onChange={(event) => setTarget(event.currentTarget.value)}
        />
        <TextInput
          label={t('tags.suffix')}
          value={suffix}
          onChange={(event) => setSuffix(event.currentTarget.value)}
        />
        <Group grow>
          <TextInput
            label={t('tags.findInAddress')}
            value={find}
            onChange={(event) => setFind(event.currentTarget.value)}
          />
          <TextInput
            label={t('tags.replaceBy')}
            value={replace}
            onChange={(event) => setReplace(event.currentTarget.value)}
          />
        </Group>
        <Trouble error={error} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('app.cancel')}
          </Button>
          <Button loading={isBusy} onClick={() => void copy()}>
            {t('tags.copy')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
