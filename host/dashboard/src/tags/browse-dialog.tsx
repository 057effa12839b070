import { ActionIcon, Badge, Button, Checkbox, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { TagRecord } from '@tagway/schemas';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { Table, type Column } from '../parts/table.tsx';
import { Trouble } from '../shell/trouble.tsx';
import { typeName } from '../values/data-types.ts';
import { loadPlace, type DeviceEntry, type DevicePlace } from './device-tree.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly tags: readonly TagRecord[];
  readonly onClose: () => void;
  readonly onDone: (count: number) => void;
}

/** A line of the tree: an entry, or the way to the rest of a place. */
type Line =
  | { readonly key: string; readonly entry: DeviceEntry }
  | { readonly key: string; readonly more: DeviceEntry | undefined; readonly depth: number };

const top = '';

/** What a device has, as a tree that is loaded where it is opened; what is picked becomes tags. */
export function BrowseDialog({ node, group, tags, onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const [places, setPlaces] = useState<ReadonlyMap<string, DevicePlace>>(new Map());
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [picked, setPicked] = useState<ReadonlyMap<string, DeviceEntry>>(new Map());
  const [loading, setLoading] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const abort = useRef<AbortController>(undefined);
  const added = useMemo(() => new Set(tags.map(({ address }) => address)), [tags]);

  const load = useCallback(
    async (parent: DeviceEntry | undefined, before: DevicePlace | undefined): Promise<void> => {
      abort.current?.abort();
      const attempt = new AbortController();
      abort.current = attempt;
      const key = parent?.key ?? top;
      setLoading(key);
      setError(undefined);
      try {
        const place = await loadPlace(node, parent, before, attempt.signal);
        setPlaces((known) => new Map(known).set(key, place));
      } catch (problem) {
        if (!attempt.signal.aborted) setError(problem);
      } finally {
        if (abort.current === attempt) setLoading(undefined);
      }
    },
    [node],
  );
  useEffect(() => {
    void load(undefined, undefined);
    return () => abort.current?.abort();
  }, [load]);

  const toggle = (entry: DeviceEntry): void => {
    setOpen((before) => {
      const next = new Set(before);
      if (!next.delete(entry.key)) next.add(entry.key);
      return next;
    });
    if (!places.has(entry.key) && !open.has(entry.key)) void load(entry, undefined);
  };
  const lines = useMemo(() => linesOf(places, open), [places, open]);

  async function add(): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      const names = new Set(tags.map(({ name }) => name));
      const inputs = Array.from(picked.values(), ({ id, name, type }) => ({
        name: freeName(name, names),
        address: id,
        type,
        attribute: 1,
      }));
      await call('POST', 'api/v2/tags', { body: { node, group, tags: inputs } });
      onDone(inputs.length);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  const columns: readonly Column<Line>[] = [
    {
      key: 'name',
      title: t('tags.name'),
      cell: (line) =>
        'entry' in line ? (
          <Group gap={4} wrap="nowrap" pl={line.entry.depth * 20}>
            <ActionIcon
              variant="subtle"
              size="sm"
              aria-expanded={open.has(line.key)}
              aria-label={t('browse.open', { name: line.entry.name })}
              onClick={() => toggle(line.entry)}
            >
              {loading === line.key ? (
                <Loader size={14} />
              ) : open.has(line.key) ? (
                <IconChevronDown size={16} />
              ) : (
                <IconChevronRight size={16} />
              )}
            </ActionIcon>
            {line.entry.isTag ? (
              <Checkbox
                size="xs"
                label={line.entry.name}
                checked={picked.has(line.key) || added.has(line.entry.id)}
                disabled={added.has(line.entry.id)}
                onChange={() =>
                  setPicked((before) => {
                    const next = new Map(before);
                    if (!next.delete(line.key)) next.set(line.key, line.entry);
                    return next;
                  })
                }
              />
            ) : (
              <Text size="sm">{line.entry.name}</Text>
            )}
            {added.has(line.entry.id) && <Badge size="xs">{t('browse.added')}</Badge>}
          </Group>
        ) : (
          <Button
            size="compact-xs"
            variant="subtle"
            ml={line.depth * 20}
            onClick={() => void load(line.more, places.get(line.more?.key ?? top))}
          >
            {t('browse.more')}
          </Button>
        ),
    },
    {
      key: 'type',
      title: t('tags.type'),
      width: 90,
      cell: (line) => ('entry' in line && line.entry.isTag ? typeName(line.entry.type) : ''),
    },
    {
      key: 'address',
      title: t('tags.address'),
      cell: (line) =>
        'entry' in line ? (
          <Text size="xs" ff="monospace" truncate maw={240}>
            {line.entry.id}
          </Text>
        ) : null,
    },
  ];
  return (
    <Modal
      opened
      onClose={onClose}
      closeButtonProps={{ 'aria-label': t('app.close') }}
      size="xl"
      title={t('browse.title', { node })}
    >
      <Stack gap="sm">
        <Trouble error={error} />
        {loading !== undefined && (
          <Group gap="xs">
            <Loader size="xs" />
            <Text size="sm">{t('app.loading')}</Text>
            <Button size="compact-xs" variant="default" onClick={() => abort.current?.abort()}>
              {t('app.cancel')}
            </Button>
          </Group>
        )}
        <Table
          rows={lines}
          columns={columns}
          keyOf={({ key }) => key}
          label={t('browse.title', { node })}
          height="50vh"
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('app.cancel')}
          </Button>
          <Button loading={isBusy} disabled={picked.size === 0} onClick={() => void add()}>
            {t('browse.add', { count: picked.size })}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function linesOf(places: ReadonlyMap<string, DevicePlace>, open: ReadonlySet<string>): Line[] {
  const lines: Line[] = [];
  const visit = (parent: DeviceEntry | undefined): void => {
    const place = places.get(parent?.key ?? top);
    for (const entry of place?.entries ?? []) {
      lines.push({ key: entry.key, entry });
      if (open.has(entry.key)) visit(entry);
    }
    if (place?.next !== undefined) {
      lines.push({ key: `${parent?.key ?? top}+`, more: parent, depth: (parent?.depth ?? -1) + 1 });
    }
  };
  visit(undefined);
  return lines;
}

/** A name that no tag has yet; it is taken from then on. */
function freeName(name: string, names: Set<string>): string {
  let free = name;
  for (let count = 2; names.has(free); count += 1) free = `${name}_${count}`;
  names.add(free);
  return free;
}
