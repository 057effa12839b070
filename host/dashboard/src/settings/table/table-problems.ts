import { parseReference } from '@tagway/schemas';
import type { TFunction } from 'i18next';
import { isEmpty, type TableRow } from './table-lines.ts';
import type { TableColumn, TableSpec } from './table-spec.ts';

/** What is wrong with the cells of a row, by column. */
export type RowProblems = ReadonlyMap<number, string>;

const none: RowProblems = new Map();

/** Checks rows; what is known of a row that has not changed is not looked for again. */
export class TableCheck {
  readonly #spec: TableSpec;
  readonly #t: TFunction;
  readonly #patterns: readonly (RegExp | undefined)[];
  readonly #known = new WeakMap<TableRow, RowProblems>();

  constructor(spec: TableSpec, t: TFunction) {
    this.#spec = spec;
    this.#t = t;
    this.#patterns = spec.columns.map(({ pattern }) =>
      pattern === undefined ? undefined : new RegExp(pattern, 'u'),
    );
  }

  problemsOf(rows: readonly TableRow[]): readonly RowProblems[] {
    const problems = rows.map((row) => this.#ofRow(row));
    for (const [column, { unique }] of this.#spec.columns.entries()) {
      if (unique !== true) continue;
      const first = new Map<string, number>();
      for (const [index, { cells }] of rows.entries()) {
        const text = cells[column]?.trim() ?? '';
        const before = first.get(text);
        if (text === '') continue;
        if (before === undefined) first.set(text, index);
        else
          problems[index] = new Map(problems[index]).set(
            column,
            this.#t('table.double', { row: before + 1 }),
          );
      }
    }
    return problems;
  }

  #ofRow(row: TableRow): RowProblems {
    const before = this.#known.get(row);
    if (before !== undefined) return before;
    const found = new Map<number, string>();
    if (row.line !== undefined) found.set(0, this.#t('table.noRow', { line: row.line }));
    else if (!isEmpty(row))
      for (const [index, column] of this.#spec.columns.entries()) {
        const problem = this.#problemOf(row.cells[index]?.trim() ?? '', column, this.#patterns[index]);
        if (problem !== undefined) found.set(index, problem);
      }
    const problems = found.size === 0 ? none : found;
    this.#known.set(row, problems);
    return problems;
  }

  #problemOf(text: string, column: TableColumn, pattern: RegExp | undefined): string | undefined {
    const { required, type, choices, many, minimum, maximum, maxLength, examples } = column;
    const t = this.#t;
    if (text === '') return required === true ? t('table.missing') : undefined;
    if (type === 'reference') return parseReference(text) === undefined ? t('table.noReference') : undefined;
    if (choices !== undefined) {
      const texts = many === true ? text.split(',').map((part) => part.trim()) : [text];
      return texts.every((one) => choices.includes(one))
        ? undefined
        : t(many === true ? 'table.someOf' : 'table.oneOf', { choices: choices.join(', ') });
    }
    if (type === 'integer' || type === 'number') {
      const number = Number(text);
      if (!Number.isFinite(number) || (type === 'integer' && !Number.isInteger(number)))
        return t(type === 'integer' ? 'table.noInteger' : 'table.noNumber');
      if (minimum !== undefined && number < minimum) return t('settings.minimum', { n: minimum });
      if (maximum !== undefined && number > maximum) return t('settings.maximum', { n: maximum });
    }
    if (maxLength !== undefined && text.length > maxLength) return t('settings.maxLength', { n: maxLength });
    if (pattern === undefined || pattern.test(text)) return undefined;
    return examples === undefined ? t('settings.invalid') : t('table.asIn', { example: examples[0] ?? '' });
  }
}
