import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import type { TagRecord } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { Table, type Column } from '../parts/table.tsx';
import { Trouble } from '../shell/trouble.tsx';
import { typeName } from '../values/data-types.ts';
import { DeviceLine } from './device-line.tsx';
import type { DeviceEntry } from './device-tree.ts';
import { useDeviceTree, type Line } from './use-device-tree.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly tags: readonly TagRecord[];
  readonly onClose: () => void;
  readonly onDone: (count: number) => void;
}

/** What a device has, as a tree that is loaded where it is opened; what is picked becomes tags in one request. */
export function BrowseDialog({ node, group, tags, onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const tree = useDeviceTree(node);
  const isPhone = useMediaQuery('(max-width: 48em)');
  const [picked, setPicked] = useState<ReadonlyMap<string, DeviceEntry>>(new Map());
  const [refusal, setRefusal] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const added = useMemo(() => new Set(tags.map(({ address }) => address)), [tags]);

  /** Picks all of these, or none of them where all are picked already. */
  const pick = (entries: readonly DeviceEntry[]): void =>
    setPicked((before) => {
      const next = new Map(before);
      const isAll = entries.every(({ key }) => before.has(key));
      for (const entry of entries) {
        if (isAll) next.delete(entry.key);
        else next.set(entry.key, entry);
      }
      return next;
    });

  async function add(): Promise<void> {
    setBusy(true);
    setRefusal(undefined);
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
    } catch (problem) {
      setRefusal(problem);
    } finally {
      setBusy(false);
    }
  }

  const columns: readonly Column<Line>[] = [
    {
      key: 'name',
      title: t('tags.name'),
      cell: (line) => <DeviceLine line={line} tree={tree} picked={picked} added={added} pick={pick} />,
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
          <Text size="xs" ff="monospace" truncate maw={240} title={line.entry.id}>
            {line.entry.id}
          </Text>
        ) : null,
    },
  ];
  const isEmpty = tree.placeOf(undefined) === undefined;
  return (
    <Modal
      opened
      onClose={onClose}
      closeButtonProps={{ 'aria-label': t('app.close') }}
      size="xl"
      fullScreen={isPhone}
      title={t('browse.title', { node })}
    >
      <Stack gap="sm">
        <Trouble error={tree.error} />
        <Group gap="xs" mih={30}>
          {tree.isBusy && (
            <>
              <Loader size="xs" />
              <Text size="sm">{t('app.loading')}</Text>
              <Button size="compact-sm" variant="default" onClick={tree.cancel}>
                {t('browse.stop')}
              </Button>
            </>
          )}
          {!tree.isBusy && isEmpty && (
            <Button size="compact-sm" variant="default" onClick={() => void tree.load(undefined)}>
              {t('app.retry')}
            </Button>
          )}
        </Group>
        <Table
          rows={tree.lines}
          columns={columns}
          keyOf={({ key }) => key}
          label={t('browse.title', { node })}
          height="50vh"
          empty={isEmpty ? '' : undefined}
        />
        <Trouble error={refusal} />
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

/** A name that no tag has yet; it is taken from then on. */
function freeName(name: string, names: Set<string>): string {
  let free = name;
  for (let count = 2; names.has(free); count += 1) free = `${name}_${count}`;
  names.add(free);
  return free;
}
