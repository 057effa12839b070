import type { TagRules } from '../api/tag-rules.ts';
import { tagProblems, type Problem } from './tag-problems.ts';
import { tagFrom, type TagText } from './tag-text.ts';

/** The columns of the grid, in their order. */
export const gridColumns = [
  ...(['name', 'address', 'type', 'attribute', 'description'] as const),
  ...(['decimal', 'bias', 'precision', 'value'] as const),
];
export type GridColumn = (typeof gridColumns)[number];

/** A cell by the index of its row and of its column. */
export interface Place {
  readonly row: number;
  readonly column: number;
}

const blank: TagText = {
  ...{ name: '', address: '', type: '', attribute: '', description: '' },
  ...{ decimal: '', bias: '', precision: '', value: '' },
};
/** What the first tag is when nothing else is said. */
const usual = { type: 'INT16', attribute: 'Read' };
/** Empty rows at the end, so that there is always one to write into. */
const spare = 3;
const atFirst = 12;

export const isBlank = (row: TagText): boolean => gridColumns.every((column) => row[column].trim() === '');

export const noRows: readonly TagText[] = Array.from({ length: atFirst }, () => blank);

/** With one cell changed. A row that is begun gets the type and the attribute of the one above it. */
export function withCell(rows: readonly TagText[], place: Place, text: string): readonly TagText[] {
  return withBlock(rows, place, [[text]]);
}

/** With a block of cells put over those from a place on, to the right and down, but where the block has none. Rows are added where there are too few. */
export function withBlock(
  rows: readonly TagText[],
  { row: top, column: left }: Place,
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
    next[index] = begun(written as TagText, before, next[index - 1]);
  }
  return padded(next);
}

function begun(row: TagText, before: TagText, above: TagText | undefined): TagText {
  if (!isBlank(before) || isBlank(row)) return row;
  const from = above === undefined || isBlank(above) ? usual : above;
  return { ...row, type: row.type || from.type, attribute: row.attribute || from.attribute };
}

function padded(rows: readonly TagText[]): readonly TagText[] {
  const used = rows.findLastIndex((row) => !isBlank(row)) + 1;
  const missing = Math.max(0, used + spare - rows.length);
  return missing === 0 ? rows : [...rows, ...Array.from({ length: missing }, () => blank)];
}

/** Without a row. */
export const withoutRow = (rows: readonly TagText[], row: number): readonly TagText[] =>
  padded(rows.filter((_, index) => index !== row));

/** The cells of a block that was copied from a spreadsheet; titles on top say which columns they are. */
export function blockOf(text: string): {
  readonly cells: (string | undefined)[][];
  readonly isTitled: boolean;
} {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^\t\r\n]*))(\t|\r?\n|$)/g)) {
    rows.at(-1)?.push(quoted?.replaceAll('""', '"').replaceAll(/\s*\n\s*/g, ' ') ?? plain);
    if (end === '') break;
    if (end !== '\t') rows.push([]);
  }
  const cells = rows.filter((row, index) => index < rows.length - 1 || row.some((cell) => cell !== ''));
  const titles = (cells[0] ?? []).map((title) => title.trim().toLowerCase());
  if (!titles.includes('name') || !(titles.includes('address') || titles.includes('type')))
    return { cells, isTitled: false };
  const ordered = cells.slice(1).map((row) => gridColumns.map((column) => row[titles.indexOf(column)]));
  return { cells: ordered, isTitled: true };
}

const seen = new WeakMap<TagText, { readonly rules: TagRules; readonly problems: readonly Problem[] }>();

/** What is wrong with each row; nothing with those that are empty. `taken` are names that the group has already. */
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
  const known = seen.get(row);
  if (known?.rules === rules) return known.problems;
  const { tag, problems: unread } = tagFrom(row);
  const fields = new Set(unread.map(({ field }) => field));
  // A type that could not be read says nothing of the address.
  const judged = tagProblems(tag, fields.has('type') ? { ...rules, addresses: undefined } : rules);
  const problems = [...unread, ...judged.filter(({ field }) => !fields.has(field))];
  seen.set(row, { rules, problems });
  return problems;
}
