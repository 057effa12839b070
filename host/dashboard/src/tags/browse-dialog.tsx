import { Button, Group, Loader, Modal, Stack, Text } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { Limits, type TagRecord, dataTypeName } from '@tagway/schemas';
import { useMemo, useRef, useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { useOpener } from '../parts/use-opener.ts';
import { Table, type Column } from '../parts/table.tsx';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { DeviceRow } from './device-row.tsx';
import type { DeviceEntry } from './device-tree.ts';
import { useDeviceTree, type TreeRow } from './use-device-tree.ts';

interface Props {
  readonly node: string;
  readonly group: string;
  readonly tags: readonly TagRecord[];
  readonly onClose: () => void;
  readonly onDone: (count: number) => void;
}

/** Browses a device as a tree whose entries are loaded when they are opened. Picked entries are added as tags in one request. */
export function BrowseDialog({ node, group, tags, onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const tree = useDeviceTree(node);
  const isPhone = useMediaQuery('(max-width: 48em)');
  const [picked, setPicked] = useState<ReadonlyMap<string, DeviceEntry>>(new Map());
  const [refusal, setRefusal] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  useOpener();
  const isEmpty = tree.childrenOf(undefined) === undefined;
  const hasBegun = useRef(false);
  /** The first entry gets the focus when it comes, if nobody has taken it elsewhere in between. */
  const begin = (button: HTMLButtonElement | null): void => {
    if (button === null || hasBegun.current) return;
    hasBegun.current = true;
    if (form.current?.contains(document.activeElement) !== true) button.focus();
  };
  const added = useMemo(() => new Set(tags.map(({ address }) => address)), [tags]);

  /** Picks these entries; when all are picked already, unpicks them. */
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
      const inputs = Array.from(picked.values(), ({ id, name, type, note }) => ({
        name: freeName(name, names),
        address: id,
        type,
        attribute: 1,
        description: cut(note, Limits.tagDescription),
      }));
      await call('POST', 'api/v2/tags', { body: { node, group, tags: inputs } });
      onDone(inputs.length);
    } catch (problem) {
      setRefusal(problem);
    } finally {
      setBusy(false);
    }
  }

  const columns: readonly Column<TreeRow>[] = [
    {
      key: 'name',
      title: t('tags.name'),
      cell: (row) => (
        <DeviceRow
          row={row}
          tree={tree}
          picked={picked}
          added={added}
          pick={pick}
          {...(row === tree.rows[0] && { begin })}
        />
      ),
    },
    {
      key: 'type',
      title: t('tags.type'),
      width: 90,
      cell: (row) => ('entry' in row && row.entry.isTag ? dataTypeName(row.entry.type) : ''),
    },
    {
      key: 'address',
      title: t('tags.address'),
      cell: (row) =>
        'entry' in row ? (
          <Text size="xs" ff="monospace" truncate maw={240} title={row.entry.id}>
            {row.entry.id}
          </Text>
        ) : null,
    },
  ];
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (!isBusy && picked.size > 0) void add();
  };
  return (
    <Modal
      opened
      onClose={onClose}
      closeButtonProps={{ 'aria-label': t('app.close') }}
      size="xl"
      fullScreen={isPhone}
      title={t('browse.title', { node })}
    >
      <form ref={form} onSubmit={submit}>
        <Stack gap="sm">
          <ErrorAlert error={tree.error} />
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
            rows={tree.rows}
            columns={columns}
            keyOf={({ key }) => key}
            label={t('browse.title', { node })}
            height="50vh"
            empty={isEmpty ? '' : undefined}
          />
          <ErrorAlert error={refusal} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={picked.size === 0}>
              {t('browse.add', { count: picked.size })}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

/** The beginning of a text, with at most `most` bytes in UTF-8. */
function cut(text: string, most: number): string {
  const bytes = new Uint8Array(most);
  const { read } = new TextEncoder().encodeInto(text, bytes);
  return text.slice(0, read);
}

/** A name that no tag has yet; it is added to the names. */
function freeName(name: string, names: Set<string>): string {
  let free = name;
  for (let count = 2; names.has(free); count += 1) free = `${name}_${count}`;
  names.add(free);
  return free;
}
