import { ActionIcon, Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { IconActivity, IconPencil, IconTrash } from '@tabler/icons-react';
import type { GroupRecord } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../../api/call.ts';
import { useGroups, useRefresh } from '../../api/queries.ts';
import { useTagRules } from '../../api/tag-rules.ts';
import { useMay } from '../../api/use-role.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Table, type Column } from '../../parts/table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { Trouble } from '../../shell/trouble.tsx';
import { ExportMenu } from '../../tags/export-menu.tsx';
import { GroupForm } from '../../tags/group-form.tsx';
import { ImportDialog } from '../../tags/import-dialog.tsx';
import { tagsPath } from '../../tags/trail.tsx';
import { placeText } from '../../values/group-picker.tsx';
import type { TabProps } from './tabs.ts';

const noGroups: readonly GroupRecord[] = [];

/** The groups of a driver. */
export default function Groups({ node: { name: node } }: TabProps): ReactElement {
  const { t } = useTranslation();
  const { data: groups = noGroups, error, isPending } = useGroups(node);
  const rules = useTagRules(node);
  const mayEdit = useMay('engineer');
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const [filter, setFilter] = useState('');
  const [editing, setEditing] = useState<{ readonly group: GroupRecord | undefined }>();
  const [deleting, setDeleting] = useState<GroupRecord>();
  const [isImporting, setImporting] = useState(false);
  const again = (): Promise<void> => refresh(['node', node], ['groups']);

  const shown = useMemo(
    () => groups.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase())),
    [groups, filter],
  );
  const columns: readonly Column<GroupRecord>[] = [
    {
      key: 'name',
      title: t('tags.group'),
      order: ({ name }) => name,
      cell: ({ name }) => (
        <Anchor component={Link} to={tagsPath(node, name)} truncate maw={320} display="block">
          {name}
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
      width: 120,
      cell: (group) => (
        <Group gap={4} wrap="nowrap">
          <ActionIcon
            component={Link}
            to={`/live?g=${encodeURIComponent(placeText({ node, group: group.name }))}`}
            variant="subtle"
            aria-label={t('tags.liveOf', { group: group.name })}
          >
            <IconActivity size={18} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            disabled={!mayEdit}
            aria-label={t('tags.edit', { tag: group.name })}
            onClick={() => setEditing({ group })}
          >
            <IconPencil size={18} />
          </ActionIcon>
          <ActionIcon
            variant="subtle"
            color="red"
            disabled={!mayEdit}
            aria-label={t('tags.deleteOne', { name: group.name })}
            onClick={() => setDeleting(group)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      ),
    },
  ];

  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <TextInput
          type="search"
          label={t('app.search')}
          value={filter}
          onChange={(event) => setFilter(event.currentTarget.value)}
        />
        <Button disabled={!mayEdit} onClick={() => setEditing({ group: undefined })}>
          {t('tags.addGroup')}
        </Button>
        <Button variant="default" disabled={!mayEdit} onClick={() => setImporting(true)}>
          {t('tags.import')}
        </Button>
        <ExportMenu node={node} groups={groups} />
      </Group>
      {!mayEdit && <Text size="sm">{t('tags.needsEngineer')}</Text>}
      <Trouble error={error} />
      {!isPending && (
        <Table rows={shown} columns={columns} keyOf={({ name }) => name} label={t('tags.groups')} />
      )}
      {editing !== undefined && (
        <GroupForm
          node={node}
          group={editing.group}
          onClose={() => setEditing(undefined)}
          onSaved={(name) => {
            setEditing(undefined);
            void run(again, t('tags.saved', { name }));
          }}
        />
      )}
      {deleting !== undefined && (
        <Confirm
          isOpen
          title={t('tags.deleteOne', { name: deleting.name })}
          action={t('app.delete')}
          isBusy={isBusy}
          onClose={() => setDeleting(undefined)}
          onConfirm={() =>
            void run(
              async () => {
                await call('DELETE', 'api/v2/group', { body: { node, group: deleting.name } });
                await again();
              },
              t('tags.deleted', { name: deleting.name }),
            ).then(() => setDeleting(undefined))
          }
        >
          <Text size="sm">{t('tags.deleteGroup', { group: deleting.name, count: deleting.tag_count })}</Text>
        </Confirm>
      )}
      {isImporting && (
        <ImportDialog
          node={node}
          group={groups[0]?.name ?? 'group'}
          groups={groups}
          rules={rules}
          pasted=""
          onClose={() => setImporting(false)}
          onDone={({ add, update, remove }) => {
            setImporting(false);
            void run(again, t('tags.imported', { add, update, remove }));
          }}
        />
      )}
    </Stack>
  );
}
