import type { TableSpec } from './table-spec.ts';

/** A row of a table. */
export interface TableRow {
  /** A text for each column; of a reference node/group/tag alone. */
  readonly cells: readonly string[];
  /** Of a line that is no row: the whole of it, as it stays until the row is changed. */
  readonly line?: string;
}

const reference = /^\s*tag\s*\(\s*(?:"([^"\\\r\n]*)"|'([^'\\\r\n]*)')\s*\)\s*$/;

/** `node/group/tag` of `tag("node/group/tag")`; another text as it is. */
export function barely(text: string): string {
  const found = reference.exec(text.replace(/^\s*tag\s*\(\s*""(.*)""\s*\)\s*$/, 'tag("$1")'));
  return found === null ? text.trim() : (found[1] ?? found[2] ?? '');
}

export const isEmpty = ({ cells, line }: TableRow): boolean =>
  line === undefined && cells.every((cell) => cell.trim() === '');

/** The rows of a text, a row for each line that is not empty. */
export function rowsOf(text: string, spec: TableSpec): readonly TableRow[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const { columns, pattern, titles } = spec;
  if (pattern !== undefined) {
    const fits = new RegExp(pattern, 'u');
    return lines.map((line) => {
      const found = fits.exec(line)?.groups;
      const cells = columns.map(({ name, type }) => cellOf(found?.[name] ?? '', type));
      return found === undefined ? { cells, line } : { cells };
    });
  }
  const records = lines.map(fieldsOf);
  const order = titles === true ? records.shift()?.map((title) => title.trim()) : undefined;
  return records.map((fields) => ({
    cells: columns.map(({ name, type }, column) => {
      const at = order === undefined ? column : order.indexOf(name);
      return cellOf(fields[at] ?? '', type);
    }),
  }));
}

const cellOf = (text: string, type: string | undefined): string =>
  type === 'reference' ? barely(text) : text.trim();

/** A field that is one call of `tag`, whose name may have a comma. */
const call = /\s*tag\s*\(\s*(?:"[^"\\]*"|'[^'\\]*')\s*\)\s*(?=,|$)/y;
const quoted = /\s*"((?:[^"]|"")*)"\s*(?=,|$)/y;
const plain = /[^,]*/y;

/** The fields of a line of CSV. */
export function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  for (let at = 0; at <= line.length; at += 1) {
    for (const kind of [call, quoted, plain]) {
      kind.lastIndex = at;
      const found = kind.exec(line);
      if (found === null) continue;
      fields.push(kind === quoted ? (found[1] ?? '').replaceAll('""', '"') : found[0]);
      at = kind.lastIndex;
      break;
    }
  }
  return fields;
}

/** The text of rows; empty rows are left out. */
export function textOf(rows: readonly TableRow[], spec: TableSpec): string {
  const { columns, titles } = spec;
  const filled = rows.filter((row) => !isEmpty(row));
  const lines = filled.map((row) => row.line ?? lineOf(row.cells, spec));
  if (titles === true && lines.length > 0) lines.unshift(columns.map(({ name }) => name).join(','));
  return lines.join('\n');
}

function lineOf(cells: readonly string[], { columns, pattern }: TableSpec): string {
  if (pattern !== undefined)
    return columns
      .map(({ type, before = '', after = '' }, column) => {
        const cell = cells[column]?.trim() ?? '';
        if (cell === '') return '';
        return `${before}${type === 'reference' ? `tag("${cell}")` : cell}${after}`;
      })
      .join('');
  const fields = columns.map(({ type }, column) => {
    const cell = cells[column]?.trim() ?? '';
    return field(type === 'reference' && cell !== '' ? `tag('${cell}')` : cell);
  });
  return fields.join(',').replace(/,+$/, '');
}

const field = (text: string): string => (/[",]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
