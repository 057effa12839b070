import type { CellPosition } from '../grid/cell-grid.tsx';
import type { TagRules } from '../api/tag-rules.ts';
import { cellsOf } from '../grid/pasted-cells.ts';
import { tagProblems, type Problem } from './tag-problems.ts';
import { tagFrom, type TagText } from './tag-text.ts';

/** The columns of the grid, in their order. */
export const gridColumns = [
  ...(['name', 'address', 'type', 'attribute', 'description'] as const),
  ...(['decimal', 'bias', 'precision', 'value'] as const),
  ...(['deadband', 'unit', 'low', 'high'] as const),
];
export type TagColumn = (typeof gridColumns)[number];

const blank: TagText = {
  name: '',
  address: '',
  type: '',
  attribute: '',
  description: '',
  decimal: '',
  bias: '',
  precision: '',
  value: '',
  deadband: '',
  unit: '',
  low: '',
  high: '',
};
/** Type and attribute of the first tag by default. */
const defaults = { type: 'INT16', attribute: 'Read' };
/** Empty rows after the last one in use. */
const spareRows = 3;
const initialRows = 12;

export const isBlank = (row: TagText): boolean => gridColumns.every((column) => row[column].trim() === '');

export const noRows: readonly TagText[] = Array.from({ length: initialRows }, () => blank);

/** The rows with one cell changed. A row that was empty gets the type and the attribute of the row above it. */
export function withCell(rows: readonly TagText[], cell: CellPosition, text: string): readonly TagText[] {
  return withBlock(rows, cell, [[text]]);
}

/** The rows with a block of cells written to the right of a cell and down. Undefined cells are skipped; missing rows are added. */
export function withBlock(
  rows: readonly TagText[],
  { row: top, column: left }: CellPosition,
  block: readonly (readonly (string | undefined)[])[],
): readonly TagText[] {
  const next = [...rows];
  for (const [offset, cells] of block.entries()) {
    const index = top + offset;
    const before = next[index] ?? blank;
    const written: Record<string, string> = { ...before };
    for (const [shift, cell] of cells.entries()) {
      const column = gridColumns[left + shift];
      if (column !== undefined && cell !== undefined) written[column] = cell;
    }
    next[index] = withDefaults(written as TagText, before, next[index - 1]);
  }
  return withSpareRows(next);
}

function withDefaults(row: TagText, before: TagText, above: TagText | undefined): TagText {
  if (!isBlank(before) || isBlank(row)) return row;
  const from = above === undefined || isBlank(above) ? defaults : above;
  return { ...row, type: row.type || from.type, attribute: row.attribute || from.attribute };
}

function withSpareRows(rows: readonly TagText[]): readonly TagText[] {
  const used = rows.findLastIndex((row) => !isBlank(row)) + 1;
  const missing = Math.max(0, used + spareRows - rows.length);
  return missing === 0 ? rows : [...rows, ...Array.from({ length: missing }, () => blank)];
}

/** The rows without one of them. */
export const withoutRow = (rows: readonly TagText[], row: number): readonly TagText[] =>
  withSpareRows(rows.filter((_, index) => index !== row));

/** The cells of a block that was copied from a spreadsheet. If the first row has titles, the cells are ordered by them. */
export function blockOf(text: string): {
  readonly cells: (string | undefined)[][];
  readonly isTitled: boolean;
} {
  const cells = cellsOf(text);
  const titles = (cells[0] ?? []).map((title) => title.trim().toLowerCase());
  if (!titles.includes('name') || !(titles.includes('address') || titles.includes('type')))
    return { cells, isTitled: false };
  const ordered = cells.slice(1).map((row) => gridColumns.map((column) => row[titles.indexOf(column)]));
  return { cells: ordered, isTitled: true };
}

const problemCache = new WeakMap<
  TagText,
  { readonly rules: TagRules; readonly problems: readonly Problem[] }
>();

/** The problems of each row; empty rows have none. `taken` are the names of the group's tags. */
export function problemsOf(
  rows: readonly TagText[],
  rules: TagRules,
  taken: ReadonlySet<string>,
): readonly (readonly Problem[])[] {
  const names = new Map<string, number>();
  return rows.map((row, index) => {
    if (isBlank(row)) return [];
    const first = names.get(row.name);
    if (first === undefined && row.name !== '') names.set(row.name, index);
    const own = ownProblems(row, rules);
    if (taken.has(row.name)) return [...own, { field: 'name', value: row.name, rule: 'taken', limit: '' }];
    if (first === undefined) return own;
    return [...own, { field: 'name', value: row.name, rule: 'double', limit: String(first + 1) }];
  });
}

function ownProblems(row: TagText, rules: TagRules): readonly Problem[] {
  const known = problemCache.get(row);
  if (known?.rules === rules) return known.problems;
  const { tag, problems: unreadable } = tagFrom(row);
  const fields = new Set(unreadable.map(({ field }) => field));
  // Without a valid type the address is not checked.
  const checked = tagProblems(tag, fields.has('type') ? { ...rules, addresses: undefined } : rules);
  const problems = [...unreadable, ...checked.filter(({ field }) => !fields.has(field))];
  problemCache.set(row, { rules, problems });
  return problems;
}
