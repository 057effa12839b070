import { ActionIcon, Badge, Button, Checkbox, Group, Loader, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { DeviceEntry } from './device-tree.ts';
import type { DeviceTree, Line } from './use-device-tree.ts';

interface Props {
  readonly line: Line;
  readonly tree: DeviceTree;
  readonly picked: ReadonlyMap<string, DeviceEntry>;
  /** Addresses of tags that are there already. */
  readonly added: ReadonlySet<string>;
  readonly pick: (entries: readonly DeviceEntry[]) => void;
}

/** Pixels by which a line is further in than the place that it belongs to. */
const step = 20;

/** A line of what a device has: a place to open, a tag to pick, or the way to the rest of a place. */
export function DeviceLine({ line, ...props }: Props): ReactElement {
  const { t } = useTranslation();
  const { tree } = props;
  if ('entry' in line) return <Entry {...props} entry={line.entry} />;
  return (
    <Button
      size="compact-xs"
      variant="default"
      ml={line.depth * step}
      loading={tree.isLoading(line.more)}
      onClick={() => void tree.load(line.more)}
    >
      {t('browse.more', { shown: line.shown, total: line.total })}
    </Button>
  );
}

function Entry({
  entry,
  tree,
  picked,
  added,
  pick,
}: Omit<Props, 'line'> & { readonly entry: DeviceEntry }): ReactElement {
  const { t } = useTranslation();
  const { name, id, key, depth, isTag } = entry;
  const isOpen = tree.isOpen(entry);
  const isAdded = added.has(id);
  const inside = isOpen
    ? (tree.placeOf(entry)?.entries.filter((one) => one.isTag && !added.has(one.id)) ?? [])
    : [];
  return (
    <Group gap={4} wrap="nowrap" pl={depth * step}>
      <ActionIcon
        variant="subtle"
        size="sm"
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
          {name}
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
