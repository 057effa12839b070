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

/** Loads and saves groups that belong to a template and not to a driver. */
export interface GroupStore {
  readonly load: (name: string) => Promise<Revised<Fields | null>>;
  readonly save: (
    group: { readonly name: string; readonly interval: number },
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

/** Adds a group, or changes its name and interval. */
export function GroupForm({ node, group, store, onClose, onSaved }: Props): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState(group?.name ?? '');
  const [interval, setInterval] = useState<number | string>(group?.interval ?? Limits.intervalDefault);
  const draft = useDraft({
    opened: group === undefined ? null : fieldsOf(group),
    load: () => store?.load(group?.name ?? '') ?? loadGroup(node, group?.name ?? ''),
    send: async (fields, revision): Promise<Revised<unknown>> => {
      if (store !== undefined)
        return await store.save(fields as { name: string; interval: number }, group?.name, revision);
      if (group === undefined)
        return await callRevised('POST', 'api/v2/group', { body: { node, ...fields } });
      const renamed = fields['name'] === group.name ? {} : { new_name: fields['name'] };
      const body = { node, group: group.name, interval: fields['interval'], ...renamed };
      return await callRevised('PUT', 'api/v2/group', { body, headers: ifMatch(revision) });
    },
    onTake: (fields) => {
      setName(fields['name'] as string);
      setInterval(fields['interval'] as number);
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
      onSubmit={() => void draft.save({ name, interval: Number(interval) })}
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
      <StaleSave draft={draft} labelOf={(field) => t(field === 'interval' ? 'tags.interval' : 'tags.name')} />
    </Dialog>
  );
}

export const fieldsOf = ({ name, interval }: GroupRecord): Fields => ({ name, interval });

/** Loads a group; null when it is deleted or renamed. */
async function loadGroup(node: string, group: string): Promise<Revised<Fields | null>> {
  const { value, revision } = await callRevised<GroupsReply>('GET', 'api/v2/group', { query: { node } });
  const found = value.groups.find(({ name }) => name === group);
  return { value: found === undefined ? null : fieldsOf(found), revision };
}
