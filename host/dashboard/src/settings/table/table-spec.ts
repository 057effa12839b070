import type { RJSFSchema } from '@rjsf/utils';

/** What a settings schema says about a column of a table, with its texts in the language of the page. */
export interface TableColumn {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  readonly type?: 'text' | 'integer' | 'number' | 'reference';
  readonly before?: string;
  readonly after?: string;
  readonly choices?: readonly string[];
  readonly many?: true;
  readonly required?: true;
  readonly unique?: true;
  readonly default?: string;
  readonly pattern?: string;
  readonly examples?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

/** A setting whose lines are the rows of a table. */
export interface TableSpec {
  readonly pattern?: string;
  readonly titles?: true;
  readonly columns: readonly TableColumn[];
}

export type ReferenceRole = 'read' | 'write';

interface Texts {
  readonly 'x-table'?: TableSpec;
  readonly 'x-references'?: ReferenceRole | 'link';
}

export const tableOf = (setting: RJSFSchema): TableSpec | undefined => (setting as Texts)['x-table'];

/** What the references of a setting are for; undefined: it has none. */
export const rolesOf = (setting: RJSFSchema): ReferenceRole | 'link' | undefined =>
  (setting as Texts)['x-references'];

/** What the reference in a column is for: of a link the first one of a row is read, and the others are written. */
export function roleIn(
  { columns }: TableSpec,
  column: number,
  role: ReferenceRole | 'link' | undefined,
): ReferenceRole {
  if (role !== 'link') return role ?? 'read';
  return column === columns.findIndex(({ type }) => type === 'reference') ? 'read' : 'write';
}

/** Texts that may be longer have lines. */
const longestLine = 4096;

/** Whether a setting is a text of several lines. */
export const isOfLines = (setting: RJSFSchema): boolean =>
  tableOf(setting) !== undefined ||
  rolesOf(setting) !== undefined ||
  (setting.type === 'string' &&
    setting.contentEncoding === undefined &&
    setting.writeOnly !== true &&
    (setting.maxLength ?? 0) > longestLine);
