import { Checkbox } from '@mantine/core';
import type { TFunction } from 'i18next';
import type { Column } from './table.tsx';

interface Options<Row> {
  readonly t: TFunction;
  /** The rows that match the filter; the checkbox of the title selects them all. */
  readonly shown: readonly Row[];
  readonly selected: ReadonlySet<string>;
  readonly setSelected: (keys: ReadonlySet<string>) => void;
  readonly keyOf: (row: Row) => string;
  readonly nameOf: (row: Row) => string;
}

/** The column with the checkboxes that select rows of a table. */
export function selectColumn<Row>(options: Options<Row>): Column<Row> {
  const { t, shown, selected, setSelected, keyOf, nameOf } = options;
  const isAll = shown.length > 0 && shown.every((row) => selected.has(keyOf(row)));
  return {
    key: 'select',
    title: (
      <Checkbox
        size="xs"
        aria-label={t('tags.selectAll')}
        checked={isAll}
        indeterminate={!isAll && selected.size > 0}
        onChange={() => setSelected(new Set(isAll ? [] : shown.map(keyOf)))}
      />
    ),
    width: 40,
    cell: (row) => (
      <Checkbox
        size="xs"
        aria-label={t('tags.select', { name: nameOf(row) })}
        checked={selected.has(keyOf(row))}
        onChange={() => {
          const next = new Set(selected);
          if (!next.delete(keyOf(row))) next.add(keyOf(row));
          setSelected(next);
        }}
      />
    ),
  };
}
