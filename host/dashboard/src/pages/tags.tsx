import { Anchor, Button, Group, Stack, Text, Title } from '@mantine/core';
import type { GroupRecord, TagRecord } from '@tagway/schemas';
import { useCallback, useEffect, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useParams } from 'react-router';
import { useGroups, useRefresh, useTags } from '../api/queries.ts';
import { useTagRules } from '../api/tag-rules.ts';
import { useMayConfigure } from '../api/use-configure.ts';
import { MayNot } from '../parts/may-not.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { Table } from '../parts/table.tsx';
import { useAction } from '../parts/use-action.ts';
import { ErrorAlert } from '../shell/error-alert.tsx';
import { ExportMenu } from '../tags/export-menu.tsx';
import { TagDialogs, type TagDialog } from '../tags/tag-dialogs.tsx';
import { TagBreadcrumbs } from '../tags/breadcrumbs.tsx';
import { UndoButton } from '../tags/undo-button.tsx';
import { useTagColumns } from '../tags/use-tag-columns.tsx';
import type { MadeChange } from '../tags/use-tags-draft.ts';
import { referenceText } from '../values/references.ts';

const noGroups: readonly GroupRecord[] = [];

/** The tags of a group. */
export default function Tags(): ReactElement {
  const { t } = useTranslation();
  const { name: node = '', group = '' } = useParams();
  const { data: tags, error } = useTags(node, group);
  const { data: groups = noGroups } = useGroups(node);
  const rules = useTagRules(node);
  const mayEdit = useMayConfigure();
  const refresh = useRefresh();
  const { run } = useAction();
  const [text, setText] = useState('');
  const filter = text.toLowerCase();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [dialog, setDialog] = useState<TagDialog>();
  /** The last change of many tags. */
  const [last, setLast] = useState<MadeChange>();

  const shown = useMemo(() => {
    const all = tags ?? [];
    if (filter === '') return all;
    return all.filter((tag) =>
      [tag.name, tag.address, tag.description].some((part) => part.toLowerCase().includes(filter)),
    );
  }, [tags, filter]);
  const chosen = useMemo(() => (tags ?? []).filter(({ name }) => selected.has(name)), [tags, selected]);
  const edit = useCallback((tag: TagRecord) => setDialog({ kind: 'form', tag }), []);
  const columns = useTagColumns({ shown, selected, setSelected, edit, mayEdit });

  // A table copied from a spreadsheet, pasted anywhere outside a field.
  useEffect(() => {
    if (!mayEdit || dialog !== undefined) return undefined;
    const paste = (event: ClipboardEvent): void => {
      const pasted = event.clipboardData?.getData('text/plain') ?? '';
      const isInField =
        event.target instanceof HTMLElement && event.target.closest('input, textarea') !== null;
      if (!isInField && /[\t\n;,]/.test(pasted)) setDialog({ kind: 'import', pasted });
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, [mayEdit, dialog]);

  const done = (sentence: string): void => {
    setDialog(undefined);
    void run(() => refresh(['node', node], ['groups']), sentence);
  };
  const none = chosen.length === 0;
  return (
    <Stack gap="sm">
      <TagBreadcrumbs node={node} group={group} />
      <Title order={2}>{t('tags.tagsOf', { group })}</Title>
      <Group gap="xs" align="flex-end">
        <SearchField label={t('live.filter')} value={text} onChange={setText} style={{ flex: '1 1 220px' }} />
        <Button disabled={!mayEdit} onClick={() => setDialog({ kind: 'form', tag: undefined })}>
          {t('tags.add')}
        </Button>
        <Button variant="default" disabled={!mayEdit} onClick={() => setDialog({ kind: 'grid' })}>
          {t('grid.open')}
        </Button>
        <Button variant="default" disabled={!mayEdit} onClick={() => setDialog({ kind: 'browse' })}>
          {t('browse.browse')}
        </Button>
        <Button
          variant="default"
          disabled={!mayEdit}
          onClick={() => setDialog({ kind: 'import', pasted: '' })}
        >
          {t('tags.import')}
        </Button>
        <ExportMenu node={node} groups={groups.filter(({ name }) => name === group)} />
      </Group>
      <Group gap="xs">
        <Text size="sm" role="status">
          {t('tags.selected', { count: chosen.length, total: shown.length })}
        </Text>
        <Button
          size="compact-sm"
          variant="default"
          disabled={none || !mayEdit}
          onClick={() => setDialog({ kind: 'bulk', tags: chosen })}
        >
          {t('tags.bulk')}
        </Button>
        <Button
          size="compact-sm"
          variant="default"
          disabled={none || !mayEdit}
          onClick={() => setDialog({ kind: 'copy', tags: chosen })}
        >
          {t('tags.copy')}
        </Button>
        <Button
          size="compact-sm"
          variant="outline"
          color="red"
          disabled={none || !mayEdit}
          onClick={() => setDialog({ kind: 'delete', tags: chosen })}
        >
          {t('app.delete')}
        </Button>
        {last !== undefined && (
          <UndoButton
            // A new change gets a new button.
            key={last.names[0]}
            {...{ node, group, done: last }}
            onUndone={(count) => {
              setLast(undefined);
              setSelected(new Set(last.names));
              if (count > 0) done(t('tags.undone', { count }));
            }}
          />
        )}
        <Anchor
          component={Link}
          size="sm"
          to={`/live?g=${encodeURIComponent(referenceText({ node, group }))}`}
        >
          {t('nav.live')}
        </Anchor>
      </Group>
      {!mayEdit && <MayNot role={t('tags.needsEngineer')} />}
      <ErrorAlert error={error} />
      {tags !== undefined && (
        <Table
          rows={shown}
          columns={columns}
          keyOf={keyOf}
          label={t('tags.tagsOf', { group })}
          height="calc(100vh - 280px)"
          empty={
            tags.length > 0 ? undefined : (
              <Stack gap={4} component="span" align="flex-start">
                <span>{t('tags.noTags')}</span>
                {mayEdit && (
                  <Anchor
                    component="button"
                    type="button"
                    size="sm"
                    onClick={() => setDialog({ kind: 'form', tag: undefined })}
                  >
                    {t('tags.addFirstTag')}
                  </Anchor>
                )}
              </Stack>
            )
          }
        />
      )}
      {dialog !== undefined && (
        <TagDialogs
          node={node}
          group={group}
          dialog={dialog}
          tags={tags ?? []}
          groups={groups}
          rules={rules}
          onClose={() => setDialog(undefined)}
          onDone={done}
          onDeleted={() => {
            setDialog(undefined);
            setSelected(new Set());
            void refresh(['node', node], ['groups']);
          }}
          onApplied={(applied) => {
            setLast(applied);
            setSelected(new Set(applied.after.keys()));
            void run(() => refresh(['node', node]), t('tags.changed', { count: applied.reply.update }));
          }}
        />
      )}
    </Stack>
  );
}

const keyOf = ({ name }: TagRecord): string => name;
