import { ActionIcon, Anchor, Button, Group, Stack } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import type { GroupRecord } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { call } from '../../api/call.ts';
import { useGroups, useRefresh } from '../../api/queries.ts';
import { useTagRules } from '../../api/tag-rules.ts';
import { useMayConfigure } from '../../api/use-configure.ts';
import { download } from '../../parts/download.ts';
import { MayNot } from '../../parts/may-not.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Table } from '../../parts/table.tsx';
import { useAction } from '../../parts/use-action.ts';
import { ErrorAlert } from '../../shell/error-alert.tsx';
import { DeleteGroup } from '../../tags/delete-group.tsx';
import { ExportMenu } from '../../tags/export-menu.tsx';
import { columns as fileColumns } from '../../tags/tag-file.ts';
import { groupUndo } from '../../tags/group-undo.ts';
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
  const mayEdit = useMayConfigure();
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const navigate = useNavigate();
  const [filter, setFilter] = useState('');
  const [editing, setEditing] = useState<{ readonly group: GroupRecord | undefined }>();
  const [deleting, setDeleting] = useState<GroupRecord>();
  const [isImporting, setImporting] = useState(false);
  const again = (): Promise<void> => refresh(['node', node], ['groups']);

  async function remove(group: GroupRecord): Promise<void> {
    const { name } = group;
    let makeAgain = (): Promise<void> => Promise.resolve();
    await run(
      async () => {
        makeAgain = await groupUndo(node, group);
        await call('DELETE', 'api/v2/group', { body: { node, group: name } });
        await again();
      },
      t('tags.deleted', { name }),
      {
        work: async () => {
          await makeAgain();
          await again();
        },
        done: t('app.undone', { name }),
      },
    );
    setDeleting(undefined);
  }

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
      {!mayEdit && <MayNot role={t('tags.needsEngineer')} />}
      <ErrorAlert error={error} />
      {!isPending && (
        <Table
          rows={shown}
          columns={columns}
          keyOf={({ name }) => name}
          label={t('tags.groups')}
          empty={
            groups.length > 0 ? undefined : (
              <NoGroups mayEdit={mayEdit} onAdd={() => setEditing({ group: undefined })} />
            )
          }
        />
      )}
      {editing !== undefined && (
        <GroupForm
          node={node}
          group={editing.group}
          onClose={() => setEditing(undefined)}
          onSaved={(name) => {
            setEditing(undefined);
            void run(again, t('tags.saved', { name }));
            // After the first group come its tags.
            if (groups.length === 0) void navigate(tagsPath(node, name));
          }}
        />
      )}
      {deleting !== undefined && (
        <DeleteGroup
          group={deleting}
          isBusy={isBusy}
          onClose={() => setDeleting(undefined)}
          onConfirm={() => void remove(deleting)}
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

/** What groups are, the way to the first one, and a file to begin with. */
function NoGroups({
  mayEdit,
  onAdd,
}: {
  readonly mayEdit: boolean;
  readonly onAdd: () => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Stack gap={4} component="span" align="flex-start">
      <span>{t('tags.noGroups')}</span>
      {mayEdit && (
        <Anchor component="button" type="button" size="sm" onClick={onAdd}>
          {t('tags.addFirst')}
        </Anchor>
      )}
      <Anchor component="button" type="button" size="sm" onClick={() => void saveStarter()}>
        {t('tags.starter')}
      </Anchor>
    </Stack>
  );
}

/** Saves a file with the titles of an import and one row, to be filled in. */
async function saveStarter(): Promise<void> {
  const row = ['group', '1000', 'name', '', 'Read', 'INT16', '', '', '', '', ''];
  const { csvOf } = await import('../../tags/spreadsheets.ts');
  download('tags.csv', await csvOf([fileColumns, row]));
}
