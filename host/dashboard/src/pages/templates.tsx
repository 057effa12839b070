import { Button, FileButton, Group, Modal, NativeSelect, Stack, Text, TextInput, Title } from '@mantine/core';
import {
  NodeType,
  type GroupsReply,
  type TagsReply,
  type TemplateReply,
  type TemplatesReply,
} from '@tagway/schemas';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactElement, type SyntheticEvent } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { parseExact, stringifyExact } from '../api/exact-json.ts';
import { useNodes, useRefresh } from '../api/queries.ts';
import { useMay } from '../api/use-role.ts';
import { Confirm } from '../parts/confirm.tsx';
import { download } from '../parts/download.ts';
import { Table, type Column } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { Trouble } from '../shell/trouble.tsx';

type Template = TemplatesReply['templates'][number];
type Dialog = { readonly kind: 'make' } | { readonly kind: 'use' | 'delete'; readonly template: Template };

/** Stored groups and tags, of which new drivers are made. */
export default function Templates(): ReactElement {
  const { t } = useTranslation();
  const { data: templates, error } = useQuery({
    queryKey: ['templates'],
    queryFn: async () => (await call<TemplatesReply>('GET', 'api/v2/template')).templates,
  });
  const mayEdit = useMay('engineer');
  const refresh = useRefresh();
  const { isBusy, run } = useAction();
  const [dialog, setDialog] = useState<Dialog>();
  const close = (): void => setDialog(undefined);
  const again = async (): Promise<void> => {
    close();
    await refresh(['templates'], ['nodes'], ['groups']);
  };

  async function save(name: string): Promise<void> {
    const template = await call<TemplateReply>('GET', 'api/v2/template', { query: { name } });
    download(`template ${name}.json`.replace(/[/\\:*?"<>|]/g, '_'), new Blob([stringifyExact(template)]));
  }
  async function load(file: File): Promise<void> {
    await call('POST', 'api/v2/template', { body: parseExact(await file.text()) });
    await again();
  }

  const columns: readonly Column<Template>[] = [
    {
      key: 'name',
      title: t('templates.name'),
      order: ({ name }) => name,
      cell: ({ name }) => <Cut>{name}</Cut>,
    },
    {
      key: 'plugin',
      title: t('templates.plugin'),
      order: ({ plugin }) => plugin,
      cell: ({ plugin }) => plugin,
    },
    {
      key: 'actions',
      title: '',
      cell: (template) => (
        <Group gap={4} wrap="nowrap" justify="flex-end">
          <Button
            size="compact-xs"
            disabled={!mayEdit}
            aria-label={t('templates.useOf', { name: template.name })}
            onClick={() => setDialog({ kind: 'use', template })}
          >
            {t('templates.use')}
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={t('templates.exportOf', { name: template.name })}
            onClick={() =>
              void run(() => save(template.name), t('templates.exported', { name: template.name }))
            }
          >
            {t('tags.export')}
          </Button>
          <Button
            size="compact-xs"
            variant="outline"
            color="red"
            disabled={!mayEdit}
            aria-label={t('tags.deleteOne', { name: template.name })}
            onClick={() => setDialog({ kind: 'delete', template })}
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
        <Button disabled={!mayEdit} onClick={() => setDialog({ kind: 'make' })}>
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
      {!mayEdit && <Text size="sm">{t('templates.needsEngineer')}</Text>}
      <Trouble error={error} />
      {templates !== undefined && (
        <Table rows={templates} columns={columns} keyOf={({ name }) => name} label={t('nav.templates')} />
      )}
      {dialog?.kind === 'make' && (
        <MakeTemplate onClose={close} onDone={(name) => void run(again, t('tags.saved', { name }))} />
      )}
      {dialog?.kind === 'use' && (
        <UseTemplate
          template={dialog.template.name}
          onClose={close}
          onDone={(name) => void run(again, t('templates.used', { name }))}
        />
      )}
      {dialog?.kind === 'delete' && (
        <Confirm
          isOpen
          title={t('tags.deleteOne', { name: dialog.template.name })}
          action={t('app.delete')}
          isBusy={isBusy}
          onClose={close}
          onConfirm={() =>
            void run(
              async () => {
                await call('DELETE', 'api/v2/template', { query: { name: dialog.template.name } });
                await again();
              },
              t('tags.deleted', { name: dialog.template.name }),
            )
          }
        >
          <Text size="sm">{t('templates.sure')}</Text>
        </Confirm>
      )}
    </Stack>
  );
}

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: (name: string) => void;
}

/** Makes a template of the groups and tags of a driver. */
function MakeTemplate({ onClose, onDone }: DialogProps): ReactElement {
  const { t } = useTranslation();
  const { data: drivers = [] } = useNodes(NodeType.DRIVER);
  const [driver, setDriver] = useState('');
  const from = drivers.find(({ name }) => name === driver) ?? drivers[0];
  const make = async (name: string): Promise<void> => {
    if (from === undefined) return;
    const node = from.name;
    const { groups } = await call<GroupsReply>('GET', 'api/v2/group', { query: { node } });
    const full = [];
    for (const { name: group, interval } of groups) {
      const { tags } = await call<TagsReply>('GET', 'api/v2/tags', { query: { node, group } });
      full.push({ name: group, interval, tags });
    }
    await call('POST', 'api/v2/template', { body: { name, plugin: from.plugin, groups: full } });
  };
  return (
    <NameDialog
      title={t('templates.make')}
      label={t('templates.name')}
      run={make}
      onClose={onClose}
      onDone={onDone}
    >
      <NativeSelect
        label={t('templates.from')}
        data={drivers.map(({ name }) => name)}
        value={from?.name ?? ''}
        onChange={(event) => setDriver(event.currentTarget.value)}
      />
    </NameDialog>
  );
}

/** Makes a driver of a template. */
function UseTemplate({
  template,
  onClose,
  onDone,
}: DialogProps & { readonly template: string }): ReactElement {
  const { t } = useTranslation();
  const make = (node: string): Promise<unknown> =>
    call('POST', 'api/v2/template/inst', { body: { name: template, node } });
  return (
    <NameDialog
      title={t('templates.useOf', { name: template })}
      label={t('templates.node')}
      run={make}
      onClose={onClose}
      onDone={onDone}
    />
  );
}

interface NameDialogProps extends DialogProps {
  readonly title: string;
  readonly label: string;
  readonly run: (name: string) => Promise<unknown>;
  readonly children?: ReactElement;
}

/** Asks for the name of something new, and makes it. */
function NameDialog({ title, label, run, onClose, onDone, children }: NameDialogProps): ReactElement {
  const { t } = useTranslation();
  const [name, setName] = useState('');
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  async function make(event: SyntheticEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      await run(name);
      onDone(name);
    } catch (refusal) {
      setError(refusal);
      setBusy(false);
    }
  }
  return (
    <Modal opened onClose={onClose} title={title} closeButtonProps={{ 'aria-label': t('app.close') }}>
      <form onSubmit={(event) => void make(event)}>
        <Stack gap="sm">
          {children}
          <TextInput
            label={label}
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Trouble error={error} />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              {t('app.cancel')}
            </Button>
            <Button type="submit" loading={isBusy} disabled={name === ''}>
              {t('app.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function Cut({ children }: { readonly children: string }): ReactElement {
  return (
    <Text size="sm" truncate maw={300} title={children}>
      {children}
    </Text>
  );
}
