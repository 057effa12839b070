import { isCommandType } from '@tagway/iec104';
import { recordsOf } from './csv.ts';
import { columns, type ColumnName, type Row, rowOf } from './row.ts';

/** Most rows of one table. */
export const mostRows = 20_000;

/** The rows of a table in CSV, whose first record has the names of its columns; or a sentence about the first thing that is wrong. */
export function rowsOf(text: string): readonly Row[] | string {
  const records = recordsOf(text);
  if (records === undefined) return 'A quotation mark in "points" is not closed.';
  const [head, ...lines] = records;
  if (head === undefined) return [];
  const names = head.map((name) => name.trim());
  const unknown = names.find((name) => !columns.includes(name as ColumnName));
  if (unknown !== undefined)
    return `The first line of "points" has "${unknown}", and its columns are ${columns.join(', ')}.`;
  const missing = (['tag', 'type', 'object'] as const).find((name) => !names.includes(name));
  if (missing !== undefined)
    return `The first line of "points" names the columns, and "${missing}" is not among them.`;
  if (lines.length > mostRows) return `"points" has ${lines.length} rows, and ${mostRows} are the most.`;
  const places = new Map<string, number>();
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    const row = rowOf((column) => {
      const at = names.indexOf(column);
      const field = at < 0 ? '' : (line[at] ?? '');
      return column === 'tag' ? field : field.trim();
    });
    const number = index + 2;
    if (typeof row === 'string') return `The row ${number} of "points" is not right: ${row}.`;
    const place = placeOf(row);
    const other = places.get(place);
    if (other !== undefined)
      return `The rows ${other} and ${number} of "points" have the same object ${row.object}: give one of them another.`;
    places.set(place, number);
    rows.push(row);
  }
  return rows;
}

/** What distinguishes rows: what is reported and what is commanded have numbers of their own. */
export function placeOf({ type, ca, object }: Row): string {
  return `${isCommandType(type) ? 'command' : 'report'} ${ca ?? ''} ${object}`;
}
