import { isBitArea, Area } from '@tagway/modbus/server';
import { DataType } from '@tagway/sdk';
import { fieldsOf, lineOf } from './line.ts';
import { areaName, columns, type ColumnName, type Row, rowOf, type RowSettings } from './row.ts';

/** Most rows of the table. */
export const mostRows = 20_000;

const required = ['table', 'address'] as const;

/** The rows of the table in CSV, whose first line has the names of its columns; or a sentence about the first thing that is wrong. */
export function rowsOf(text: string, settings: RowSettings): readonly Row[] | string {
  const lines = text.split(/\r?\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  if (first < 0) return [];
  const names = fieldsOf(lines[first]!.replace(/^\uFEFF/, ''));
  const problem = headProblem(names);
  if (problem !== undefined) return problem;
  const places = new Places();
  const rows: Row[] = [];
  for (const [index, line] of lines.entries()) {
    if (index <= first || line.trim() === '') continue;
    const row = parsed(line, index + 1, names, settings);
    if (typeof row === 'string') return `The line ${index + 1} of "table" is not right: ${row}.`;
    const other = places.take(row);
    if (other !== undefined)
      return `The lines ${other} and ${row.line} of "table" overlap in the ${placeName(row)} of the unit ${row.unit}: give one of them another address.`;
    rows.push(row);
    if (rows.length > mostRows) return `"table" has more than ${mostRows} rows, which are the most.`;
  }
  return rows;
}

function headProblem(names: readonly string[]): string | undefined {
  const unknown = names.find((name) => !columns.includes(name as ColumnName));
  if (unknown !== undefined)
    return `The first line of "table" has "${unknown}", and its columns are ${columns.join(', ')}.`;
  const missing = required.find((name) => !names.includes(name));
  if (missing !== undefined)
    return `The first line of "table" names the columns, and "${missing}" is not among them.`;
  if (names[0] !== 'tag') return 'The first column of "table" is "tag".';
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  return twice === undefined ? undefined : `The first line of "table" has "${twice}" twice.`;
}

function parsed(text: string, line: number, names: readonly string[], settings: RowSettings): Row | string {
  const parts = lineOf(text);
  if (typeof parts === 'string') return parts;
  const { reference, fields } = parts;
  if (fields.length > names.length - 1)
    return `it has ${fields.length + 1} fields, and there are ${names.length} columns`;
  return rowOf(reference, line, (column) => fields[names.indexOf(column) - 1] ?? '', settings);
}

const wholeRegister = 0xffff;

/** A place that a line has, and of a register of bits which bits. */
interface Occupied {
  readonly line: number;
  bits: number;
}

/** Which line has which place. */
class Places {
  /** By unit and area, by place. */
  readonly #taken = new Map<number, Map<number, Occupied>>();

  /** Takes the places of a row. Returns the line that has one of them already. */
  take({ unit, area, start, count, address, quality, line }: Row): number | undefined {
    const isBit = address.type === DataType.BIT && !isBitArea(area);
    const bits = isBit ? 1 << address.bit : wholeRegister;
    for (let place = start; place < start + count; place++) {
      const other = this.#takeOne(unit, area, place, bits, line);
      if (other !== undefined) return other;
    }
    return quality === undefined
      ? undefined
      : this.#takeOne(unit, Area.DISCRETE_INPUT, quality, wholeRegister, line);
  }

  #takeOne(unit: number, area: Area, place: number, bits: number, line: number): number | undefined {
    const key = unit * 8 + area;
    let taken = this.#taken.get(key);
    if (taken === undefined) this.#taken.set(key, (taken = new Map<number, Occupied>()));
    const other = taken.get(place);
    if (other === undefined) taken.set(place, { line, bits });
    else if ((other.bits & bits) !== 0) return other.line;
    else other.bits |= bits;
    return undefined;
  }
}

function placeName({ area, quality }: Row): string {
  return quality === undefined ? `table "${areaName(area)}"` : `tables "${areaName(area)}" and "discrete"`;
}
