import { Button, Group, Stack, Text, Title } from '@mantine/core';
import type { TagRecord } from '@tagway/schemas';
import { useCallback, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { useParams } from 'react-router';
import { call } from '../api/call.ts';
import { useRefresh } from '../api/queries.ts';
import { usePluginRules } from '../api/tag-rules.ts';
import { useTemplates, useTemplateTags } from '../api/template-queries.ts';
import { useMayConfigure } from '../api/use-configure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { MayNot } from '../parts/may-not.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { TagForm } from '../tags/tag-form.tsx';
import { useTagColumns } from '../tags/use-tag-columns.tsx';
import { tagsOfTemplate } from '../templates/template-store.ts';
import { TemplateBreadcrumbs } from '../templates/template-breadcrumbs.tsx';

/** The tags of a group of a template. */
export default function TemplateTags(): ReactElement {
  const { t } = useTranslation();
  const { template = '', group = '' } = useParams();
  const { data: tags, error } = useTemplateTags(template, group);
  const rules = usePluginRules(useTemplates().data?.find(({ name }) => name === template)?.plugin);
  const mayEdit = useMayConfigure();
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const [filter, setFilter] = useState('');
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [editing, setEditing] = useState<{ readonly tag: TagRecord | undefined }>();
  const [isDeleting, setDeleting] = useState(false);

  const shown = useMemo(() => {
    const wanted = filter.toLowerCase();
    return (tags ?? []).filter((tag) =>
      [tag.name, tag.address, tag.description].some((part) => part.toLowerCase().includes(wanted)),
    );
  }, [tags, filter]);
  const chosen = (tags ?? []).map(({ name }) => name).filter((name) => selected.has(name));
  const edit = useCallback((tag: TagRecord) => setEditing({ tag }), []);
  const store = useMemo(() => tagsOfTemplate(template, group), [template, group]);
  const columns = useTagColumns({ shown, selected, setSelected, edit, mayEdit });

  const remove = (names: readonly string[]): Promise<unknown> =>
    call('DELETE', 'api/v2/template/tag', { body: { template, group, tags: names } });

  return (
    <Stack gap="sm">
      <TemplateBreadcrumbs template={template} group={group} />
      <Title order={2}>{t('tags.tagsOf', { group })}</Title>
      <Group align="flex-end" gap="xs">
        <SearchField
          label={t('live.filter')}
          value={filter}
          onChange={setFilter}
          style={{ flex: '1 1 220px' }}
        />
        <Button disabled={!mayEdit} onClick={() => setEditing({ tag: undefined })}>
          {t('tags.add')}
        </Button>
        <Button
          variant="outline"
          color="red"
          disabled={!mayEdit || chosen.length === 0}
          onClick={() => setDeleting(true)}
        >
          {t('app.delete')}
        </Button>
      </Group>
      {!mayEdit && <MayNot role={t('templates.needsEngineer')} />}
      <ErrorAlert error={error} />
      {tags !== undefined && (
        <Table
          rows={shown}
          columns={columns}
          keyOf={({ name }) => name}
          label={t('tags.tagsOf', { group })}
          height="calc(100vh - 260px)"
        />
      )}
      {editing !== undefined && (
        <TagForm
          node={template}
          group={group}
          rules={rules}
          tag={editing.tag}
          store={store}
          onClose={() => setEditing(undefined)}
          onSaved={(name) => {
            setEditing(undefined);
            void run(() => refresh(['templates', template]), t('tags.saved', { name }));
          }}
        />
      )}
      <Confirm
        isOpen={isDeleting}
        title={t('tags.deleteMany', { count: chosen.length })}
        action={t('app.delete')}
        isBusy={isBusy}
        onClose={() => setDeleting(false)}
        onConfirm={() =>
          void run(
            async () => {
              await remove(chosen);
              setDeleting(false);
              setSelected(new Set());
              await refresh(['templates', template]);
            },
            t('tags.deletedMany', { count: chosen.length }),
          )
        }
      >
        <Text size="sm">{t('tags.deleteText', { names: chosen.slice(0, 10).join(', ') })}</Text>
      </Confirm>
    </Stack>
  );
}
