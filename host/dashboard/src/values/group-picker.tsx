import { MultiSelect } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useAllGroups } from '../api/tag-queries.ts';

/** A group of a driver. */
export interface GroupPlace {
  readonly node: string;
  readonly group: string;
}

/** A group in the page's address: names hold any sign, so they are encoded each for itself. */
export const placeText = ({ node, group }: GroupPlace): string =>
  `${encodeURIComponent(node)}/${encodeURIComponent(group)}`;

export function placeFrom(text: string): GroupPlace[] {
  try {
    const [node = '', group = ''] = text.split('/').map(decodeURIComponent);
    return node === '' || group === '' ? [] : [{ node, group }];
  } catch {
    return [];
  }
}

interface Props {
  readonly places: readonly string[];
  readonly onChange: (places: string[]) => void;
}

/** Picks groups of any drivers by a part of their names. */
export function GroupPicker({ places, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const { data: groups } = useAllGroups();
  const options = useMemo(() => {
    const all = (groups ?? []).map(({ driver, group, tag_count: count }) => ({
      value: placeText({ node: driver, group }),
      label: `${driver} · ${group} (${count})`,
    }));
    const known = new Set(all.map(({ value }) => value));
    const gone = places.filter((place) => !known.has(place));
    return [...all, ...gone.map((value) => ({ value, label: decodeURIComponent(value) }))];
  }, [groups, places]);
  return (
    <MultiSelect
      label={t('live.groups')}
      placeholder={places.length === 0 ? t('live.pickGroups') : ''}
      data={options}
      value={[...places]}
      onChange={onChange}
      searchable
      clearable
      limit={100}
      nothingFoundMessage={t('app.none')}
      style={{ flex: '1 1 280px', minWidth: 0 }}
      hidePickedOptions
    />
  );
}
