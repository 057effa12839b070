import { Alert, Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import type { TagRecord } from '@tagway/schemas';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useConnection } from '../live/use-live.ts';
import { Trouble } from '../shell/trouble.tsx';
import { ValueCell } from './cells.tsx';
import { typeName } from './data-types.ts';
import { writtenValue } from './written-value.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly tag: TagRecord;
  readonly onClose: () => void;
}

/** Writes one tag and says what the device has answered. Nothing waits to be written later. */
export function WriteDialog({ node, group, tag, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const { state } = useConnection();
  const [text, setText] = useState('');
  const [confirmed, setConfirmed] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const written = writtenValue(text, tag);
  const problem =
    text === '' || 'value' in written
      ? undefined
      : t(`live.bad.${written.problem}`, { limit: written.limit });

  async function write(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (!('value' in written)) return;
    setBusy(true);
    setError(undefined);
    setConfirmed(undefined);
    try {
      const body = { node, group, tag: tag.name, value: written.value };
      await call('POST', 'api/v2/write', { body });
      setConfirmed(text);
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
      title={t('live.writeTo', { tag: tag.name })}
    >
      <form onSubmit={(event) => void write(event)}>
        <Stack>
          <Text size="sm" c="dimmed">
            {node} · {group} · {tag.address} · {typeName(tag.type)}
          </Text>
          <Group gap="xs">
            <Text size="sm">{t('live.now')}</Text>
            <ValueCell node={node} group={group} name={tag.name} type={tag.type} base="decimal" />
          </Group>
          <TextInput
            label={t('live.newValue')}
            data-autofocus
            value={text}
            error={problem}
            onChange={(event) => {
              setText(event.currentTarget.value);
              setConfirmed(undefined);
            }}
          />
          <Trouble error={error} />
          {confirmed !== undefined && (
            <Alert color="teal" role="status">
              {t('live.confirmed', { value: confirmed })}
            </Alert>
          )}
          {state === 'lost' && <Alert color="red">{t('live.writeLost')}</Alert>}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.close')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={!('value' in written) || state === 'lost'}>
              {t('live.write')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
