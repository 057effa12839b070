import { Alert, Button, FileInput, Group, Stack, Switch, Text, Textarea } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { GroupRecord, PlanTagsReply } from '@tagway/schemas';
import { useCallback, useEffect, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { isStale } from '../api/call.ts';
import type { TagRules } from '../api/tag-rules.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useSending } from '../parts/use-sending.ts';
import { applyTags } from './apply.ts';
import { BadCells, Changes } from './import-preview.tsx';
import { FileTooBig, readTable, readText } from './table-file.ts';
import { saveLeftOut, sentencesOf } from './left-out.ts';
import { columns as fileColumns, linesOf } from './tag-file.ts';
import { planOf, type ImportMode, type TagPlan } from './tag-plan.ts';

interface Props {
  readonly node: string;
  /** The group of rows that name none. */
  readonly group: string;
  readonly groups: readonly GroupRecord[];
  readonly rules: TagRules;
  /** The text that was pasted on the page; empty without one. */
  readonly pasted: string;
  readonly onClose: () => void;
  readonly onDone: (done: PlanTagsReply) => void;
}

/** Imports tags from a file or from pasted rows. It lists every row with an error; all rows are sent together or none. */
export function ImportDialog(props: Props): ReactElement {
  const { node, group, groups, rules, pasted, onClose, onDone } = props;
  const { t } = useTranslation();
  const [text, setText] = useState(pasted);
  const [settled] = useDebouncedValue(text, 250);
  const [file, setFile] = useState<File | null>(null);
  const [mode, setMode] = useState<ImportMode>('merge');
  const { table, failure } = useTable(file, settled);
  /** Rows that were found bad and are not imported. */
  const [skipped, setSkipped] = useState(noRows);
  useEffect(() => setSkipped(noRows), [table]);
  const { plan, isPending, error: refusal, renew } = usePlan(node, group, table, rules, mode, skipped);
  const { isBusy, error, run } = useSending();

  const apply = (): Promise<void> =>
    run(async () => {
      if (plan?.body === undefined) return;
      const applied = await applyTags(plan.body, plan.revision).catch((problem: unknown) => {
        if (!isStale(problem)) throw problem;
        renew();
        throw new Error(t('transfer.stale'), { cause: problem });
      });
      onDone(applied.value);
    });
  const { bad = [], reply } = plan ?? {};
  const changes = reply === undefined ? 0 : reply.add + reply.update + reply.remove;
  const badRows = new Set(bad.map(({ row }) => row));
  const rows = badRows.size;
  const newGroups = [...new Set(plan?.lines?.map((line) => line.group))].filter(
    (name) => !groups.some((known) => known.name === name),
  );

  return (
    <Dialog
      size="xl"
      title={t('tags.importTitle')}
      action={t('tags.apply')}
      isBusy={isBusy}
      isDisabled={changes === 0 || rows > 0 || isPending}
      error={refusal ?? error ?? failure}
      onSubmit={() => void apply()}
      onClose={onClose}
    >
      <FileInput
        label={t('tags.file')}
        data-autofocus
        description={t('tags.columns', { columns: fileColumns.join(', ') })}
        placeholder={t('tags.chooseFile')}
        accept=".csv,.tsv,.txt,.xlsx"
        clearable
        value={file}
        onChange={(chosen) => {
          setFile(chosen);
          setText('');
        }}
      />
      <Textarea
        label={t('tags.paste')}
        rows={3}
        value={text}
        spellCheck={false}
        styles={{ input: { fontFamily: 'monospace', whiteSpace: 'pre', overflowX: 'auto' } }}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setFile(null);
        }}
      />
      <Switch
        label={t('tags.replaceAll')}
        description={t('tags.replaceAllHint')}
        checked={mode === 'replace'}
        onChange={(event) => setMode(event.currentTarget.checked ? 'replace' : 'merge')}
      />
      {isPending && (
        <Text size="sm" role="status">
          {t('tags.checking')}
        </Text>
      )}
      {rows > 0 && (
        <>
          <Alert color="red" role="alert">
            {t('tags.badRows', { count: rows })}
          </Alert>
          <BadCells cells={bad} />
          <Group gap="xs">
            <Button
              size="compact-sm"
              variant="default"
              // In this mode the tags of rows that are left out would be removed.
              disabled={mode === 'replace' || plan?.lines === undefined}
              onClick={() => setSkipped(new Map([...skipped, ...sentencesOf(bad, t)]))}
            >
              {t('tags.leaveOut', { count: rows })}
            </Button>
            {mode === 'replace' && <Text size="sm">{t('tags.leaveOutNot')}</Text>}
          </Group>
        </>
      )}
      {skipped.size > 0 && table !== undefined && (
        <Alert color="yellow" role="status">
          <Group gap="xs">
            <Text size="sm">{t('tags.leftOut', { count: skipped.size })}</Text>
            <Button size="compact-sm" variant="default" onClick={() => void saveLeftOut(table, skipped)}>
              {t('tags.saveLeftOut')}
            </Button>
          </Group>
        </Alert>
      )}
      {reply !== undefined && plan?.lines !== undefined && (
        <Stack gap="xs">
          <Alert
            color={rows > 0 ? 'gray' : changes === 0 ? 'blue' : reply.remove > 0 ? 'red' : 'teal'}
            role="status"
          >
            <Text size="sm">
              {t('tags.plan', {
                add: reply.add,
                update: reply.update,
                unchanged: reply.unchanged,
                remove: reply.remove,
              })}
            </Text>
            {changes === 0 && rows === 0 && <Text size="sm">{t('tags.noChange')}</Text>}
            {newGroups.length > 0 && (
              <Text size="sm">{t('tags.newGroups', { groups: newGroups.join(', ') })}</Text>
            )}
          </Alert>
          {rows === 0 && <Changes lines={plan.lines} actions={reply.rows} />}
        </Stack>
      )}
    </Dialog>
  );
}

