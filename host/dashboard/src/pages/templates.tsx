import { Anchor, Button, FileButton, Group, Stack, Text, Title } from '@mantine/core';
import type { TemplateReply } from '@tagway/schemas';
import { useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { call, ifMatch, isStale } from '../api/call.ts';
import { parseExact, stringifyExact } from '../api/exact-json.ts';
import { useRefresh } from '../api/queries.ts';
import { useTemplate, useTemplates, type Template } from '../api/template-queries.ts';
import { useMayConfigure } from '../api/use-configure.ts';
import { Confirm } from '../parts/confirm.tsx';
import { download } from '../parts/download.ts';
import { MayNot } from '../parts/may-not.tsx';
import { Table, type Column } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { NewTemplate } from '../templates/new-template.tsx';
import { TemplateSize } from '../templates/template-size.tsx';
import { Isolated } from '../parts/isolated.tsx';

/** The templates: stored groups and tags, from which drivers are made. */
export default function Templates(): ReactElement {
  const { t } = useTranslation();
  const { data: templates, error } = useTemplates();
  const mayEdit = useMayConfigure();
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const [isMaking, setMaking] = useState(false);
  const [toDelete, setToDelete] = useState<string>();

  async function save(name: string): Promise<void> {
    const template = await call<TemplateReply>('GET', 'api/v2/template', { query: { name } });
    download(`template ${name}.json`.replace(/[/\\:*?"<>|]/g, '_'), new Blob([stringifyExact(template)]));
  }
  async function load(file: File): Promise<void> {
    await call('POST', 'api/v2/template', { body: parseExact(await file.text()) });
    await refresh(['templates']);
  }

  const columns: readonly Column<Template>[] = [
    {
      key: 'name',
      title: t('templates.name'),
      order: ({ name }) => name,
      cell: ({ name }) => (
        <Anchor
          component={Link}
          to={`/templates/${encodeURIComponent(name)}`}
          size="sm"
          truncate
          maw="min(300px, 45vw)"
          display="block"
        >
          <Isolated>{name}</Isolated>
        </Anchor>
      ),
    },
    {
      key: 'plugin',
      title: t('templates.plugin'),
      order: ({ plugin }) => plugin,
      cell: ({ plugin }) => (
        <Text size="sm" truncate maw={160} title={plugin}>
          <Isolated>{plugin}</Isolated>
        </Text>
      ),
    },
    {
      key: 'actions',
      title: '',
      cell: ({ name }) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          {mayEdit && (
            <Button
              component={Link}
              to={`/drivers/add?template=${encodeURIComponent(name)}`}
              size="compact-xs"
              aria-label={t('templates.useOf', { name })}
            >
              {t('templates.use')}
            </Button>
          )}
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t('templates.exportOf', { name })}
            onClick={() => void run(() => save(name), t('templates.exported', { name }))}
          >
            {t('tags.export')}
          </Button>
          <Button
            size="compact-xs"
            variant="outline"
            color="red"
            disabled={!mayEdit}
            aria-label={t('tags.deleteOne', { name })}
            onClick={() => setToDelete(name)}
          >
            {t('app.delete')}
          </Button>
        </Group>
      ),
    },
  ];

  return (
    <Stack gap="sm">
      <Title order={2}>{t('nav.templates')}</Title>
      <Text size="sm">{t('templates.about')}</Text>
      <Group>
        <Button disabled={!mayEdit} onClick={() => setMaking(true)}>
          {t('templates.make')}
        </Button>
        <FileButton
          accept=".json,application/json"
          disabled={!mayEdit}
          onChange={(file) => {
            if (file !== null) void run(() => load(file), t('templates.imported', { name: file.name }));
          }}
        >
          {(props) => (
            <Button variant="default" disabled={!mayEdit} loading={isBusy} {...props}>
              {t('tags.import')}
            </Button>
          )}
        </FileButton>
      </Group>
      {!mayEdit && <MayNot role={t('templates.needsEngineer')} />}
      <ErrorAlert error={error} />
      {templates !== undefined && (
        <Table rows={templates} columns={columns} keyOf={({ name }) => name} label={t('nav.templates')} />
      )}
      {isMaking && (
        <NewTemplate
          onClose={() => setMaking(false)}
          onDone={(name) => {
            setMaking(false);
            void run(() => refresh(['templates']), t('tags.saved', { name }));
          }}
        />
      )}
      {toDelete !== undefined && <DeleteTemplate name={toDelete} onClose={() => setToDelete(undefined)} />}
    </Stack>
  );
}

/** Asks whether to delete a template, which it does only while the template is as it says. */
function DeleteTemplate({
  name,
  onClose,
}: {
  readonly name: string;
  readonly onClose: () => void;
}): ReactElement {
  const { t } = useTranslation();
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const { data, error, refetch } = useTemplate(name);

  async function remove(): Promise<void> {
    try {
      const headers = ifMatch(data?.revision ?? '');
      await call('DELETE', 'api/v2/template', { query: { name }, headers });
    } catch (refusal) {
      if (!isStale(refusal)) throw refusal;
      await refetch();
      throw new Error(t('templates.stale'), { cause: refusal });
    }
    onClose();
    await refresh(['templates']);
  }

  return (
    <Confirm
      isOpen
      title={t('tags.deleteOne', { name })}
      action={t('app.delete')}
      isBusy={isBusy || (data === undefined && error === null)}
      onClose={onClose}
      onConfirm={() => void run(remove, t('tags.deleted', { name }))}
    >
      {data !== undefined && <TemplateSize template={data.value} />}
      <ErrorAlert error={error} />
      <Text size="sm">{t('templates.sure')}</Text>
    </Confirm>
  );
}
