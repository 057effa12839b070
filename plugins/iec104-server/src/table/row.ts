import { CommandType, formatOf, isCommandType, timedCommandOffset } from '@tagway/iec104';

/** One row of the table: what a tag is for the control centre. */
export interface Row {
  readonly tag: string;
  /** Type identification, monitored or of a command. */
  readonly type: number;
  /** Information object address. */
  readonly object: number;
  /** Common address; undefined: that of the settings. */
  readonly ca: number | undefined;
  /** Groups of interrogation as bits, bit 1 for group 1. */
  readonly groups: number;
  /** 1 to 4; 0: none. */
  readonly counterGroup: number;
  readonly isCyclic: boolean;
  /** By how much a value must change to be an event; 0: every change is one. Of counters NaN: no change is one. */
  readonly deadband: number;
  /** A command must be selected before it is executed. */
  readonly selects: boolean;
  /** Of a command that does not say it itself: 0 none, 1 short, 2 long. */
  readonly pulse: number;
}

export const columns = [
  'tag',
  'type',
  'object',
  'ca',
  'groups',
  'counters',
  'cyclic',
  'deadband',
  'select',
  'pulse',
] as const;
export type ColumnName = (typeof columns)[number];

const mostObject = 0xff_ffff;
const mostAddress = 0xfffe;
const mostGroup = 16;
const cyclicTypes = new Set([9, 11, 13, 34, 35, 36]);
const counterTypes = new Set([15, 37]);
const pulses: Readonly<Record<string, number>> = { '': 0, none: 0, short: 1, long: 2 };
const choices: Readonly<Record<string, boolean>> = { '': false, no: false, yes: true };

/** Types that a row may have. */
export function isRowType(type: number): boolean {
  return (formatOf(type) !== undefined && type !== 21) || isCommandType(type);
}

/** The row of these texts, or a clause that says what is wrong with it. */
export function rowOf(text: (column: ColumnName) => string): Row | string {
  const tag = text('tag');
  if (tag === '') return 'it names no tag';
  const type = wholeNumber(text('type'), 1, 64);
  if (type === undefined || !isRowType(type))
    return `"type" is "${text('type')}", and not a type identification of 1, 3, 5, 7, 9, 11, 13, 15, 30 to 37, 45 to 51 or 58 to 64`;
  const object = wholeNumber(text('object'), 1, mostObject);
  if (object === undefined)
    return `"object" is "${text('object')}", and not an information object address from 1 to ${mostObject}`;
  const ca = text('ca') === '' ? undefined : wholeNumber(text('ca'), 1, mostAddress);
  if (ca === undefined && text('ca') !== '')
    return `"ca" is "${text('ca')}", and not a common address from 1 to ${mostAddress}`;
  const place = { tag, type, object, ca };
  return isCommandType(type) ? commandRow(place, text) : monitoredRow(place, text);
}

type Place = Pick<Row, 'tag' | 'type' | 'object' | 'ca'>;

function monitoredRow(place: Place, text: (column: ColumnName) => string): Row | string {
  const isCounter = counterTypes.has(place.type);
  const foreign = (['select', 'pulse'] as const).find((column) => text(column) !== '');
  if (foreign !== undefined) return `"${foreign}" is for commands, and type ${place.type} is none`;
  let groups = 0;
  for (const part of text('groups')
    .split(/[\s;]+/)
    .filter((one) => one !== '')) {
    const group = wholeNumber(part, 1, mostGroup);
    if (group === undefined) return `"groups" has "${part}", and not a group of interrogation from 1 to 16`;
    groups |= 1 << group;
  }
  if (isCounter && groups !== 0)
    return '"groups" is for interrogation, which counters are not in: their groups are in "counters"';
  const counterGroup = text('counters') === '' ? 0 : wholeNumber(text('counters'), 1, 4);
  if (counterGroup === undefined || (counterGroup > 0 && !isCounter))
    return `"counters" is "${text('counters')}": it is a group from 1 to 4, of the types 15 and 37`;
  const isCyclic = choices[text('cyclic')];
  if (isCyclic === undefined) return `"cyclic" is "${text('cyclic')}", and not yes or no`;
  if (isCyclic && !cyclicTypes.has(place.type))
    return `"cyclic" is for measured values, of the types 9, 11, 13 and 34 to 36, and not for type ${place.type}`;
  const deadband = text('deadband') === '' ? (isCounter ? NaN : 0) : Number(text('deadband'));
  if (text('deadband') !== '' && !(deadband >= 0 && deadband < Infinity))
    return `"deadband" is "${text('deadband')}", and not a number from 0 on`;
  return { ...place, groups, counterGroup, isCyclic, deadband, selects: false, pulse: 0 };
}

function commandRow(place: Place, text: (column: ColumnName) => string): Row | string {
  const { type } = place;
  const foreign = (['groups', 'counters', 'cyclic', 'deadband'] as const).find(
    (column) => text(column) !== '',
  );
  if (foreign !== undefined) return `"${foreign}" is for what is reported, and type ${type} is a command`;
  const selects = choices[text('select')];
  if (selects === undefined) return `"select" is "${text('select')}", and not yes or no`;
  const isBits = type === CommandType.BIT_STRING || type === CommandType.BIT_STRING + timedCommandOffset;
  if (selects && isBits) return '"select" is yes, and a bit string has no selection';
  const pulse = pulses[text('pulse')];
  if (pulse === undefined) return `"pulse" is "${text('pulse')}", and not none, short or long`;
  const isSwitch = [CommandType.SINGLE, CommandType.DOUBLE].some(
    (one) => type === one || type === one + timedCommandOffset,
  );
  if (pulse > 0 && !isSwitch) return '"pulse" is for single and double commands';
  return { ...place, groups: 0, counterGroup: 0, isCyclic: false, deadband: 0, selects, pulse };
}

function wholeNumber(text: string, least: number, most: number): number | undefined {
  const number = /^\d{1,8}$/.test(text) ? Number(text) : NaN;
  return number >= least && number <= most ? number : undefined;
}
