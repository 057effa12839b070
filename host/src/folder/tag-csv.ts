import { Attribute, DataType, dataTypeName, isInIntegerRange, type TagInput } from '@tagway/schemas';
import Papa from 'papaparse';
import { attributeOf, attributeText, typeOf } from './file-tags.ts';

/** The columns that are written, in the order of the page's files. */
const columns = [
  ...(['group', 'name', 'address', 'attribute', 'type', 'description', 'decimal', 'precision'] as const),
  ...(['bias', 'value', 'deadband', 'unit', 'low', 'high'] as const),
];
type Column = (typeof columns)[number];

/** Columns of the page's files that say what a group is; here its YAML says it, and they have to say the same. */
const ofGroups = ['interval', 'report', 'min_interval', 'max_interval'] as const;
export type GroupColumn = (typeof ofGroups)[number];

/** A tag of a table. */
export interface TagRow {
  /** The number of its line in a spreadsheet; the first one is 1. */
  readonly row: number;
  readonly group: string;
  readonly tag: TagInput;
  /** What the table says of the group. */
  readonly ofGroup: Readonly<Partial<Record<GroupColumn, string>>>;
}

// A text that a spreadsheet reads as a formula gets an apostrophe in front, and so does one that begins with an apostrophe.
const risky = /^[=+\-@\t\r']/;
const guarded = /^'(?=[=+\-@\t\r'])/;

/** What is called when a row is wrong, with its number and why. */
type Report = (row: number, problem: string) => void;

/** The tags of a table in CSV, with commas, semicolons or tabs. What is wrong goes to `report`; rows with a problem are left out. */
export function tagsOfCsv(text: string, report: Report): TagRow[] {
  const { data } = Papa.parse<string[]>(text, { delimitersToGuess: [',', ';', '\t'], skipEmptyLines: false });
  const titles = (data[0] ?? []).map((title) => title.trim().toLowerCase());
  const known: readonly string[] = [...columns, ...ofGroups];
  const foreign = titles.find((title) => title !== '' && !known.includes(title));
  if (foreign !== undefined) report(1, `there is no column "${foreign}"`);
  for (const title of ['group', 'name', 'type'])
    if (!titles.includes(title)) report(1, `the column "${title}" is missing`);
  const places = new Map(titles.map((title, at) => [title, at]));
  const rows: TagRow[] = [];
  for (const [index, cells] of data.entries()) {
    if (index === 0 || cells.every((cell) => cell.trim() === '')) continue;
    const row = index + 1;
    const cell = (title: string): string => (cells[places.get(title) ?? -1] ?? '').replace(guarded, '');
    let isGood = true;
    const tag = tagOfCells(cell, (problem) => {
      isGood = false;
      report(row, problem);
    });
    if (!isGood || tag === undefined) continue;
    const ofGroup = ofGroups.flatMap((title) =>
      cell(title).trim() === '' ? [] : [[title, cell(title).trim()]],
    );
    rows.push({ row, group: cell('group'), tag, ofGroup: Object.fromEntries(ofGroup) as TagRow['ofGroup'] });
  }
  return rows;
}

function tagOfCells(
  cell: (title: Column) => string,
  report: (problem: string) => void,
): TagInput | undefined {
  const type = typeOf(cell('type'));
  if (type === undefined) {
    report(`there is no type "${cell('type')}"`);
    return undefined;
  }
  const given = attributeOf(cell('attribute'));
  if (given === undefined) report(`"${cell('attribute')}" is no attribute`);
  const attribute = given || Attribute.READ;
  const number = (title: Column): number | undefined => {
    const text = cell(title).trim();
    const value = numberOf(text);
    if (value === undefined && text !== '') report(`the ${title} "${text}" is no number`);
    return value;
  };
  const deadband = cell('deadband').trim();
  const isStatic = (attribute & Attribute.STATIC) !== 0;
  const text = cell('value');
  if (!isStatic && text !== '') report('a tag with a value needs the attribute Static');
  const value = isStatic ? valueOf(type, text) : undefined;
  if (isStatic && value === undefined) report(`the value "${text}" is none of ${dataTypeName(type)}`);
  return without({
    name: cell('name'),
    address: cell('address'),
    attribute,
    type,
    description: cell('description') || undefined,
    decimal: number('decimal'),
    precision: number('precision'),
    bias: number('bias'),
    deadband: deadband.endsWith('%') ? deadband : number('deadband'),
    unit: cell('unit').trim() || undefined,
    low: number('low'),
    high: number('high'),
    value,
  });
}

type Cells = { readonly [Member in keyof TagInput]: TagInput[Member] | undefined };

function without(tag: Cells): TagInput {
  return Object.fromEntries(
    Object.entries(tag).filter(([, value]) => value !== undefined),
  ) as unknown as TagInput;
}

/** A number with a point or a comma. */
function numberOf(text: string): number | undefined {
  if (text === '') return undefined;
  const value = Number(/^[+-]?[0-9]*,[0-9]+$/.test(text) ? text.replace(',', '.') : text);
  return Number.isFinite(value) ? value : undefined;
}

const booleans = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

/** The value of a static tag, exact to the last digit. */
function valueOf(type: DataType, text: string): TagInput['value'] | undefined {
  const trimmed = text.trim();
  if (type === DataType.STRING) return text;
  if (type === DataType.BOOL) return booleans.get(trimmed.toLowerCase());
  if (type === DataType.BYTES) {
    const digits = trimmed.replaceAll(/[\s,]/g, '');
    return /^(?:[0-9a-f]{2})*$/i.test(digits) ? [...Buffer.from(digits, 'hex')] : undefined;
  }
  if (/^[+-]?[0-9]+$/.test(trimmed) && isInIntegerRange(type, BigInt(trimmed.replace(/^\+/, '')))) {
    const value = BigInt(trimmed.replace(/^\+/, ''));
    return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  }
  return numberOf(trimmed);
}

/** Tags as a table, the rows of each group together. */
export function csvOfTags(
  groups: readonly { readonly name: string; readonly tags: readonly TagInput[] }[],
): string {
  const rows = groups.flatMap(({ name, tags }) => tags.map((tag) => cellsOf(name, tag)));
  return `${Papa.unparse([[...columns], ...rows], { escapeFormulae: risky, newline: '\n' })}\n`;
}

function cellsOf(group: string, tag: TagInput): string[] {
  const text = (value: number | string | null | undefined, none?: number): string =>
    value === undefined || value === null || value === none ? '' : String(value);
  const { name, address, attribute, type, description, decimal, precision, bias } = tag;
  return [
    group,
    name,
    address,
    attributeText(attribute),
    dataTypeName(type),
    description ?? '',
    text(decimal, 0),
    text(precision, 0),
    text(bias, 0),
    valueText(tag.value),
    text(tag.deadband, 0),
    tag.unit ?? '',
    text(tag.low),
    text(tag.high),
  ];
}

function valueText(value: TagInput['value'] | undefined): string {
  if (!Array.isArray(value)) return value === undefined ? '' : String(value);
  return value.map((byte) => byte.toString(16).toUpperCase().padStart(2, '0')).join(' ');
}
