import { Attribute, DataType, ErrorCode, Fault, isFault, type TagDraft } from '@tagway/sdk';
import type { Names } from './names/names.ts';
import type { Syntax } from './names/smi.ts';
import type { Settings } from './settings.ts';
import { oidOf } from './wire/oid.ts';

/** How a string of bytes is shown when the address says it. */
export type Format = 'text' | 'hex';

/** An object of an agent. */
export interface ObjectAddress {
  readonly kind: 'object';
  /** The instance, as the content of an identifier. */
  readonly oid: Buffer;
  readonly syntax: Syntax | undefined;
  readonly format: Format | undefined;
}

/** A column of a table in the row in which another column has a value. */
export interface RowAddress {
  readonly kind: 'row';
  readonly column: Buffer;
  readonly syntax: Syntax | undefined;
  readonly format: Format | undefined;
  readonly key: RowKey;
}

export interface RowKey {
  /** The column, as people write it. */
  readonly name: string;
  readonly column: Buffer;
  readonly syntax: Syntax | undefined;
  readonly value: string;
}

/** What notifications bring. */
export interface TrapAddress {
  readonly kind: 'trap';
  /** Absent: every notification. */
  readonly notification: Buffer | undefined;
  /** The object whose value is taken from it; absent: the notification itself. */
  readonly object: Buffer | undefined;
  readonly syntax: Syntax | undefined;
}

export type Address = ObjectAddress | RowAddress | TrapAddress;

const number = String.raw`\.?[0-2](?:\.[0-9]{1,10})+`;
const name = String.raw`(?:[A-Za-z][\w-]*::)?[A-Za-z][\w-]*(?:\.[0-9]{1,10})*`;
const object = `(?:${number}|${name})`;
const objectGrammar = new RegExp(`^(${object})(?:\\[(${object})=([^\\]]+)\\])?(?::(text|hex))?$`);
const trapGrammar = new RegExp(`^trap:(\\*|${object})(?:/(${object}))?$`);

const badAddress = (sentence: string): Fault => new Fault(ErrorCode.TAG_ADDRESS_INVALID, sentence);

const notAnAddress = badAddress(
  'The address must be an object of the agent by name or number, such as sysUpTime.0, 1.3.6.1.2.1.1.3.0, ifHCInOctets.2, ifHCInOctets[ifDescr=eth0] or trap:linkDown.',
);
const badTrap = badAddress(
  'The address of a notification must be such as trap:linkDown, trap:linkDown/ifIndex, trap:1.3.6.1.4.1.318.0.5 or trap:* for all of them.',
);
const badNumber = badAddress(
  'The numbers are no object identifier: it begins with 0, 1 or 2, the second number after 0 or 1 is at most 39, and each of the others is at most 4294967295.',
);
const noPort = badAddress(
  'The node hears no notifications: give it a port for them in the setting trap_port before it gets tags for them.',
);
const formatted = new Fault(
  ErrorCode.TAG_TYPE_UNSUPPORTED,
  'Only a tag of the type STRING can be shown as :text or :hex; leave that out, or choose STRING.',
);
const trapWrite = new Fault(
  ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED,
  'A notification cannot be written; the tag must not have the attribute WRITE.',
);
const noType = new Fault(
  ErrorCode.TAG_TYPE_UNSUPPORTED,
  'The type must be one of INT8 to UINT64, FLOAT, DOUBLE, BIT, BOOL, STRING and BYTES.',
);

const types = new Set<number>(Object.values(DataType));

