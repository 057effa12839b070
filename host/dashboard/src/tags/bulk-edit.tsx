import { Alert, Text } from '@mantine/core';
import type { PlanTagsReply, TagRecord } from '@tagway/schemas';
import type { TFunction } from 'i18next';
import { useDeferredValue, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { Dialog } from '../parts/dialog.tsx';
import { StaleSave } from '../parts/stale-save.tsx';
import { refusedRows } from './apply.ts';
import { bulkRows, changed, noChange, type BulkChange } from './bulk-change.ts';
import { BulkFields } from './bulk-fields.tsx';
import { BulkPreview } from './bulk-preview.tsx';
import type { GroupDialogProps } from './group-dialog.ts';
import { textOf } from './tag-text.ts';
import { splitKey, useTagsDraft, type MadeChange, type TagTexts } from './use-tags-draft.ts';

interface Props extends GroupDialogProps {
  /** The tags to change. */
  readonly chosen: readonly TagRecord[];
  /** Called when the gateway has made the change; the dialog then shows the result for each tag. */
  readonly onApplied: (done: MadeChange) => void;
}

const textsOf = (tags: readonly TagRecord[]): TagTexts => new Map(tags.map((tag) => [tag.name, textOf(tag)]));

/** Changes names and fields of many tags in one request, after a preview of each tag. */
export function BulkEdit({ node, group, chosen, tags, rules, onClose, onApplied }: Props): ReactElement {
  const { t } = useTranslation();
  const [before, setBefore] = useState(() => textsOf(chosen));
  const [change, setChange] = useState<BulkChange>(noChange);
  const [done, setDone] = useState<MadeChange>();
  const settled = useDeferredValue(change);
  const [others] = useState(
    () => new Set(tags.filter(({ name }) => !before.has(name)).map(({ name }) => name)),
  );
  const rows = useMemo(() => bulkRows(before, settled, others, rules), [before, settled, others, rules]);
  const bad = rows.filter(({ problem }) => problem !== undefined);
  const draft = useTagsDraft({
    node,
    group,
    tags: before,
    isWatched: done === undefined,
    onTake: setBefore,
    onSaved: (applied) => {
      setDone(applied);
      onApplied(applied);
    },
  });
  const results = useMemo(() => resultsOf(done, refusedRows(draft.error), t), [done, draft.error, t]);
  // Tags with problems come first.
  const shown = useMemo(
    () =>
      rows.toSorted((one, other) => Number(one.problem === undefined) - Number(other.problem === undefined)),
    [rows],
  );

  if (done !== undefined) {
    const { update, unchanged } = done.reply;
    return (
      <Dialog
        size="xl"
        title={t('tags.bulkTitle', { count: before.size })}
        action={t('app.close')}
        isBusy={false}
        hasCancel={false}
        error={undefined}
        onSubmit={onClose}
        onClose={onClose}
      >
        <Alert color="teal" role="status">
          {t('tags.bulkDone', { update, unchanged })}
        </Alert>
        <BulkPreview rows={rows} results={results} />
      </Dialog>
    );
  }
  const set = (part: Partial<BulkChange>): void => setChange((known) => ({ ...known, ...part }));
  return (
    <Dialog
      size="xl"
      title={t('tags.bulkTitle', { count: before.size })}
      action={t('tags.bulkApply', { count: rows.length })}
      isBusy={draft.isBusy}
      isDisabled={rows.length === 0 || bad.length > 0 || settled !== change}
      error={draft.error}
      isCovered={draft.stale !== undefined}
      onSubmit={() =>
        void draft.saveTags(new Map(Array.from(before, ([name, text]) => [name, changed(text, change)])))
      }
      onClose={onClose}
    >
      <BulkFields change={change} sample={before.values().next().value} set={set} />
      <Text size="sm" role="status">
        {t('tags.bulkCount', { count: rows.length, total: before.size })}
      </Text>
      {bad.length > 0 && (
        <Alert color="red" role="alert" p="xs">
          {t('tags.bulkBad', { count: bad.length })}
        </Alert>
      )}
      <BulkPreview rows={shown} results={results} />
      <StaleSave
        draft={draft}
        labelOf={(key) => {
          const { name, field } = splitKey(key);
          return `${name} · ${t(`tags.${field}`)}`;
        }}
      />
    </Dialog>
  );
}

/** The result for each tag, or why it was refused, by its old name. */
function resultsOf(
  done: MadeChange | undefined,
  refused: PlanTagsReply['problems'],
  t: TFunction,
): ReadonlyMap<string, string> | undefined {
  if (done === undefined)
    return refused.length === 0 ? undefined : new Map(refused.map(({ name, message }) => [name, message]));
  const words = { add: '', refused: '', update: t('tags.didChange'), unchanged: t('tags.didNotChange') };
  return new Map(done.names.map((name, index) => [name, words[done.reply.rows[index] ?? 'unchanged']]));
}
