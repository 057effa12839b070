import { Checkbox, Text, UnstyledButton } from '@mantine/core';
import type { TagRecord } from '@tagway/schemas';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import type { Column } from '../parts/table.tsx';
import { typeName } from '../values/data-types.ts';
import { attributeText } from './tag-text.ts';

interface Options {
  readonly shown: readonly TagRecord[];
  readonly selected: ReadonlySet<string>;
  readonly setSelected: (names: ReadonlySet<string>) => void;
  readonly edit: (tag: TagRecord) => void;
  readonly mayEdit: boolean;
}

export function useTagColumns({
  shown,
  selected,
  setSelected,
  edit,
  mayEdit,
}: Options): readonly Column<TagRecord>[] {
  const { t } = useTranslation();
  return useMemo(() => {
    const isAll = shown.length > 0 && shown.every(({ name }) => selected.has(name));
    return [
      {
        key: 'select',
        title: (
          <Checkbox
            size="xs"
            aria-label={t('tags.selectAll')}
            checked={isAll}
            indeterminate={!isAll && selected.size > 0}
            onChange={() => setSelected(new Set(isAll ? [] : shown.map(({ name }) => name)))}
          />
        ),
        width: 40,
        cell: ({ name }) => (
          <Checkbox
            size="xs"
            aria-label={t('tags.select', { name })}
            checked={selected.has(name)}
            onChange={() => {
              const next = new Set(selected);
              if (!next.delete(name)) next.add(name);
              setSelected(next);
            }}
          />
        ),
      },
      {
        key: 'name',
        title: t('tags.name'),
        order: ({ name }) => name,
        cell: (tag) => (
          <UnstyledButton
            display="block"
            c="var(--mantine-color-anchor)"
            fz="sm"
            disabled={!mayEdit}
            aria-label={t('tags.edit', { tag: tag.name })}
            onClick={() => edit(tag)}
          >
            <Text size="sm" truncate maw={280}>
              {tag.name}
            </Text>
          </UnstyledButton>
        ),
      },
      {
        key: 'address',
        title: t('tags.address'),
        order: ({ address }) => address,
        cell: ({ address }) => (
          <Text size="sm" ff="monospace" truncate maw={220}>
            {address}
          </Text>
        ),
      },
      {
        key: 'type',
        title: t('tags.type'),
        order: ({ type }) => typeName(type),
        cell: ({ type }) => typeName(type),
      },
      {
        key: 'attribute',
        title: t('tags.attribute'),
        order: ({ attribute }) => attribute,
        cell: ({ attribute }) => (
          <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
            {attributeText(attribute)}
          </Text>
        ),
      },
      {
        key: 'decimal',
        title: t('tags.decimal'),
        order: ({ decimal }) => decimal,
        cell: ({ decimal }) => decimal || '',
      },
      { key: 'bias', title: t('tags.bias'), order: ({ bias }) => bias, cell: ({ bias }) => bias || '' },
      {
        key: 'description',
        title: t('tags.description'),
        order: ({ description }) => description,
        cell: ({ description }) => (
          <Text size="sm" truncate maw={260}>
            {description}
          </Text>
        ),
      },
    ];
  }, [t, shown, selected, setSelected, edit, mayEdit]);
}
