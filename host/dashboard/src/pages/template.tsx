import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { GroupRecord } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { useTemplateGroups, useTemplates } from '../api/template-queries.ts';
import { useMayConfigure } from '../api/use-configure.ts';
import { MayNot } from '../parts/may-not.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { DeleteGroup } from '../tags/delete-group.tsx';
import { GroupForm } from '../tags/group-form.tsx';
import { useGroupColumns } from '../tags/use-group-columns.tsx';
import { groupsOfTemplate } from '../templates/template-store.ts';
import { TemplateBreadcrumbs } from '../templates/template-breadcrumbs.tsx';

/** The groups of a template. */
export default function TemplatePage(): ReactElement {
  const { t } = useTranslation();
  const { template = '' } = useParams();
  const { data: groups, error } = useTemplateGroups(template);
  const plugin = useTemplates().data?.find(({ name }) => name === template)?.plugin;
  const mayEdit = useMayConfigure();
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const [editing, setEditing] = useState<{ readonly group: GroupRecord | undefined }>();
  const [toDelete, setToDelete] = useState<GroupRecord>();
  const store = useMemo(() => groupsOfTemplate(template), [template]);

  async function remove({ name: group }: GroupRecord): Promise<void> {
    await call('DELETE', 'api/v2/template/group', { body: { template, group } });
    setToDelete(undefined);
    await refresh(['templates', template]);
  }

  const columns = useGroupColumns({
    mayEdit,
    pathOf: (name) => `/templates/${encodeURIComponent(template)}/${encodeURIComponent(name)}`,
    onEdit: (group) => setEditing({ group }),
    onDelete: setToDelete,
  });

  return (
    <Stack gap="sm">
      <TemplateBreadcrumbs template={template} />
      <Title order={2}>{template}</Title>
      <Text size="sm" c="dimmed">
        {plugin}
      </Text>
      <Group>
        <Button disabled={!mayEdit} onClick={() => setEditing({ group: undefined })}>
          {t('tags.addGroup')}
        </Button>
        {mayEdit && (
          <Button
            component={Link}
            to={`/drivers/add?template=${encodeURIComponent(template)}`}
            variant="default"
          >
            {t('templates.use')}
          </Button>
        )}
      </Group>
      {!mayEdit && <MayNot role={t('templates.needsEngineer')} />}
      <ErrorAlert error={error} />
      {groups !== undefined && (
        <Table rows={groups} columns={columns} keyOf={({ name }) => name} label={t('tags.groups')} />
      )}
      {editing !== undefined && (
        <GroupForm
          node={template}
          group={editing.group}
          store={store}
          onClose={() => setEditing(undefined)}
          onSaved={(name) => {
            setEditing(undefined);
            void run(() => refresh(['templates', template]), t('tags.saved', { name }));
          }}
        />
      )}
      {toDelete !== undefined && (
        <DeleteGroup
          group={toDelete}
          isBusy={isBusy}
          onClose={() => setToDelete(undefined)}
          onConfirm={() => void run(() => remove(toDelete), t('tags.deleted', { name: toDelete.name }))}
        />
      )}
    </Stack>
  );
}