const noRows: ReadonlyMap<number, string> = new Map();

type Cells = readonly (readonly string[])[];

/** The cells of the file, or of the text if there is no file. */
function useTable(
  file: File | null,
  text: string,
): { readonly table: Cells | undefined; readonly failure: unknown } {
  const { t } = useTranslation();
  const [found, setFound] = useState<{ readonly table?: Cells; readonly failure?: unknown }>({});
  useEffect(() => {
    let isCurrent = true;
    setFound({});
    if (file === null && text.trim() === '') return undefined;
    (file === null ? readText(text) : readTable(file))
      .then((table) => {
        if (isCurrent) setFound({ table });
      })
      .catch((problem: unknown) => {
        const failure = problem instanceof FileTooBig ? new Error(t('tags.fileTooBig')) : problem;
        if (isCurrent) setFound({ failure });
      });
    return () => {
      isCurrent = false;
    };
  }, [file, text, t]);
  return { table: found.table, failure: found.failure };
}

interface Planned {
  readonly plan?: Pick<TagPlan, 'bad'> & Partial<TagPlan>;
  readonly isPending: boolean;
  readonly error?: unknown;
}

/** The effect of the cells on the tags, when it is known. */
function usePlan(
  node: string,
  group: string,
  table: Cells | undefined,
  rules: TagRules,
  mode: ImportMode,
  skipped: ReadonlyMap<number, string>,
): Planned & { readonly renew: () => void } {
  const [planned, setPlanned] = useState<Planned>({ isPending: false });
  const [attempt, setAttempt] = useState(0);
  const renew = useCallback(() => setAttempt((count) => count + 1), []);
  useEffect(() => {
    if (table === undefined || rules.isPending) {
      setPlanned({ isPending: table !== undefined });
      return undefined;
    }
    const gone = new AbortController();
    const { signal } = gone;
    setPlanned({ isPending: true });
    linesOf(table, group, rules)
      .then((lines) => lines.filter(({ row }) => !skipped.has(row)))
      .then((lines) => (signal.aborted ? undefined : planOf(node, lines, mode, signal)))
      .then((plan) => {
        if (!signal.aborted && plan !== undefined) setPlanned({ plan, isPending: false });
      })
      .catch((error: unknown) => {
        if (!signal.aborted) setPlanned({ error, isPending: false });
      });
    return () => gone.abort();
  }, [node, group, table, rules, mode, skipped, attempt]);
  return { ...planned, renew };
}
