import { Text, UnstyledButton } from '@mantine/core';
import { type TagRecord, dataTypeName } from '@tagway/schemas';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { selectColumn } from '../parts/select-column.tsx';
import type { Column } from '../parts/table.tsx';
import { attributeText } from './tag-text.ts';
import { Isolated } from '../parts/isolated.tsx';

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
    return [
      selectColumn({
        t,
        shown,
        selected,
        setSelected,
        keyOf: ({ name }) => name,
        nameOf: ({ name }) => name,
      }),
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
              <Isolated>{tag.name}</Isolated>
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
            <Isolated>{address}</Isolated>
          </Text>
        ),
      },
      {
        key: 'type',
        title: t('tags.type'),
        order: ({ type }) => dataTypeName(type),
        cell: ({ type }) => dataTypeName(type),
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
        isLeftOut: true,
        title: t('tags.decimal'),
        order: ({ decimal }) => decimal,
        cell: ({ decimal }) => decimal || '',
      },
      {
        key: 'bias',
        isLeftOut: true,
        title: t('tags.bias'),
        order: ({ bias }) => bias,
        cell: ({ bias }) => bias || '',
      },
      {
        key: 'description',
        isLeftOut: true,
        title: t('tags.description'),
        order: ({ description }) => description,
        cell: ({ description }) => (
          <Text size="sm" truncate maw={260}>
            <Isolated>{description}</Isolated>
          </Text>
        ),
      },
    ];
  }, [t, shown, selected, setSelected, edit, mayEdit]);
}
