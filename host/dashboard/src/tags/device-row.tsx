import { ActionIcon, Badge, Button, Checkbox, Group, Loader, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeviceEntry } from './device-tree.ts';
import type { DeviceTree, TreeRow } from './use-device-tree.ts';
import { Isolated } from '../parts/isolated.tsx';

interface Props {
  readonly row: TreeRow;
  readonly tree: DeviceTree;
  readonly picked: ReadonlyMap<string, DeviceEntry>;
  /** Addresses of tags that the group already has. */
  readonly added: ReadonlySet<string>;
  readonly pick: (entries: readonly DeviceEntry[]) => void;
  /** Of the first row: called with its button. */
  readonly begin?: (button: HTMLButtonElement | null) => void;
}

/** Pixels by which children are indented. */
const indent = 20;

/** A row of the tree: an entry to open or to pick, or a button that loads more children. */
export function DeviceRow({ row, ...props }: Props): ReactElement {
  const { t } = useTranslation();
  const { tree } = props;
  if ('entry' in row) return <Entry {...props} entry={row.entry} />;
  return (
    <Button
      size="compact-xs"
      variant="default"
      ml={row.depth * indent}
      loading={tree.isLoading(row.more)}
      onClick={() => void tree.load(row.more)}
    >
      {t('browse.more', { shown: row.shown, total: row.total })}
    </Button>
  );
}

function Entry({
  entry,
  tree,
  picked,
  added,
  pick,
  begin,
}: Omit<Props, 'row'> & { readonly entry: DeviceEntry }): ReactElement {
  const { t } = useTranslation();
  const { name, id, key, depth, isTag, note } = entry;
  const isOpen = tree.isOpen(entry);
  const isAdded = added.has(id);
  const inside = isOpen
    ? (tree.childrenOf(entry)?.entries.filter((one) => one.isTag && !added.has(one.id)) ?? [])
    : [];
  return (
    <Group gap={4} wrap="nowrap" pl={depth * indent}>
      <ActionIcon
        variant="subtle"
        size="sm"
        {...(begin !== undefined && { ref: begin, 'data-autofocus': true })}
        aria-expanded={isOpen}
        aria-label={t('browse.open', { name })}
        onClick={() => tree.toggle(entry)}
      >
        {tree.isLoading(entry) ? (
          <Loader size={14} />
        ) : isOpen ? (
          <IconChevronDown size={16} />
        ) : (
          <IconChevronRight size={16} />
        )}
      </ActionIcon>
      {isTag ? (
        <Checkbox
          size="xs"
          label={name}
          checked={picked.has(key) || isAdded}
          disabled={isAdded}
          onChange={() => pick([entry])}
        />
      ) : (
        <Text size="sm" truncate maw={320} title={name}>
          <Isolated>{name}</Isolated>
        </Text>
      )}
      {note !== '' && (
        <Text size="xs" c="dimmed" truncate maw={320} title={note}>
          {note}
        </Text>
      )}
      {isAdded && <Badge size="xs">{t('browse.added')}</Badge>}
      {inside.length > 1 && (
        <Button size="compact-xs" variant="default" onClick={() => pick(inside)}>
          {t('browse.pickAll', { count: inside.length })}
        </Button>
      )}
    </Group>
  );
}
