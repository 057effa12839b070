import { Button, FileButton, Group, Menu, Select, Text } from '@mantine/core';
import { formatReference } from '@tagway/schemas';
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useId, useMemo, useRef, useState, type ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import { tagsOf, useAllGroups } from '../../api/tag-queries.ts';
import { CellGrid, type CellPosition, type GridColumn } from '../../grid/cell-grid.tsx';
import { cellsOf } from '../../grid/pasted-cells.ts';
import { WrongCells } from '../../grid/wrong-cells.tsx';
import { ConfirmLeaving } from '../../parts/leave-guard.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { download } from '../../parts/download.ts';
import { useAction } from '../../parts/use-action.ts';
import { FileTooBig, fileOf, readTable } from '../../tags/table-file.ts';
import { inOrder, pasteOf, withBlock, withMore, withoutRow, withSpare } from './table-edits.ts';
import { isEmpty, rowsOf, textOf, type TableRow } from './table-lines.ts';
import { TableCheck } from './table-problems.ts';
import { roleIn, type ReferenceRole, type TableColumn, type TableSpec } from './table-spec.ts';
import { TagPicker } from './tag-picker.tsx';
import { useReferenceProblems, type NamedTags } from './use-reference-problems.ts';

interface Props {
  readonly title: string;
  readonly spec: TableSpec;
  readonly role: ReferenceRole | 'link' | undefined;
  readonly text: string;
  /** What the gateway has refused, and the line that it names, from 0. */
  readonly refused: { readonly line: number; readonly message: string } | undefined;
  readonly onTake: (text: string) => void;
  readonly onClose: () => void;
}

/** Wrong cells that are named below the grid; the others follow when these are mended. */
const mostNamed = 5;

