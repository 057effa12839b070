import {
  type Address,
  Area,
  type Endianness,
  isBitArea,
  orderOf,
  parseAddress,
  type Permutation,
  startOf,
} from '@tagway/modbus/server';
import { DataType, dataTypeName, isFault, type Reference } from '@tagway/sdk';

/** One row of the table: where a tag is for the masters. */
export interface Row {
  readonly reference: Reference;
  readonly unit: number;
  readonly area: Area;
  /** The number of its first coil, input or register, counted from 0 as requests carry it. */
  readonly start: number;
  /** What it takes: registers, or one bit of an area of bits. */
  readonly count: number;
  readonly address: Address;
  readonly order: Permutation;
  /** What masters see is the value of the tag multiplied by it. */
  readonly scale: number;
  readonly isWritable: boolean;
  /** Discrete input of the same unit that is 1 while the value is good, counted from 0; undefined: none. */
  readonly quality: number | undefined;
  /** The number of its line, as editors count. */
  readonly line: number;
}

/** What rows leave to the settings. */
export interface RowSettings extends Endianness {
  /** Unit of the rows that name none. */
  readonly unit: number;
  /** 1: the first register is number 1. 0: it is number 0. */
  readonly address_base: number;
}

export const columns = [
  'tag',
  'unit',
  'table',
  'address',
  'type',
  'order',
  'scale',
  'access',
  'quality',
] as const;
export type ColumnName = (typeof columns)[number];

const areas: Readonly<Record<string, Area>> = {
  coil: Area.COIL,
  discrete: Area.DISCRETE_INPUT,
  input: Area.INPUT_REGISTER,
  holding: Area.HOLDING_REGISTER,
};

/** The word of the table for an area. */
export function areaName(area: Area): string {
  return Object.keys(areas).find((name) => areas[name] === area) ?? '';
}

const rowTypes = [
  DataType.INT16,
  DataType.UINT16,
  DataType.INT32,
  DataType.UINT32,
  DataType.INT64,
  DataType.UINT64,
  DataType.FLOAT,
  DataType.DOUBLE,
  DataType.BIT,
  DataType.STRING,
  DataType.BYTES,
] as const;

const typesByName = new Map<string, DataType>(rowTypes.map((type) => [dataTypeName(type), type]));

/** Byte orders as they are printed in manuals, by the suffix that the addresses of the drivers have for them. */
const printedOrders: Readonly<Record<string, string>> = {
  AB: 'L',
  BA: 'B',
  ABCD: 'LL',
  BADC: 'LB',
  CDAB: 'BL',
  DCBA: 'BB',
  ABCDEFGH: 'LL',
  BADCFEHG: 'LB',
  GHEFCDAB: 'BL',
  HGFEDCBA: 'BB',
  CDABGHEF: 'WS',
  EFGHABCD: 'WR',
};

const mostNumber = 65_536;

/** The row of a reference and the texts of the other columns, or a clause that says what is wrong with it. */
export function rowOf(
  reference: Reference,
  line: number,
  text: (column: ColumnName) => string,
  settings: RowSettings,
): Row | string {
  const unit = text('unit') === '' ? settings.unit : wholeNumber(text('unit'), 0, 255);
  if (unit === undefined) return `"unit" is "${text('unit')}", and not a number from 0 to 255`;
  const area = areas[text('table').toLowerCase()];
  if (area === undefined) return `"table" is "${text('table')}", and not coil, discrete, input or holding`;
  const isBits = isBitArea(area);
  const name = text('type').toUpperCase();
  const type = typesByName.get(name === '' && isBits ? 'BIT' : name);
  if (type === undefined)
    return `"type" is "${text('type')}", and not one of ${[...typesByName.keys()].join(', ')}`;
  const address = addressOf(unit, area, type, text, settings);
  if (typeof address === 'string') return address;
  const isNumber = !isBits && type !== DataType.BIT && type !== DataType.STRING && type !== DataType.BYTES;
  const scale = text('scale') === '' ? 1 : Number(text('scale'));
  if (!Number.isFinite(scale) || scale === 0)
    return `"scale" is "${text('scale')}", and not a number other than 0`;
  if (scale !== 1 && !isNumber) return '"scale" is for numbers in registers';
  const access = text('access').toLowerCase();
  if (!['', 'r', 'rw'].includes(access)) return `"access" is "${text('access')}", and not r or rw`;
  const isWritable = access === 'rw';
  if (isWritable && area !== Area.COIL && area !== Area.HOLDING_REGISTER)
    return '"access" is rw, and masters can write coils and holding registers alone';
  const base = settings.address_base;
  const quality =
    text('quality') === '' ? undefined : wholeNumber(text('quality'), base, mostNumber - 1 + base);
  if (quality === undefined && text('quality') !== '')
    return `"quality" is "${text('quality')}", and not the number of a discrete input`;
  return {
    reference,
    unit,
    area,
    start: startOf(address, base),
    count: address.count,
    address,
    order: orderOf(address, settings),
    scale,
    isWritable,
    quality: quality === undefined ? undefined : quality - base,
    line,
  };
}

/** The address as the drivers have it, whose grammar is that of the columns together. */
function addressOf(
  unit: number,
  area: Area,
  type: DataType,
  text: (column: ColumnName) => string,
  { address_base: base }: RowSettings,
): Address | string {
  const place = text('address');
  const number = /^(\d{1,5})(?:\.\d{1,3}[HLDE]?)?$/.exec(place)?.[1];
  if (number === undefined || Number(number) < base || Number(number) > mostNumber - 1 + base)
    return `"address" is "${place}", and not a number from ${base} to ${mostNumber - 1 + base}, with .BIT or .LENGTH behind it where the type needs one`;
  if (type === DataType.BIT && !isBitArea(area) && !place.includes('.'))
    return `"address" is "${place}": a bit in a register has its number behind it, such as ${place}.0`;
  const order = text('order').toUpperCase();
  const suffix = printedOrders[order] ?? order;
  const address = parseAddress(`${unit}!${area}${place}${suffix === '' ? '' : `#${suffix}`}`, type);
  if (!isFault(address)) return address;
  const why = /invalid\. (.*)\.$/.exec(address.message)?.[1] ?? address.message.replace(/\.$/, '');
  return `"address" and "order" do not fit the type ${dataTypeName(type)}: ${why.charAt(0).toLowerCase()}${why.slice(1)}`;
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,6}$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}
