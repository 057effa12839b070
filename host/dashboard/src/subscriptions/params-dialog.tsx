import { Textarea, TextInput } from '@mantine/core';
import type { Params } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Revised } from '../api/call.ts';
import { Dialog } from '../parts/dialog.tsx';
import { StaleSave } from '../parts/stale-save.tsx';
import type { Fields } from '../parts/three-way.ts';
import { useDraft } from '../parts/use-draft.ts';
import { Preview } from './preview.tsx';

interface Props {
  readonly title: string;
  /** The parameters of the subscription to change; null for new ones. */
  readonly params: Params | null;
  readonly action: string;
  readonly app: string;
  /** The group for the preview; the first one of several. */
  readonly of: { readonly driver: string; readonly group: string } | undefined;
  readonly onClose: () => void;
  /** Loads the saved parameters; null when the subscription is deleted. */
  readonly load: () => Promise<Revised<Fields | null>>;
  /** Rejects when the gateway refuses; then the dialog stays open. */
  readonly onSave: (params: Params | undefined, revision: string) => Promise<Revised<unknown>>;
  readonly onSaved: () => void;
}

/** The parameters of subscriptions: the topic, and other ones that the plugin takes. */
export function ParamsDialog({
  title,
  params,
  action,
  app,
  of,
  onClose,
  load,
  onSave,
  onSaved,
}: Props): ReactElement {
  const { t } = useTranslation();
  const [topic, setTopic] = useState(topicOf(params ?? {}));
  const [more, setMore] = useState(moreOf(params ?? {}));
  const further = objectFrom(more);
  const all = further && { ...further, ...(topic !== '' && { topic }) };
  const draft = useDraft({
    opened: params,
    load,
    send: (fields, revision) =>
      onSave(Object.keys(fields).length === 0 ? undefined : (fields as Params), revision),
    onTake: (fields) => {
      setTopic(topicOf(fields));
      setMore(moreOf(fields));
    },
    onSaved,
  });
  return (
    <Dialog
      size="lg"
      title={title}
      action={action}
      isBusy={draft.isBusy}
      isDisabled={further === undefined}
      error={draft.error}
      isCovered={draft.stale !== undefined}
      onSubmit={() => void draft.save(all ?? {})}
      onClose={onClose}
    >
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
      <StaleSave draft={draft} labelOf={(field) => (field === 'topic' ? t('subscriptions.topic') : field)} />
    </Dialog>
  );
}

const topicOf = ({ topic }: Fields): string => (typeof topic === 'string' ? topic : '');

function moreOf({ topic: _, ...others }: Fields): string {
  return Object.keys(others).length === 0 ? '' : JSON.stringify(others, null, 2);
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
