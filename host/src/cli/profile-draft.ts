import { Attribute, dataTypeName, DataType, type Profile, type ProfileTag } from '@tagway/schemas';
import type { Params, TagBody } from '../core/model.ts';
import { tagOf, tagRecord } from '../core/records/records.ts';

/** What a profile is made of. */
export interface DraftSource {
  /** Ids of the plugin, and what the profile is called. */
  readonly plugin: string;
  readonly name: string;
  /** Settings of a node. */
  readonly params: Params;
  readonly groups: readonly {
    readonly name: string;
    readonly interval: number;
    readonly tags: readonly TagBody[];
  }[];
}

/** A profile of a node or of a table, for its author to complete. `id`: the name of its folder. */
export function draftProfile(id: string, { plugin, name, params, groups }: DraftSource): Profile {
  const unit = commonUnit(groups.flatMap(({ tags }) => tags.map(({ address }) => address)));
  // A text, such as an address or the name of a port, is of one device alone; a number is often of all.
  const settings = Object.entries(params).filter(
    (entry): entry is [string, number | boolean] =>
      typeof entry[1] === 'number' || typeof entry[1] === 'boolean',
  );
  const ask = Object.keys(params).filter((one) => typeof params[one] === 'string');
  return {
    format: 1,
    id,
    version: '0.1.0',
    name,
    description: { en: `${name}: describe the device in a sentence.` },
    devices: [name],
    document: { title: 'Name the document that the addresses are from.' },
    plugins: [
      {
        id: plugin,
        ...(settings.length > 0 && { settings: Object.fromEntries(settings) }),
        ...(ask.length > 0 && { ask }),
      },
    ],
    ...(unit !== undefined && {
      parameters: [
        { name: 'unit', title: 'Unit', title_zh: '站号', minimum: 0, maximum: 255, default: Number(unit) },
      ],
    }),
    groups: groups
      .filter(({ tags }) => tags.length > 0)
      .map((group) => ({
        name: group.name,
        interval: group.interval,
        tags: group.tags.map((tag) => draftTag(tag, unit)),
      })),
  };
}

/** The number before the exclamation mark, if all addresses begin with the same. */
function commonUnit(addresses: readonly string[]): string | undefined {
  const units = new Set(addresses.map((address) => /^(\d{1,3})!/.exec(address)?.[1]));
  const [unit] = units;
  return units.size === 1 ? unit : undefined;
}

function draftTag(tag: TagBody, unit: string | undefined): ProfileTag {
  const { name, address, type, attribute, ...rest } = tagRecord(tagOf(0, tag));
  const { precision, decimal, bias, unit: counted, low, high, description } = rest;
  return {
    name,
    address: unit === undefined ? address : address.replace(/^\d+!/, '{unit}!'),
    type: dataTypeName(type) as ProfileTag['type'],
    ...(attribute !== Attribute.READ && { attribute: attribute & ~Attribute.STATIC }),
    ...(precision !== undefined && { precision }),
    ...(decimal !== undefined && { decimal }),
    ...(bias !== undefined && { bias }),
    ...(counted !== undefined && { unit: counted }),
    ...(low !== undefined && { low }),
    ...(high !== undefined && { high }),
    ...(description !== undefined && { description }),
  };
}

/** The groups and tags in a table as the page exports it, with titles in its first row. Throws a sentence. */
export function groupsInTable(text: string): DraftSource['groups'] {
  const [titles = [], ...rows] = cellsOf(text);
  const columns = new Map(titles.map((title, at) => [title.trim().toLowerCase(), at]));
  for (const needed of ['name', 'address', 'type'])
    if (!columns.has(needed)) throw new Error(`The table has no column "${needed}" in its first row.`);
  const groups = new Map<string, { name: string; interval: number; tags: TagBody[] }>();
  for (const [index, row] of rows.entries()) {
    const cell = (column: string): string => (row[columns.get(column) ?? -1] ?? '').trim();
    if (row.every((one) => one.trim() === '')) continue;
    const name = cell('group') === '' ? 'values' : cell('group');
    const group = groups.get(name) ?? { name, interval: Number(cell('interval')) || 1000, tags: [] };
    groups.set(name, group);
    group.tags.push(tagIn(cell, index + 2));
  }
  return [...groups.values()];
}

function tagIn(cell: (column: string) => string, row: number): TagBody {
  const numberIn = (column: string): number | undefined => {
    const text = cell(column);
    if (text === '') return undefined;
    const number = Number(text);
    if (Number.isFinite(number)) return number;
    throw new Error(`Row ${row} has "${text}" in the column "${column}", which is no number.`);
  };
  const word = cell('type').toUpperCase();
  const type = Object.hasOwn(DataType, word) ? DataType[word as keyof typeof DataType] : Number(word);
  if (!Object.values<number>(DataType).includes(type))
    throw new Error(`Row ${row} has the type "${cell('type')}", which is none.`);
  const optional = {
    precision: numberIn('precision'),
    decimal: numberIn('decimal'),
    bias: numberIn('bias'),
    low: numberIn('low'),
    high: numberIn('high'),
  };
  return {
    name: cell('name'),
    address: cell('address'),
    attribute: attributeIn(cell('attribute')),
    type: type as DataType,
    ...optional,
    ...(cell('unit') !== '' && { unit: cell('unit') }),
    ...(cell('description') !== '' && { description: cell('description') }),
  };
}

/** A sum, or the words for its parts. */
function attributeIn(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const parts = Object.entries(Attribute).filter(([name]) => text.toUpperCase().includes(name));
  return parts.reduce((sum, [, bit]) => sum | bit, 0) || Attribute.READ;
}

/** RFC 4180, with the separator that the first row has. */
function cellsOf(text: string): string[][] {
  const body = text.replace(/^\uFEFF/, '');
  const [first = ''] = body.split('\n', 1);
  const separator = [';', '\t', ','].find((one) => first.includes(one)) ?? ',';
  const rows: string[][] = [[]];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < body.length; at++) {
    const one = body.charAt(at);
    if (isQuoted) {
      if (one !== '"') cell += one;
      else if (body[at + 1] === '"') cell += body.charAt(++at);
      else isQuoted = false;
    } else if (one === '"') isQuoted = true;
    else if (one === separator || one === '\n') {
      rows.at(-1)?.push(cell.replace(/\r$/, ''));
      cell = '';
      if (one === '\n') rows.push([]);
    } else cell += one;
  }
  rows.at(-1)?.push(cell.replace(/\r$/, ''));
  return rows;
}
