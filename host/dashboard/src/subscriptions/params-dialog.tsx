import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import type { Params } from '@tagway/schemas';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Trouble } from '../shell/trouble.tsx';

interface Props {
  readonly title: string;
  readonly params: Params;
  readonly action: string;
  readonly onClose: () => void;
  /** Rejects when the gateway refuses; what was typed stays then. */
  readonly onSave: (params: Params | undefined) => Promise<void>;
}

/** The parameters of subscriptions: the topic, and whatever else a plugin takes. */
export function ParamsDialog({ title, params, action, onClose, onSave }: Props): ReactElement {
  const { t } = useTranslation();
  const { topic: known, ...others } = params;
  const [topic, setTopic] = useState(typeof known === 'string' ? known : '');
  const [more, setMore] = useState(Object.keys(others).length === 0 ? '' : JSON.stringify(others, null, 2));
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const further = objectFrom(more);

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (further === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      const all = { ...further, ...(topic !== '' && { topic }) };
      await onSave(Object.keys(all).length === 0 ? undefined : all);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('app.close') }}>
      <form onSubmit={(event) => void save(event)}>
        <Stack gap="sm">
          <TextInput
            label={t('subscriptions.topic')}
            description={t('subscriptions.topicHint')}
            data-autofocus
            value={topic}
            onChange={(event) => setTopic(event.currentTarget.value)}
          />
          <Textarea
            label={t('subscriptions.more')}
            rows={3}
            spellCheck={false}
            value={more}
            error={further === undefined ? t('subscriptions.badJson') : undefined}
            onChange={(event) => setMore(event.currentTarget.value)}
          />
          <Trouble error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={further === undefined}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function objectFrom(text: string): Params | undefined {
  if (text.trim() === '') return {};
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Params)
      : undefined;
  } catch {
    return undefined;
  }
}
