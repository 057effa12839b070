import { NumberInput } from '@mantine/core';
import { Limits, type GroupRecord, type GroupsReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { callRevised, ifMatch, type Revised } from '../api/call.ts';
import { Dialog } from '../parts/dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { StaleSave } from '../parts/stale-save.tsx';
import type { Fields } from '../parts/three-way.ts';
import { useDraft } from '../parts/use-draft.ts';

/** What the form of a group has. */
export interface GroupFields {
  readonly name: string;
  readonly interval: number;
  readonly history: number;
}

/** Loads and saves groups that belong to a template and not to a driver. */
export interface GroupStore {
  readonly load: (name: string) => Promise<Revised<Fields | null>>;
  readonly save: (
    group: GroupFields,
    before: string | undefined,
    revision: string,
  ) => Promise<Revised<unknown>>;
}

interface Props {
  readonly node: string;
  /** The group to change; undefined for a new one. */
  readonly group: GroupRecord | undefined;
  readonly store?: GroupStore;
  readonly onClose: () => void;
  readonly onSaved: (name: string) => void;
}

/** Adds a group, or changes its name, its interval and its history. */
export function GroupForm({ node, group, store, onClose, onSaved }: Props): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState(group?.name ?? '');
  const [interval, setInterval] = useState<number | string>(group?.interval ?? Limits.intervalDefault);
  const [history, setHistory] = useState<number | string>(group?.history ?? 0);
  const draft = useDraft({
    opened: group === undefined ? null : fieldsOf(group),
    load: () => store?.load(group?.name ?? '') ?? loadGroup(node, group?.name ?? ''),
    send: async (fields, revision): Promise<Revised<unknown>> => {
      if (store !== undefined)
        return await store.save(fields as unknown as GroupFields, group?.name, revision);
      if (group === undefined)
        return await callRevised('POST', 'api/v2/group', { body: { node, ...fields } });
      const renamed = fields['name'] === group.name ? {} : { new_name: fields['name'] };
      const { interval: newInterval, history: newHistory } = fields;
      const body = { node, group: group.name, interval: newInterval, history: newHistory, ...renamed };
      return await callRevised('PUT', 'api/v2/group', { body, headers: ifMatch(revision) });
    },
    onTake: (fields) => {
      setName(fields['name'] as string);
      setInterval(fields['interval'] as number);
      setHistory(fields['history'] as number);
    },
    onSaved: (_reply, fields) => onSaved(fields['name'] as string),
  });
  return (
    <Dialog
      title={group === undefined ? t('tags.addGroup') : t('tags.edit', { tag: group.name })}
      action={t('app.save')}
      isBusy={draft.isBusy}
      isDisabled={name === ''}
      error={draft.error}
      isCovered={draft.stale !== undefined}
      onSubmit={() => void draft.save({ name, interval: Number(interval), history: Number(history) })}
      onClose={onClose}
    >
      <NameField label={t('tags.name')} value={name} onChange={setName} />
      <NumberInput
        label={t('tags.interval')}
        required
        min={Limits.intervalMin}
        max={Limits.intervalMax}
        step={100}
        value={interval}
        onChange={setInterval}
      />
      <NumberInput
        label={t('tags.history')}
        description={t('tags.historyMeaning')}
        min={0}
        max={Limits.historyMax}
        allowDecimal={false}
        value={history}
        onChange={setHistory}
      />
      <StaleSave draft={draft} labelOf={(field) => t(labels[field as keyof GroupFields])} />
    </Dialog>
  );
}

const labels = { name: 'tags.name', interval: 'tags.interval', history: 'tags.history' } as const;

export const fieldsOf = ({ name, interval, history = 0 }: GroupRecord): Fields => ({
  name,
  interval,
  history,
});

/** Loads a group; null when it is deleted or renamed. */
async function loadGroup(node: string, group: string): Promise<Revised<Fields | null>> {
  const { value, revision } = await callRevised<GroupsReply>('GET', 'api/v2/group', { query: { node } });
  const found = value.groups.find(({ name }) => name === group);
  return { value: found === undefined ? null : fieldsOf(found), revision };
}