/** Refuses what no agent could give or take, with a sentence for the operator. Names of MIB files are looked up when the node runs. */
export function checkTag(
  { address, attribute, type }: TagDraft,
  settings?: Readonly<Settings>,
): Fault | undefined {
  if (!types.has(type)) return noType;
  if (address.startsWith('trap:')) {
    const [, notification, value] = trapGrammar.exec(address) ?? [];
    if (notification === undefined) return badTrap;
    if (!isSound(notification) || !isSound(value)) return badNumber;
    if ((attribute & Attribute.WRITE) !== 0) return trapWrite;
    return settings?.trap_port === 0 ? noPort : undefined;
  }
  const [, place, column, , format] = objectGrammar.exec(address) ?? [];
  if (place === undefined) return notAnAddress;
  if (!isSound(place) || !isSound(column)) return badNumber;
  return format !== undefined && type !== DataType.STRING ? formatted : undefined;
}

/** Numbers that begin an address have to be an identifier. */
function isSound(place: string | undefined): boolean {
  return place === undefined || !/^[.\d]/.test(place) || oidOf(place) !== undefined;
}

/** The object of an address, with the names that a node has. */
export function parseAddress(address: string, names: Names): Address | Fault {
  if (address.startsWith('trap:')) return parseTrap(address, names);
  const [, place, key, value, format] = objectGrammar.exec(address) ?? [];
  if (place === undefined) return notAnAddress;
  const shown = format as Format | undefined;
  const found = lookUp(place, names);
  if (isFault(found)) return found;
  const { oid, syntax } = found;
  if (key !== undefined && value !== undefined) {
    const column = lookUp(key, names);
    if (isFault(column)) return column;
    const row = { name: key, column: column.oid, syntax: column.syntax, value };
    return { kind: 'row', column: oid, syntax, format: shown, key: row };
  }
  if (found.isNamed && found.rest === '') {
    if (found.isColumn) return needsRow(place);
    if (syntax === undefined) return noValue(place);
    return { kind: 'object', oid: Buffer.concat([oid, Buffer.of(0)]), syntax, format: shown };
  }
  return { kind: 'object', oid, syntax, format: shown };
}

function parseTrap(address: string, names: Names): TrapAddress | Fault {
  const [, place, value] = trapGrammar.exec(address) ?? [];
  if (place === undefined) return badTrap;
  const notification = place === '*' ? undefined : lookUp(place, names);
  if (isFault(notification)) return notification;
  const object = value === undefined ? undefined : lookUp(value, names);
  if (isFault(object)) return object;
  return { kind: 'trap', notification: notification?.oid, object: object?.oid, syntax: object?.syntax };
}

interface Found {
  readonly oid: Buffer;
  readonly syntax: Syntax | undefined;
  readonly isNamed: boolean;
  readonly isColumn: boolean;
  /** The numbers behind the name. */
  readonly rest: string;
}

function lookUp(place: string, names: Names): Found | Fault {
  if (/^[.\d]/.test(place)) {
    const text = place.replace(/^\./, '');
    const oid = oidOf(text);
    if (oid === undefined) return badNumber;
    const object = names.nearest(text)?.object;
    return { oid, syntax: object?.syntax, isNamed: false, isColumn: false, rest: '' };
  }
  const dot = place.indexOf('.');
  const head = dot < 0 ? place : place.slice(0, dot);
  const known = names.get(head);
  if (known === undefined) return unknownName(head);
  const rest = dot < 0 ? '' : place.slice(dot);
  const oid = oidOf(known.oid + rest);
  if (oid === undefined) return badNumber;
  return { oid, syntax: known.syntax, isNamed: true, isColumn: known.isColumn, rest };
}

function unknownName(place: string): Fault {
  return badAddress(
    `The name ${place} is in no MIB that this node has: check its spelling, write the object in numbers, or put the MIB file with it into the folder mibs of the node and start the node again.`,
  );
}

function needsRow(place: string): Fault {
  return badAddress(
    `The object ${place} is a column of a table: name a row of it by its index, such as ${place}.1, or by the value of another column, such as ${place}[ifDescr=eth0].`,
  );
}

function noValue(place: string): Fault {
  return badAddress(
    `The object ${place} is a branch of the tree and holds no value: name an object below it, as browsing lists them.`,
  );
}
