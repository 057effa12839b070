import { Alert, Group, Text, TextInput } from '@mantine/core';
import { type TagRecord, dataTypeName } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useConnection } from '../live/use-live.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useSending } from '../parts/use-sending.ts';
import { ValueCell } from './cells.tsx';
import { writtenValue } from './written-value.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly tag: TagRecord;
  readonly onClose: () => void;
}

/** Writes one tag and shows the device's answer. A write that cannot be sent is not queued. */
export function WriteDialog({ node, group, tag, onClose }: Props): ReactElement {
  const { t } = useTranslation();
  const { state } = useConnection();
  const [text, setText] = useState('');
  const [confirmed, setConfirmed] = useState<string>();
  const { isBusy, error, run } = useSending();
  const written = writtenValue(text, tag);
  const problem =
    text === '' || 'value' in written
      ? undefined
      : t(`live.bad.${written.problem}`, { limit: written.limit });

  const write = (): Promise<void> =>
    run(async () => {
      if (!('value' in written)) return;
      setConfirmed(undefined);
      await call('POST', 'api/v2/write', { body: { node, group, tag: tag.name, value: written.value } });
      setConfirmed(text);
    });

  return (
    <Dialog
      title={t('live.writeTo', { tag: tag.name })}
      action={t('live.write')}
      cancel={t('app.close')}
      isBusy={isBusy}
      isDisabled={!('value' in written) || state === 'lost'}
      error={error}
      onSubmit={() => void write()}
      onClose={onClose}
    >
      <Text size="sm" c="dimmed">
        {node} · {group} · {tag.address} · {dataTypeName(tag.type)}
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
      {confirmed !== undefined && (
        <Alert color="teal" role="status">
          {t('live.confirmed', { value: confirmed })}
        </Alert>
      )}
      {state === 'lost' && <Alert color="red">{t('live.writeLost')}</Alert>}
    </Dialog>
  );
}
