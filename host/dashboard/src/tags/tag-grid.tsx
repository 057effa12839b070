import { Button, Group, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import type { PlanTagsReply } from '@tagway/schemas';
import type { TFunction } from 'i18next';
import { useCallback, useEffect, useId, useMemo, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { TagRules } from '../api/tag-rules.ts';
import { CellGrid, type CellPosition, type GridColumn } from '../grid/cell-grid.tsx';
import { WrongCells } from '../grid/wrong-cells.tsx';
import { ConfirmLeaving } from '../parts/leave-guard.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useSending } from '../parts/use-sending.ts';
import { typeFrom, typeNames } from '../values/data-types.ts';
import { applyTags, planTags, refusedRows } from './apply.ts';
import type { GroupDialogProps } from './group-dialog.ts';
import {
  blockOf,
  gridColumns,
  isBlank,
  noRows,
  problemsOf,
  withBlock,
  withCell,
  withoutRow,
  type TagColumn,
} from './grid-rows.ts';
import { tagFrom, type TagText } from './tag-text.ts';

interface Props extends GroupDialogProps {
  readonly onDone: (count: number) => void;
}

/** New tags that are typed or pasted into cells as in a spreadsheet. All are added in one request or none. */
export function TagGrid({ node, group, rules, tags, onClose, onDone }: Props): ReactElement {
  const { t } = useTranslation();
  const hint = useId();
  const [rows, setRows] = useState(noRows);
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 });
  const [isAsking, setAsking] = useState(false);
  const [target, setTarget] = useState<CellPosition>();
  const columns = useMemo(() => columnsIn(t), [t]);
  const { isBusy, error, run } = useSending();
  const taken = useMemo(() => new Set(tags.map(({ name }) => name)), [tags]);
  const own = useMemo(() => problemsOf(rows, rules, taken), [rows, rules, taken]);
  const filled = useMemo(() => rows.filter((row) => !isBlank(row)), [rows]);
  const ownCount = own.reduce((sum, problems) => sum + problems.length, 0);
  const refused = useGatewayProblems(node, group, filled, ownCount === 0 && !rules.isPending, error);
  const count = ownCount + refused.size;

  const problemOf = useCallback(
    ({ row, column }: CellPosition): string | undefined => {
      const field = gridColumns[column];
      const problem = own[row]?.find((one) => one.field === field);
      // The user has not reached this cell yet.
      if (problem?.rule === 'missing' && row === active.row && column >= active.column) return undefined;
      if (problem !== undefined) return t(`tags.rule.${problem.rule}`, { limit: problem.limit });
      const text = rows[row];
      return text === undefined ? undefined : refused.get(text)?.get(field ?? '');
    },
    [own, rows, refused, active, t],
  );
  const add = (): Promise<void> =>
    run(async () => {
      const { value } = await applyTags({ node, group, tags: filled.map(tagOf), mode: 'add' });
      onDone(value.add);
    });

  return (
    <Dialog
      size="1300px"
      title={t('grid.title')}
      action={t('grid.add', { n: filled.length })}
      isBusy={isBusy}
      isDisabled={filled.length === 0 || count > 0}
      isCovered={isAsking}
      error={error}
      onSubmit={() => void add()}
      onClose={() => (filled.length === 0 ? onClose() : setAsking(true))}
    >
      <Text size="sm">{t('grid.hint')}</Text>
      <CellGrid
        label={t('grid.title')}
        columns={columns}
        rowCount={rows.length}
        textOf={({ row, column }) => rows[row]?.[gridColumns[column] ?? 'name'] ?? ''}
        isBlank={(row) => rows[row] === undefined || isBlank(rows[row])}
        {...{ active, problemOf }}
        describedBy={hint}
        target={target}
        onActive={setActive}
        onCell={(cell, text) => setRows((known) => withCell(known, cell, text))}
        onPaste={(cell, text) => {
          const { cells, isTitled } = blockOf(text);
          const start = isTitled ? { row: cell.row, column: 0 } : cell;
          setRows((known) => withBlock(known, start, cells));
        }}
      />
      <Group justify="space-between" align="flex-start" mih={44}>
        <ActiveCell id={hint} {...{ rows, active, rules }} problem={problemOf(active)} />
        <Group gap="xs">
          <Text size="sm" role="status" c={count > 0 ? 'red' : 'inherit'}>
            {count > 0 ? t('grid.wrong', { n: count }) : t('grid.right', { n: filled.length })}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setRows((known) => withoutRow(known, active.row))}
          >
            {t('grid.removeRow', { row: active.row + 1 })}
          </Button>
        </Group>
      </Group>
      <WrongCells
        cells={wrongCells(rows, active, problemOf)}
        titleOf={(column) => columns[column]?.title ?? ''}
        problemOf={problemOf}
        onGo={(cell) => setTarget({ ...cell })}
      />
      {isAsking && <ConfirmLeaving onLeave={onClose} onStay={() => setAsking(false)} />}
    </Dialog>
  );
}

