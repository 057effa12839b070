import { Group, NativeSelect, TextInput } from '@mantine/core';
import type { GroupRecord, TagRecord } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../parts/dialog.tsx';
import { useSending } from '../parts/use-sending.ts';
import { applyTags } from './apply.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly groups: readonly GroupRecord[];
  readonly tags: readonly TagRecord[];
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Copies tags into a group of the same driver, with a suffix on their names and a replacement in their addresses. */
export function CopyDialog({ node, group, groups, tags, onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const [target, setTarget] = useState(group);
  const [suffix, setSuffix] = useState('_copy');
  const [find, setFind] = useState('');
  const [replace, setReplace] = useState('');
  const { isBusy, error, run } = useSending();

  const copy = (): Promise<void> =>
    run(async () => {
      const copies = tags.map((tag) => ({
        ...tag,
        name: `${tag.name}${suffix}`,
        address: find === '' ? tag.address : tag.address.replaceAll(find, replace),
      }));
      await applyTags({ node, group: target, tags: copies, mode: 'add' });
      onDone();
    });

  return (
    <Dialog
      title={t('tags.copyTitle', { count: tags.length })}
      action={t('tags.copy')}
      isBusy={isBusy}
      error={error}
      onSubmit={() => void copy()}
      onClose={onClose}
    >
      <NativeSelect
        label={t('tags.target')}
        data={groups.map(({ name }) => name)}
        value={target}
        onChange={(event) => setTarget(event.currentTarget.value)}
      />
      <TextInput
        label={t('tags.suffix')}
        data-autofocus
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
    </Dialog>
  );
}
