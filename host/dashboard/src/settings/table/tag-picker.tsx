import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { formatReference } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useTagSearch } from '../../api/tag-search.ts';

interface Props {
  readonly label: string;
  /** Called with the reference of a tag. */
  readonly onPick: (reference: string) => void;
}

/** Finds a tag of any driver by words of its node, group, name or description. */
export function TagPicker({ label, onPick }: Props): ReactElement {
  const { t } = useTranslation();
  const [text, setText] = useState('');
  const [asked] = useDebouncedValue(text.trim(), 150);
  const { data } = useTagSearch(asked);
  const found = asked === '' ? [] : (data?.tags ?? []);
  const options = new Map(
    found.map(({ node, group, name }) => [
      formatReference({ node, group, tag: name }),
      `${node} / ${group} / ${name}`,
    ]),
  );
  return (
    <Select
      aria-label={label}
      placeholder={label}
      data={Array.from(options, ([value, shown]) => ({ value, label: shown }))}
      value={null}
      searchable
      searchValue={text}
      onSearchChange={setText}
      // The gateway has searched already.
      filter={({ options: all }) => all}
      selectFirstOptionOnChange
      nothingFoundMessage={asked === '' ? t('table.writeWords') : t('app.none')}
      onChange={(reference) => {
        if (reference === null) return;
        onPick(reference);
        setText('');
      }}
      w={260}
    />
  );
}
