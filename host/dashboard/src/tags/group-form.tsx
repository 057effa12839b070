import { NativeSelect, NumberInput, SimpleGrid } from '@mantine/core';
import {
  Limits,
  type GroupPace,
  type GroupRecord,
  type GroupReport,
  type GroupsReply,
} from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { callRevised, ifMatch, type Revised } from '../api/call.ts';
import { Dialog } from '../parts/dialog.tsx';
import { NameField } from '../parts/name-field.tsx';
import { StaleSave } from '../parts/stale-save.tsx';
import type { Fields } from '../parts/three-way.ts';
import { useDraft } from '../parts/use-draft.ts';
import { groupReports, wholePace } from './group-pace.ts';

/** What the form of a group has. */
export interface GroupFields extends Required<GroupPace> {
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

/** Adds a group, or changes its name, its interval, its history and when apps get reports of it. */
export function GroupForm({ node, group, store, onClose, onSaved }: Props): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState(group?.name ?? '');
  const [interval, setInterval] = useState<number | string>(group?.interval ?? Limits.intervalDefault);
  const [history, setHistory] = useState<number | string>(group?.history ?? 0);
  const [pace, setPace] = useState(wholePace(group ?? {}));
  const draft = useDraft({
    opened: group === undefined ? null : fieldsOf(group),
    load: () => store?.load(group?.name ?? '') ?? loadGroup(node, group?.name ?? ''),
    send: async (fields, revision): Promise<Revised<unknown>> => {
      if (store !== undefined)
        return await store.save(fields as unknown as GroupFields, group?.name, revision);
      if (group === undefined)
        return await callRevised('POST', 'api/v2/group', { body: { node, ...fields } });
      const { name: newName, ...others } = fields;
      const renamed = newName === group.name ? {} : { new_name: newName };
      const body = { node, group: group.name, ...others, ...renamed };
      return await callRevised('PUT', 'api/v2/group', { body, headers: ifMatch(revision) });
    },
    onTake: (fields) => {
      setName(fields['name'] as string);
      setInterval(fields['interval'] as number);
      setHistory(fields['history'] as number);
      setPace(wholePace(fields));
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
      onSubmit={() =>
        void draft.save({ name, interval: Number(interval), history: Number(history), ...pace })
      }
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
      <NativeSelect
        label={t('tags.report')}
        data={groupReports.map((value) => ({ value, label: t(`tags.reports.${value}`) }))}
        value={pace.report}
        onChange={(event) => setPace({ ...pace, report: reportFrom(event.currentTarget.value) })}
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        {(['min_interval', 'max_interval'] as const).map((field) => (
          <NumberInput
            key={field}
            label={t(`tags.${field}`)}
            min={0}
            max={Limits.intervalMax}
            step={100}
            value={pace[field]}
            onChange={(value) => setPace({ ...pace, [field]: Number(value) })}
          />
        ))}
      </SimpleGrid>
      <StaleSave draft={draft} labelOf={(field) => t(`tags.${field as keyof GroupFields}`)} />
    </Dialog>
  );
}

const reportFrom = (text: string): GroupReport => groupReports.find((report) => report === text) ?? 'default';

export const fieldsOf = ({ name, interval, history = 0, ...pace }: GroupRecord): Fields => ({
  name,
  interval,
  history,
  ...wholePace(pace),
});

/** Loads a group; null when it is deleted or renamed. */
async function loadGroup(node: string, group: string): Promise<Revised<Fields | null>> {
  const { value, revision } = await callRevised<GroupsReply>('GET', 'api/v2/group', { query: { node } });
  const found = value.groups.find(({ name }) => name === group);
  return { value: found === undefined ? null : fieldsOf(found), revision };
}
