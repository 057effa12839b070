import {
  DataType,
  ErrorCode,
  Fault,
  isFault,
  type BrowseEntry,
  type BrowsePage,
  type BrowseRequest,
} from '@tagway/sdk';
import type { Names } from './names/names.ts';
import { Tag, type Cursor } from './wire/ber.ts';
import { isBelow, oidOf, oidText } from './wire/oid.ts';
import type { Walk } from './walk.ts';

/** Objects of one page. */
const pageSize = 100;
/** Most groups of the top. */
const mostGroups = 500;
/** Everything that agents have lies below: iso.org.dod.internet. */
const internet = Buffer.from('2b0601', 'hex');
/** The largest number of an identifier, which jumps over everything below what is before it. */
const last = Buffer.from('8fffffff7f', 'hex');

/** Lists what an agent has: first the groups in which it has objects, then the objects of one. */
export function browse({ id, cursor }: BrowseRequest, names: Names, walk: Walk): Promise<BrowsePage> {
  return id === '' ? browseGroups(names, walk) : browseObjects(id, cursor, names, walk);
}

/** The groups are found by jumps, without walking through them. */
async function browseGroups(names: Names, walk: Walk): Promise<BrowsePage> {
  const entries: BrowseEntry[] = [];
  for (let from: Buffer = internet; entries.length < mostGroups;) {
    const oid = await firstAfter(from, walk);
    const text = oid === undefined || !isBelow(oid, internet) ? undefined : oidText(oid);
    if (text === undefined) break;
    const group = groupOf(text);
    const place = oidOf(group)!;
    entries.push({ name: labelOf(names, group), id: group, readable: false, type: 0 });
    from = Buffer.concat([place, last]);
  }
  return { total: entries.length, type: 0, isArray: false, entries };
}

async function firstAfter(from: Buffer, walk: Walk): Promise<Buffer | undefined> {
  let found: Buffer | undefined;
  const end = await walk.after(from, (oid) => {
    found = oid;
    return false;
  });
  if (isFault(end)) throw end;
  return found;
}

/** Below mib-2 and the enterprises each number is a group, elsewhere the first three below internet together. */
function groupOf(oid: string): string {
  return oid.split('.').slice(0, 7).join('.');
}

function labelOf(names: Names, group: string): string {
  const name = names.at(group)?.name;
  return name === undefined ? group : `${name} (${group})`;
}

async function browseObjects(
  id: string,
  cursor: string | undefined,
  names: Names,
  walk: Walk,
): Promise<BrowsePage> {
  const place = placeOf(id, names);
  const from = cursor === undefined ? place : oidOf(cursor);
  if (place === undefined || from === undefined)
    throw new Fault(
      ErrorCode.READ_FAILED,
      `"${id}" is no place in the tree of an agent, such as 1.3.6.1.2.1.2 or interfaces.`,
    );
  const entries: BrowseEntry[] = [];
  let rest: string | undefined;
  let before = '';
  const end = await walk.after(from, (oid, value) => {
    if (!isBelow(oid, place)) return false;
    if (entries.length === pageSize) {
      rest = before;
      return false;
    }
    before = oidText(oid) ?? before;
    entries.push(entryOf(before, value, names));
    return true;
  });
  if (isFault(end) && entries.length === 0) throw end;
  return { type: 0, isArray: false, entries, ...(rest !== undefined && { cursor: rest }) };
}

function placeOf(id: string, names: Names): Buffer | undefined {
  if (/^[.\d]/.test(id)) return oidOf(id);
  const dot = id.indexOf('.');
  const known = names.get(dot < 0 ? id : id.slice(0, dot));
  return known === undefined ? undefined : oidOf(known.oid + (dot < 0 ? '' : id.slice(dot)));
}

function entryOf(oid: string, value: Cursor, names: Names): BrowseEntry {
  const unit = names.nearest(oid)?.object.unit;
  const name = names.nameOf(oid);
  return { name, id: name, readable: true, type: typeOf(value), ...(unit !== undefined && { unit }) };
}

/** The type of a tag that takes every value of the object. */
function typeOf({ data, start, tag }: Cursor): DataType {
  switch (tag) {
    case Tag.INTEGER:
      return DataType.INT32;
    case Tag.COUNTER32:
    case Tag.GAUGE32:
    case Tag.TIME_TICKS:
      return DataType.UINT32;
    case Tag.COUNTER64:
      return DataType.UINT64;
    case Tag.OPAQUE:
      return data[start] === 0x9f && data[start + 1] === 0x78 ? DataType.FLOAT : DataType.BYTES;
    default:
      return DataType.STRING;
  }
}
