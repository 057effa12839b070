import { MultiSelect } from '@mantine/core';
import { useMemo, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useAllGroups } from '../api/tag-queries.ts';
import { referenceText } from './references.ts';

interface Props {
  readonly references: readonly string[];
  readonly onChange: (references: string[]) => void;
}

/** Picks groups of any drivers; a search finds them by a part of their names. */
export function GroupPicker({ references, onChange }: Props): ReactElement {
  const { t } = useTranslation();
  const { data: groups } = useAllGroups();
  const options = useMemo(() => {
    const all = (groups ?? []).map(({ driver, group, tag_count: count }) => ({
      value: referenceText({ node: driver, group }),
      label: `${driver} · ${group} (${count})`,
    }));
    const known = new Set(all.map(({ value }) => value));
    const gone = references.filter((reference) => !known.has(reference));
    return [...all, ...gone.map((value) => ({ value, label: decodeURIComponent(value) }))];
  }, [groups, references]);
  return (
    <MultiSelect
      label={t('live.groups')}
      placeholder={references.length === 0 ? t('live.pickGroups') : ''}
      data={options}
      value={[...references]}
      onChange={onChange}
      searchable
      clearable
      limit={100}
      nothingFoundMessage={t('app.none')}
      style={{ flex: '1 1 280px', minWidth: 0 }}
      hidePickedOptions
      // Enter takes what fits best.
      selectFirstOptionOnChange
      autoFocus={references.length === 0}
    />
  );
}
