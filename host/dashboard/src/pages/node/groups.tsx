import { ActionIcon, Button, Group, Stack, Text } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { GroupRecord } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call } from '../../api/call.ts';
import { useGroups, useRefresh } from '../../api/queries.ts';
import { useTagRules } from '../../api/tag-rules.ts';
import { useMay } from '../../api/use-role.ts';
import { SearchField } from '../../parts/search-field.tsx';
import { Table } from '../../parts/table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { DeleteGroup } from '../../tags/delete-group.tsx';
import { ExportMenu } from '../../tags/export-menu.tsx';
import { GroupForm } from '../../tags/group-form.tsx';
import { ImportDialog } from '../../tags/import-dialog.tsx';
import { tagsPath } from '../../tags/breadcrumbs.tsx';
import { useGroupColumns } from '../../tags/use-group-columns.tsx';
import { referenceText } from '../../values/references.ts';
import type { TabProps } from './tab-props.ts';

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
  const columns = useGroupColumns({
    mayEdit,
    pathOf: (name) => tagsPath(node, name),
    onEdit: (group) => setEditing({ group }),
    onDelete: setDeleting,
    more: (group) => (
      <ActionIcon
        component={Link}
        to={`/live?g=${encodeURIComponent(referenceText({ node, group }))}`}
        variant="subtle"
        aria-label={t('tags.liveOf', { group })}
      >
        <IconActivity size={18} />
      </ActionIcon>
    ),
  });

  return (
    <Stack gap="sm">
      <Group align="flex-end">
        <SearchField value={filter} onChange={setFilter} />
        <Button disabled={!mayEdit} onClick={() => setEditing({ group: undefined })}>
          {t('tags.addGroup')}
        </Button>
        <Button variant="default" disabled={!mayEdit} onClick={() => setImporting(true)}>
          {t('tags.import')}
        </Button>
        <ExportMenu node={node} groups={groups} />
      </Group>
      {!mayEdit && <Text size="sm">{t('tags.needsEngineer')}</Text>}
      <ErrorAlert error={error} />
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
        <DeleteGroup
          group={deleting}
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
        />
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
