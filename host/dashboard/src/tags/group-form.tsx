import { Button, Group, Modal, NumberInput, Stack, TextInput } from '@mantine/core';
import { Limits, type GroupRecord } from '@tagway/schemas';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { Trouble } from '../shell/trouble.tsx';

interface Props {
  readonly node: string;
  /** The group to change; undefined for a new one. */
  readonly group: GroupRecord | undefined;
  /** Of a group that is of no driver: how it is saved instead. */
  readonly save?: (
    group: { readonly name: string; readonly interval: number },
    before: GroupRecord | undefined,
  ) => Promise<void>;
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
}

/** Adds a group, or changes its name and interval. */
export function GroupForm({ node, group, save: keep, onClose, onSaved }: Props): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState(group?.name ?? '');
  const [interval, setInterval] = useState<number | string>(group?.interval ?? Limits.intervalDefault);
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      if (keep !== undefined) {
        await keep({ name, interval: Number(interval) }, group);
      } else if (group === undefined) {
        await call('POST', 'api/v2/group', { body: { node, name, interval: Number(interval) } });
      } else {
        const renamed = name === group.name ? {} : { new_name: name };
        const body = { node, group: group.name, interval: Number(interval), ...renamed };
        await call('PUT', 'api/v2/group', { body });
      }
      onSaved(name);
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
      title={group === undefined ? t('tags.addGroup') : t('tags.edit', { tag: group.name })}
    >
      <form onSubmit={(event) => void save(event)}>
        <Stack gap="sm">
          <TextInput
            label={t('tags.name')}
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <NumberInput
            label={t('tags.interval')}
            required
            min={Limits.intervalMin}
            max={Limits.intervalMax}
            step={100}
            value={interval}
            onChange={setInterval}
          />
          <Trouble error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={name === ''}>
              {t('app.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
