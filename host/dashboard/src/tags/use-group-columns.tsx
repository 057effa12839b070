import { ActionIcon, Anchor, Group } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { GroupRecord } from '@tagway/schemas';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { Column } from '../parts/table.tsx';
import { Isolated } from '../parts/isolated.tsx';

interface Options {
  readonly mayEdit: boolean;
  /** The path of the page with the tags of a group. */
  readonly pathOf: (group: string) => string;
  readonly onEdit: (group: GroupRecord) => void;
  readonly onDelete: (group: GroupRecord) => void;
  /** Another action, before the other two. */
  readonly more?: (group: string) => ReactElement;
}

/** The columns of a list of groups, of a driver or of a template. */
export function useGroupColumns(options: Options): readonly Column<GroupRecord>[] {
  const { mayEdit, pathOf, onEdit, onDelete, more } = options;
  const { t } = useTranslation();
  return [
    {
      key: 'name',
      title: t('tags.group'),
      order: ({ name }) => name,
      cell: ({ name }) => (
        <Anchor component={Link} to={pathOf(name)} truncate maw="min(320px, 45vw)" display="block">
          <Isolated>{name}</Isolated>
        </Anchor>
      ),
    },
    {
      key: 'interval',
      title: t('tags.interval'),
      order: ({ interval }) => interval,
      cell: ({ interval }) => interval,
    },
    {
      key: 'count',
      title: t('tags.count'),
      order: ({ tag_count: count }) => count,
      cell: ({ tag_count: count }) => count,
    },
    {
      key: 'actions',
      title: '',
      width: more === undefined ? 90 : 120,
      cell: (group) => (
        <Group gap={4} wrap="nowrap">
          {more?.(group.name)}
          <ActionIcon
            variant="subtle"
            disabled={!mayEdit}
            aria-label={t('tags.edit', { tag: group.name })}
            onClick={() => onEdit(group)}
          >
            <IconPencil size={18} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="red"
            disabled={!mayEdit}
            aria-label={t('tags.deleteOne', { name: group.name })}
            onClick={() => onDelete(group)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      ),
    },
  ];
}
