import type { CellPosition } from '../../grid/cell-grid.tsx';
import { barely, isEmpty, type TableRow } from './table-lines.ts';
import type { TableSpec } from './table-spec.ts';

/** Empty rows after the last one in use. */
const spareRows = 3;
/** Rows that a table shows at least. */
const fewestRows = 8;

const blank = ({ columns }: TableSpec): TableRow => ({ cells: columns.map(() => '') });

/** The rows with a few empty ones after them. */
export function withSpare(rows: readonly TableRow[], spec: TableSpec): readonly TableRow[] {
  const used = rows.findLastIndex((row) => !isEmpty(row)) + 1;
  const missing = Math.max(fewestRows, used + spareRows) - rows.length;
  return missing <= 0 ? rows : [...rows, ...Array.from({ length: missing }, () => blank(spec))];
}

/** The rows with a block of cells written to the right of a cell and down. */
export function withBlock(
  rows: readonly TableRow[],
  { row: top, column: left }: CellPosition,
  block: readonly (readonly (string | undefined)[])[],
  spec: TableSpec,
): readonly TableRow[] {
  const next = [...rows];
  for (const [offset, texts] of block.entries()) {
    const before = next[top + offset] ?? blank(spec);
    const isNew = isEmpty(before);
    const cells = spec.columns.map((column, at) => {
      const text = texts[at - left];
      if (at >= left && text !== undefined)
        return column.type === 'reference' && block.length > 1 ? barely(text) : text;
      return isNew ? (column.default ?? '') : (before.cells[at] ?? '');
    });
    next[top + offset] = { cells };
  }
  return withSpare(next, spec);
}

/** The rows without one of them. */
export const withoutRow = (rows: readonly TableRow[], row: number, spec: TableSpec): readonly TableRow[] =>
  withSpare(
    rows.filter((_, index) => index !== row),
    spec,
  );

/** The rows with more after the last one in use. */
export function withMore(
  rows: readonly TableRow[],
  more: readonly (readonly (string | undefined)[])[],
  spec: TableSpec,
): readonly TableRow[] {
  const used = rows.findLastIndex((row) => !isEmpty(row)) + 1;
  return withBlock(rows.slice(0, used), { row: used, column: 0 }, more, spec);
}

/** Of each column its place among the names or titles of a first row; undefined when that is a row like others. */
function placesIn(first: readonly string[], { columns }: TableSpec): readonly number[] | undefined {
  const titles = first.map((title) => title.trim().toLowerCase());
  const places = columns.map(({ name, title }) =>
    titles.findIndex((one) => one === name.toLowerCase() || one === title.toLowerCase()),
  );
  const isOfTitles =
    titles.some((title) => title !== '') && titles.every((one, at) => one === '' || places.includes(at));
  return isOfTitles ? places : undefined;
}

/** A block that was pasted: by the titles in its first row if there are some, or as it is. */
export function pasteOf(
  cells: readonly (readonly string[])[],
  cell: CellPosition,
  spec: TableSpec,
): { readonly start: CellPosition; readonly block: readonly (readonly (string | undefined)[])[] } {
  return cells.length > 1 && placesIn(cells[0] ?? [], spec) !== undefined
    ? { start: { row: cell.row, column: 0 }, block: inOrder(cells, spec) }
    : { start: cell, block: cells };
}

/** The cells of a table whose first row may have the names or the titles of columns, in the order of the columns. */
export function inOrder(
  table: readonly (readonly string[])[],
  spec: TableSpec,
): readonly (readonly (string | undefined)[])[] {
  const filled = table.filter((row) => row.some((cell) => cell.trim() !== ''));
  const places = placesIn(filled[0] ?? [], spec);
  return (places === undefined ? filled : filled.slice(1)).map((row) =>
    spec.columns.map(({ type }, column) => {
      const cell = row[places === undefined ? column : places[column]!];
      return cell !== undefined && type === 'reference' ? barely(cell) : cell;
    }),
  );
}