/** The lines of a setting as the rows of a table: written, pasted, or from a file. */
export default function TableDialog(props: Props): ReactElement {
  const { title, spec, role, text, refused, onTake, onClose } = props;
  const { t } = useTranslation();
  const hint = useId();
  const before = useRef<readonly TableRow[]>(undefined);
  const [rows, setRows] = useState(() => (before.current = withSpare(rowsOf(text, spec), spec)));
  const [active, setActive] = useState<CellPosition>({ row: 0, column: 0 });
  const [target, setTarget] = useState<CellPosition>();
  const [isAsking, setAsking] = useState(false);
  const { run } = useAction();
  const columns = useMemo(() => gridColumns(spec), [spec]);
  const check = useMemo(() => new TableCheck(spec, t), [spec, t]);
  const own = useMemo(() => check.problemsOf(rows), [check, rows]);
  const named = useMemo(() => namedIn(rows, spec, role), [rows, spec, role]);
  const whyNot = useReferenceProblems(named);
  // The row that the gateway has refused, until it is changed.
  const refusedRow = refused === undefined ? undefined : before.current?.[refused.line];
  const isRefused = refusedRow !== undefined && rows[refused?.line ?? -1] === refusedRow;

  const problemOf = useCallback(
    ({ row, column }: CellPosition): string | undefined => {
      const problem = own[row]?.get(column);
      if (problem !== undefined) return problem;
      if (isRefused && row === refused?.line && column === 0) return refused.message;
      if (spec.columns[column]?.type !== 'reference') return undefined;
      const reason = whyNot(roleIn(spec, column, role), rows[row]?.cells[column]?.trim() ?? '');
      return reason === undefined ? undefined : t('table.noTag', { reason });
    },
    [own, rows, spec, role, whyNot, refused, isRefused, t],
  );
  const wrong = useMemo(() => wrongCells(rows, spec, problemOf), [rows, spec, problemOf]);
  const filled = useMemo(() => rows.filter((row) => !isEmpty(row)).length, [rows]);
  const column = spec.columns[active.column];

  const readFile = (file: File | null, how: 'replace' | 'append'): void => {
    if (file === null) return;
    void run(
      async () => {
        const table = await readTable(file).catch((error: unknown) => {
          throw new Error(t(error instanceof FileTooBig ? 'table.tooBig' : 'table.unreadable'));
        });
        const cells = inOrder(table, spec);
        setRows((known) => withMore(how === 'replace' ? [] : known, cells, spec));
      },
      t('table.imported', { name: file.name }),
    );
  };
  const writeFile = async (): Promise<void> => {
    const cells = rows.filter((row) => !isEmpty(row)).map((row) => row.cells);
    const table = [spec.columns.map(({ name }) => name), ...cells];
    download(`${title}.csv`.replace(/[/\\:*?"<>|]/g, '_'), await fileOf('csv', table));
  };

  return (
    <Dialog
      size="1300px"
      title={title}
      action={t('table.take', { n: filled })}
      isBusy={false}
      isCovered={isAsking}
      error={undefined}
      onSubmit={() => onTake(textOf(rows, spec))}
      onClose={() => (rows === before.current ? onClose() : setAsking(true))}
    >
      <Text size="sm">{t('table.hint')}</Text>
      <Group gap="xs">
        <ImportMenu onFile={readFile} />
        <Button
          variant="default"
          disabled={filled === 0}
          onClick={() => void run(writeFile, t('table.exported', { n: filled }))}
        >
          {t('table.export')}
        </Button>
        {spec.columns.some(({ type }) => type === 'reference') && (
          <GroupTags onTags={(cells) => setRows((known) => withMore(known, cells(spec), spec))} />
        )}
      </Group>
      <CellGrid
        label={title}
        columns={columns}
        rowCount={rows.length}
        textOf={({ row, column: at }) => rows[row]?.cells[at] ?? ''}
        isBlank={(row) => rows[row] === undefined || isEmpty(rows[row])}
        {...{ active, problemOf, target }}
        describedBy={hint}
        onActive={setActive}
        onCell={(cell, written) => setRows((known) => withBlock(known, cell, [[written]], spec))}
        onPaste={(cell, pasted) => {
          const { start, block } = pasteOf(cellsOf(pasted), cell, spec);
          setRows((known) => withBlock(known, start, block, spec));
        }}
      />
      <Group justify="space-between" align="flex-start" mih={44}>
        <div id={hint} aria-live="polite" style={{ flex: '1 1 260px', minWidth: 0 }}>
          <ActiveCell {...{ column, active }} problem={problemOf(active)} />
        </div>
        <Group gap="xs">
          {column?.type === 'reference' && (
            <TagPicker
              label={t('table.pick')}
              onPick={(reference) => {
                setRows((known) => withBlock(known, active, [[reference]], spec));
                setTarget({ ...active });
              }}
            />
          )}
          <Text size="sm" role="status" c={wrong.count > 0 ? 'red' : 'inherit'}>
            {wrong.count > 0 ? t('table.wrong', { n: wrong.count }) : t('table.right', { n: filled })}
          </Text>
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => setRows((known) => withoutRow(known, active.row, spec))}
          >
            {t('grid.removeRow', { row: active.row + 1 })}
          </Button>
        </Group>
      </Group>
      <WrongCells
        cells={wrong.first}
        titleOf={(at) => columns[at]?.title ?? ''}
        problemOf={problemOf}
        onGo={(cell) => setTarget({ ...cell })}
      />
      {isAsking && <ConfirmLeaving onLeave={onClose} onStay={() => setAsking(false)} />}
    </Dialog>
  );
}

const gridColumns = ({ columns }: TableSpec): readonly GridColumn[] =>
  columns.map(({ name, title, type, choices, many, maxLength, examples = [] }) => ({
    key: name,
    title,
    width:
      type === 'reference' || maxLength !== undefined
        ? 250
        : type === 'integer' || type === 'number'
          ? 90
          : many === true
            ? 190
            : Math.min(250, Math.max(110, ...examples.map((example) => example.length * 8))),
    ...(choices !== undefined && many !== true && { choices }),
  }));

/** The references of all rows, each once. */
function namedIn(rows: readonly TableRow[], spec: TableSpec, role: Props['role']): NamedTags {
  const named = { read: new Set<string>(), write: new Set<string>() };
  for (const [column, { type }] of spec.columns.entries()) {
    if (type !== 'reference') continue;
    const own = named[roleIn(spec, column, role)];
    for (const { cells } of rows) if (cells[column]) own.add(cells[column].trim());
  }
  return { read: [...named.read], write: [...named.write] };
}

function wrongCells(
  rows: readonly TableRow[],
  { columns }: TableSpec,
  problemOf: (cell: CellPosition) => string | undefined,
): { readonly count: number; readonly first: readonly CellPosition[] } {
  const first: CellPosition[] = [];
  let count = 0;
  for (const [row, one] of rows.entries()) {
    if (isEmpty(one)) continue;
    for (const column of columns.keys()) {
      if (problemOf({ row, column }) === undefined) continue;
      count += 1;
      if (first.length < mostNamed) first.push({ row, column });
    }
  }
  return { count, first };
}

/** What the active cell is for, and what is wrong with it. */
function ActiveCell({
  column,
  active,
  problem,
}: {
  readonly column: TableColumn | undefined;
  readonly active: CellPosition;
  readonly problem: string | undefined;
}): ReactElement {
  const { t } = useTranslation();
  const { title = '', description, choices, examples = [] } = column ?? {};
  return (
    <>
      <Text size="sm" c={problem === undefined ? 'dimmed' : 'red'} style={{ overflowWrap: 'anywhere' }}>
        {t('grid.cell', { column: title, row: active.row + 1 })}
        {problem !== undefined && `: ${problem}`}
      </Text>
      <Text size="xs">
        {description} {choices !== undefined && t('table.choices', { choices: choices.join(', ') })}{' '}
        {examples.length > 0 && (
          <>
            {t('tags.examples')} <code>{examples.join('   ')}</code>
          </>
        )}
      </Text>
    </>
  );
}

function ImportMenu({
  onFile,
}: {
  readonly onFile: (file: File | null, how: 'replace' | 'append') => void;
}): ReactElement {
  const { t } = useTranslation();
  return (
    <Menu closeOnItemClick={false}>
      <Menu.Target>
        <Button variant="default">{t('table.import')}</Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(['replace', 'append'] as const).map((how) => (
          <FileButton key={how} accept=".csv,.xlsx,text/csv" onChange={(file) => onFile(file, how)}>
            {(props) => <Menu.Item {...props}>{t(`table.${how}`)}</Menu.Item>}
          </FileButton>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Adds a row for each tag of a group. */
function GroupTags({
  onTags,
}: {
  readonly onTags: (cells: (spec: TableSpec) => readonly (readonly (string | undefined)[])[]) => void;
}): ReactElement {
  const { t } = useTranslation();
  const queries = useQueryClient();
  const { data: groups = [] } = useAllGroups();
  const { run } = useAction();
  const add = async (index: number): Promise<void> => {
    const { driver: node, group } = groups[index]!;
    const tags = await queries.query({ ...tagsOf(node, group), staleTime: 30_000 });
    onTags(({ columns }) => {
      const at = columns.findIndex(({ type }) => type === 'reference');
      return tags.map(({ name }) =>
        columns.map((_, column) => (column === at ? formatReference({ node, group, tag: name }) : undefined)),
      );
    });
  };
  return (
    <Select
      aria-label={t('table.addGroup')}
      placeholder={t('table.addGroup')}
      data={groups.map(({ driver, group, tag_count: count }, index) => ({
        value: String(index),
        label: `${driver} / ${group} (${count})`,
      }))}
      value={null}
      onChange={(index) => index !== null && void run(() => add(Number(index)), t('table.added'))}
      searchable
      limit={100}
      selectFirstOptionOnChange
      nothingFoundMessage={t('app.none')}
      w={240}
    />
  );
}
