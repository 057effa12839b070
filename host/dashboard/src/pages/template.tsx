import { ActionIcon, Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import type { GroupRecord } from '@tagway/schemas';
import { useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { useTemplateGroups, useTemplates } from '../api/template-queries.ts';
import { useMay } from '../api/use-role.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { Trouble } from '../shell/trouble.tsx';
import { GroupForm } from '../tags/group-form.tsx';
import { groupsOfTemplate } from '../templates/keepers.ts';
import { TemplateTrail } from '../templates/template-trail.tsx';

/** The groups of a template. */
export default function TemplatePage(): ReactElement {
  const { t } = useTranslation();
  const { template = '' } = useParams();
  const { data: groups, error } = useTemplateGroups(template);
  const plugin = useTemplates().data?.find(({ name }) => name === template)?.plugin;
  const mayEdit = useMay('engineer');
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const [editing, setEditing] = useState<{ readonly group: GroupRecord | undefined }>();
  const [doomed, setDoomed] = useState<GroupRecord>();
  const keeper = useMemo(() => groupsOfTemplate(template), [template]);

  async function remove({ name: group }: GroupRecord): Promise<void> {
    await call('DELETE', 'api/v2/template/group', { body: { template, group } });
    setDoomed(undefined);
    await refresh(['templates', template]);
  }

  const columns: readonly Column<GroupRecord>[] = [
    {
      key: 'name',
      title: t('tags.group'),
      order: ({ name }) => name,
      cell: ({ name }) => (
        <Anchor
          component={Link}
          to={`/templates/${encodeURIComponent(template)}/${encodeURIComponent(name)}`}
          truncate
          maw="min(320px, 45vw)"
          display="block"
        >
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
      width: 90,
      cell: (group) => (
        <Group gap={4} wrap="nowrap">
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
            onClick={() => setDoomed(group)}
          >
            <IconTrash size={18} />
          </ActionIcon>
        </Group>
      ),
    },
  ];

  return (
    <Stack gap="sm">
      <TemplateTrail template={template} />
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
      {!mayEdit && <Text size="sm">{t('templates.needsEngineer')}</Text>}
      <Trouble error={error} />
      {groups !== undefined && (
        <Table rows={groups} columns={columns} keyOf={({ name }) => name} label={t('tags.groups')} />
      )}
      {editing !== undefined && (
        <GroupForm
          node={template}
          group={editing.group}
          keeper={keeper}
          onClose={() => setEditing(undefined)}
          onSaved={(name) => {
            setEditing(undefined);
            void run(() => refresh(['templates', template]), t('tags.saved', { name }));
          }}
        />
      )}
      {doomed !== undefined && (
        <Confirm
          isOpen
          title={t('tags.deleteOne', { name: doomed.name })}
          action={t('app.delete')}
          isBusy={isBusy}
          onClose={() => setDoomed(undefined)}
          onConfirm={() => void run(() => remove(doomed), t('tags.deleted', { name: doomed.name }))}
        >
          <Text size="sm">{t('tags.deleteGroup', { group: doomed.name, count: doomed.tag_count })}</Text>
        </Confirm>
      )}
    </Stack>
  );
}
