import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import type { Params } from '@tagway/schemas';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { Trouble } from '../shell/trouble.tsx';
import { Preview } from './preview.tsx';

interface Props {
  readonly title: string;
  readonly params: Params;
  readonly action: string;
  readonly app: string;
  /** The group whose next message is shown, of several the first. */
  readonly of: { readonly driver: string; readonly group: string } | undefined;
  readonly onClose: () => void;
  /** Rejects when the gateway refuses; what was typed stays then. */
  readonly onSave: (params: Params | undefined) => Promise<void>;
}

/** The parameters of subscriptions: the topic, and whatever else a plugin takes. */
export function ParamsDialog({ title, params, action, app, of, onClose, onSave }: Props): ReactElement {
  const { t } = useTranslation();
  const { topic: known, ...others } = params;
  const [topic, setTopic] = useState(typeof known === 'string' ? known : '');
  const [more, setMore] = useState(Object.keys(others).length === 0 ? '' : JSON.stringify(others, null, 2));
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const further = objectFrom(more);
  const all = further && { ...further, ...(topic !== '' && { topic }) };

  async function save(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    if (all === undefined) return;
    setBusy(true);
    setError(undefined);
    try {
      await onSave(Object.keys(all).length === 0 ? undefined : all);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }

  return (
    <Modal
      opened
      size="lg"
      onClose={onClose}
      title={title}
      closeButtonProps={{ 'aria-label': t('app.close') }}
    >
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
          {of !== undefined && <Preview app={app} driver={of.driver} group={of.group} params={all} />}
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