/** Width of each column in pixels. */
const widths: Readonly<Record<TagColumn, number>> = {
  name: 190,
  address: 180,
  type: 96,
  attribute: 150,
  description: 200,
  decimal: 90,
  bias: 80,
  precision: 80,
  value: 110,
  deadband: 90,
  unit: 80,
  low: 80,
  high: 80,
};

const choices: Readonly<Partial<Record<TagColumn, readonly string[]>>> = {
  type: typeNames,
  attribute: ['Read', 'Write', 'Read Write', 'Subscribe', 'Read Subscribe', 'Static'],
};

const columnsIn = (t: TFunction): readonly GridColumn[] =>
  gridColumns.map((key) => {
    const proposed = choices[key];
    return { key, title: t(`tags.${key}`), width: widths[key], ...(proposed && { choices: proposed }) };
  });

/** Wrong cells that are named below the grid; the others follow when these are mended. */
const mostNamed = 5;

/** The first cells that have a problem, without the active one, whose problem is shown already. */
function wrongCells(
  rows: readonly TagText[],
  active: CellPosition,
  problemOf: (cell: CellPosition) => string | undefined,
): CellPosition[] {
  const found: CellPosition[] = [];
  for (let row = 0; row < rows.length && found.length < mostNamed; row += 1)
    for (let column = 0; column < gridColumns.length && found.length < mostNamed; column += 1)
      if (!(row === active.row && column === active.column) && problemOf({ row, column }) !== undefined)
        found.push({ row, column });
  return found;
}

const tagOf = (row: TagText) => tagFrom(row).tag;

/** The problem of the active cell, and examples of addresses. */
function ActiveCell({
  id,
  rows,
  active,
  rules,
  problem,
}: {
  readonly id: string;
  readonly rows: readonly TagText[];
  readonly active: CellPosition;
  readonly rules: TagRules;
  readonly problem: string | undefined;
}): ReactElement {
  const { t } = useTranslation();
  const field = gridColumns[active.column] ?? 'name';
  const type = typeFrom(rows[active.row]?.type ?? '');
  const examples = (field === 'address' && type !== undefined && rules.examples.get(type)) || [];
  return (
    <div id={id} aria-live="polite" style={{ flex: '1 1 260px', minWidth: 0 }}>
      <Text size="sm" c={problem === undefined ? 'dimmed' : 'red'}>
        {t('grid.cell', { column: t(`tags.${field}`), row: active.row + 1 })}
        {problem !== undefined && `: ${problem}`}
      </Text>
      {examples.length > 0 && (
        <Text size="xs">
          {t('tags.examples')} <code>{examples.join('   ')}</code>
        </Text>
      )}
    </div>
  );
}

/** The gateway's sentences about rows, by field. */
type RowProblems = ReadonlyMap<TagText, ReadonlyMap<string, string>>;
const noProblems: RowProblems = new Map();

/** The gateway's problems with rows that are valid by themselves: it checks them shortly after the last change and when tags are added. */
function useGatewayProblems(
  node: string,
  group: string,
  filled: readonly TagText[],
  isReady: boolean,
  refusal: unknown,
): RowProblems {
  const [settled] = useDebouncedValue(filled, 600);
  const [asked, setAsked] = useState<RowProblems>(noProblems);
  const isCurrent = settled === filled;
  useEffect(() => {
    if (!isReady || !isCurrent || settled.length === 0) return undefined;
    const gone = new AbortController();
    planTags({ node, group, tags: settled.map(tagOf), mode: 'add' }, gone.signal)
      .then(({ value }) => setAsked(byRow(settled, value.problems)))
      // If the check fails, the problems are shown when the tags are added.
      .catch(() => undefined);
    return () => gone.abort();
  }, [node, group, settled, isReady, isCurrent]);
  // The problems of the rows that were sent.
  const [refused, setRefused] = useState<RowProblems>(noProblems);
  useEffect(() => {
    const problems = refusedRows(refusal);
    if (problems.length > 0) setRefused((known) => (known === noProblems ? byRow(filled, problems) : known));
    else setRefused(noProblems);
  }, [refusal, filled]);
  return useMemo(() => {
    const here = new Set(filled);
    return new Map([...asked, ...refused].filter(([row]) => here.has(row)));
  }, [asked, refused, filled]);
}

function byRow(rows: readonly TagText[], problems: PlanTagsReply['problems']): RowProblems {
  const found = new Map<TagText, Map<string, string>>();
  for (const { index, field = 'name', message } of problems) {
    const row = rows[index];
    if (row === undefined) continue;
    const known = found.get(row) ?? new Map<string, string>();
    known.set(field, message);
    found.set(row, known);
  }
  return found;
}
