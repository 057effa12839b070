import { Alert, Button, FileInput, Group, Modal, Stack, Text, Textarea } from '@mantine/core';
import type { GroupRecord } from '@tagway/schemas';
import { useEffect, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { TagRules } from '../api/tag-rules.ts';
import { Table, type Column } from '../parts/table.tsx';
import { Trouble } from '../shell/trouble.tsx';
import { columns as fileColumns, linesOf, type TagLine } from './tag-file.ts';
import { FileTooBig, readTable, readText } from './table-file.ts';
import { applyTags, planTags, type TagPlan } from './tag-plan.ts';
import type { Problem } from './tag-problems.ts';

interface Props {
  readonly node: string;
  /** Where lines without a group belong. */
  readonly group: string;
  readonly groups: readonly GroupRecord[];
  readonly rules: TagRules;
  /** What was pasted, if this began so. */
  readonly pasted: string;
  readonly onClose: () => void;
  readonly onDone: (plan: TagPlan) => void;
}

type BadLine = Problem & { readonly row: number; readonly key: string };

/** Shows what a file or a pasted table would do, with every bad line of it, before anything is sent. */
export function ImportDialog(props: Props): ReactElement {
  const { node, group, groups, rules, pasted, onClose, onDone } = props;
  const { t } = useTranslation();
  const [text, setText] = useState(pasted);
  const [table, setTable] = useState<readonly (readonly string[])[]>();
  const [plan, setPlan] = useState<TagPlan>();
  const [error, setError] = useState<unknown>();
  const [isBusy, setBusy] = useState(false);
  const lines = useMemo(
    () => (table === undefined || rules.isPending ? undefined : linesOf(table, group, rules)),
    [table, group, rules],
  );
  const bad = useMemo(() => lines?.flatMap(badLines) ?? [], [lines]);

  async function take(read: () => Promise<string[][]>): Promise<void> {
    setError(undefined);
    setTable(undefined);
    try {
      setTable(await read());
    } catch (problem) {
      setError(problem instanceof FileTooBig ? new Error(t('tags.fileTooBig')) : problem);
    }
  }

  // What was pasted is read once, when the dialog opens.
  useEffect(() => {
    if (pasted !== '') readText(pasted).then(setTable).catch(setError);
  }, [pasted]);

  useEffect(() => {
    setPlan(undefined);
    if (lines === undefined || bad.length > 0) return undefined;
    let isCurrent = true;
    planTags(node, groups, lines)
      .then((made) => {
        if (isCurrent) setPlan(made);
      })
      .catch(setError);
    return () => {
      isCurrent = false;
    };
  }, [node, groups, lines, bad]);

  async function apply(wanted: TagPlan): Promise<void> {
    setBusy(true);
    setError(undefined);
    try {
      await applyTags(node, wanted, groups);
      onDone(wanted);
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  const changes = plan === undefined ? 0 : plan.add.length + plan.update.length;
  return (
    <Modal
      opened
      onClose={onClose}
      closeButtonProps={{ 'aria-label': t('app.close') }}
      size="xl"
      title={t('tags.importTitle')}
    >
      <Stack gap="sm">
        <FileInput
          label={t('tags.file')}
          description={t('tags.columns', { columns: fileColumns.join(', ') })}
          accept=".csv,.tsv,.txt,.xlsx"
          clearable
          onChange={(file) => {
            if (file !== null) void take(() => readTable(file));
          }}
        />
        <Textarea
          label={t('tags.paste')}
          rows={4}
          value={text}
          spellCheck={false}
          onChange={(event) => {
            const { value } = event.currentTarget;
            setText(value);
            void take(() => readText(value));
          }}
        />
        <Trouble error={error} />
        {bad.length > 0 && (
          <>
            <Alert color="red" role="alert">
              {t('tags.badRows', { count: new Set(bad.map(({ row }) => row)).size })}
            </Alert>
            <BadRows rows={bad} />
          </>
        )}
        {plan !== undefined && table !== undefined && (
          <Alert color={changes > 0 ? 'teal' : 'blue'} role="status">
            <Text size="sm">
              {t('tags.plan', {
                add: plan.add.length,
                update: plan.update.length,
                unchanged: plan.unchanged,
              })}
            </Text>
            {plan.newGroups.size > 0 && (
              <Text size="sm">{t('tags.newGroups', { groups: [...plan.newGroups.keys()].join(', ') })}</Text>
            )}
          </Alert>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t('app.cancel')}
          </Button>
          <Button
            loading={isBusy}
            disabled={changes === 0}
            onClick={() => {
              if (plan !== undefined) void apply(plan);
            }}
          >
            {t('tags.apply')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

const badLines = ({ row, problems }: TagLine): BadLine[] =>
  problems.map((problem, index) => ({ ...problem, row, key: `${row}.${index}` }));

function BadRows({ rows }: { readonly rows: readonly BadLine[] }): ReactElement {
  const { t } = useTranslation();
  const columns: readonly Column<BadLine>[] = [
    { key: 'row', title: t('tags.row'), width: 70, order: ({ row }) => row, cell: ({ row }) => row },
    {
      key: 'field',
      title: t('tags.column'),
      width: 110,
      order: ({ field }) => field,
      cell: ({ field }) => field,
    },
    {
      key: 'value',
      title: t('tags.value'),
      cell: ({ value }) => (
        <Text size="sm" ff="monospace" truncate maw={220}>
          {value}
        </Text>
      ),
    },
    {
      key: 'rule',
      title: t('tags.rules'),
      cell: ({ rule, limit }) => <Text size="sm">{t(`tags.rule.${rule}`, { limit })}</Text>,
    },
  ];
  return (
    <Table rows={rows} columns={columns} keyOf={({ key }) => key} label={t('tags.badList')} height="280px" />
  );
}
