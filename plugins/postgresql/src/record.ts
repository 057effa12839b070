import { randomInt } from 'node:crypto';
import { DataType, type Layout, type Sample, Store } from '@tagway/sdk';

/**
 * Values of one sample as they wait for the database. All numbers are big endian, so that their bytes go into the arrays of a statement as
 * they are: version (1 byte), time of the reading (8), sequence of the first row (8), whether the sequence goes up by one with every row (1),
 * rows (4); then the names of node and group, each with its length (2); then the rows: kind and flags (1), name of the tag with its length
 * (2), time that the device gave (8) and quality (4) where the flags say so, and the value.
 */
export const version = 1;
export const headLength = 22;

/** What a value is, and with that which column it belongs to. Texts and bytes have their length (4 bytes) before them. */
export const Kind = { FLOAT: 0, INT: 1, UINT: 2, BOOL: 3, TEXT: 4, BYTES: 5, FAULT: 6 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export const hasTime = 0x10;
export const hasQuality = 0x20;
export const kindBits = 0x0f;

/** Most bytes of a row beside its name and beside texts and bytes. */
const rowMargin = 3 + 8 + 4 + 12;

/** Milliseconds from 1970 to 2000, where the times of PostgreSQL begin, and the first and the last time that it has room for. */
export const epoch = 946_684_800_000;
const earliest = Date.UTC(-4712, 1, 1);
const latest = 8.64e15;

/** What is prepared once for a layout. */
interface Plan {
  readonly kinds: Uint8Array;
  readonly stores: Uint8Array;
  readonly places: Uint32Array;
  /** Bytes of the names of tags with their lengths before them: those of column `i` lie in `starts[i]` to `starts[i + 1]`. */
  readonly names: Uint8Array;
  readonly starts: Uint32Array;
  /** Names of node and group with their lengths. */
  readonly head: Buffer;
  /** Most bytes of all rows beside texts and bytes. */
  readonly room: number;
}

/** A record is made here first; every app of the process uses it, because making one does not wait. */
let scratch = Buffer.alloc(1 << 16);
let view = new DataView(scratch.buffer, scratch.byteOffset, scratch.length);

function reserve(at: number, length: number): void {
  if (at + length <= scratch.length) return;
  const larger = Buffer.alloc(Math.max(scratch.length * 2, at + length));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
  view = new DataView(scratch.buffer, scratch.byteOffset, scratch.length);
}

function kindOf(type: DataType): Kind {
  switch (type) {
    case DataType.FLOAT:
    case DataType.DOUBLE:
      return Kind.FLOAT;
    case DataType.UINT64:
      return Kind.UINT;
    case DataType.BOOL:
      return Kind.BOOL;
    case DataType.STRING:
      return Kind.TEXT;
    case DataType.BYTES:
      return Kind.BYTES;
    default:
      return Kind.INT;
  }
}

/** Text as PostgreSQL takes it, which has no place for U+0000. */
export function asText(text: string): string {
  return text.replaceAll('\0', '\uFFFD');
}

function named(name: string): Buffer {
  const text = Buffer.from(asText(name));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(text.length);
  return Buffer.concat([length, text]);
}

function planOf({ columns, driver, group }: Layout): Plan {
  const names = columns.map(({ name }) => named(name));
  const starts = new Uint32Array(names.length + 1);
  for (const [column, { length }] of names.entries()) starts[column + 1] = starts[column]! + length;
  const bytes = Buffer.concat(names);
  return {
    kinds: Uint8Array.from(columns, ({ valueType }) => kindOf(valueType)),
    stores: Uint8Array.from(columns, ({ store }) => store),
    places: Uint32Array.from(columns, ({ place }) => place),
    names: bytes,
    starts,
    head: Buffer.concat([named(driver), named(group)]),
    room: bytes.length + columns.length * rowMargin,
  };
}

const plans = new WeakMap<Layout, Plan>();

export interface RecordOptions {
  /** Whether tags with a fault have rows. */
  readonly faults: boolean;
  /** Whether tags that are not due have rows, too. */
  readonly all: boolean;
}

/** Numbers of one millisecond of the start of a run. */
const perMillisecond = 2 ** 20;

/**
 * Numbers the rows of one run of a node. The numbers go up, and begin where the time of the start says and a little chance, so that runs do not
 * repeat each other's: two rows of a tag that have the same time, also because somebody set the clock back, differ in them.
 */
export class RowSequence {
  #next: bigint;

  /** `now`: milliseconds since the epoch. */
  constructor(now: number) {
    this.#next = BigInt(Math.trunc(now)) * BigInt(perMillisecond) + BigInt(randomInt(perMillisecond));
  }

  /** The first of `count` numbers. */
  take(count: number): bigint {
    const first = this.#next;
    this.#next += BigInt(count);
    return first;
  }
}

/** A sample as a record; undefined when it has no row. */
export function recordOf(
  sample: Sample,
  sequence: RowSequence,
  { faults: wantsFaults, all }: RecordOptions,
): Buffer | undefined {
  const { layout, rows, faults, timestamps, qualities } = sample;
  let plan = plans.get(layout);
  if (plan === undefined) plans.set(layout, (plan = planOf(layout)));
  const { kinds, names, starts, head } = plan;
  const count = rows?.length ?? layout.columns.length;
  const due = all || rows !== undefined ? undefined : sample.due;
  reserve(0, headLength + head.length + (rows === undefined ? plan.room : 0));
  let at = headLength;
  scratch.set(head, at);
  at += head.length;
  let written = 0;
  let pair = 0;
  for (let row = 0; row < count; row++) {
    while (pair < faults.length && faults[pair]! < row) pair += 2;
    if (due?.[row] === 0) continue;
    const isFault = pair < faults.length && faults[pair] === row;
    if (isFault && !wantsFaults) continue;
    const column = rows === undefined ? row : rows[row]!;
    const end = starts[column + 1]!;
    if (rows !== undefined) reserve(at, end - starts[column]! + rowMargin);
    const kind = isFault ? Kind.FAULT : kinds[column]!;
    const time = timestamps?.[row] ?? NaN;
    const quality = qualities?.[row] ?? 0;
    const isTimed = time >= earliest && time <= latest;
    scratch[at++] = kind | (isTimed ? hasTime : 0) | (quality === 0 ? 0 : hasQuality);
    for (let from = starts[column]!; from < end; from++) scratch[at++] = names[from]!;
    if (isTimed) at = putTime(at, time);
    if (quality !== 0) {
      view.setUint32(at, quality);
      at += 4;
    }
    const place = rows === undefined ? plan.places[column]! : row;
    if (isFault) at = putInt32(at, faults[pair + 1]!);
    else if (kind >= Kind.TEXT) at = putObject(at, sample.objects[place]!, plan.room);
    else at = putNumber(sample, at, kind, plan.stores[column]!, place);
    written++;
  }
  if (written === 0) return undefined;
  const isEvents = rows !== undefined;
  scratch[0] = version;
  putTime(1, sample.timestamp);
  view.setBigInt64(9, sequence.take(isEvents ? written : 1));
  scratch[17] = isEvents ? 1 : 0;
  view.setUint32(18, written);
  return Buffer.from(scratch.subarray(0, at));
}

function putInt32(at: number, value: number): number {
  view.setInt32(at, value);
  return at + 4;
}

function putInt64(at: number, value: number): number {
  view.setInt32(at, Math.floor(value / 0x1_0000_0000));
  view.setUint32(at + 4, value >>> 0);
  return at + 8;
}

function putTime(at: number, milliseconds: number): number {
  return putInt64(at, Math.round((milliseconds - epoch) * 1000));
}

function putNumber(sample: Sample, at: number, kind: number, store: number, place: number): number {
  if (store === Store.INTEGER) {
    view.setBigInt64(at, sample.integers[place]!);
    return at + 8;
  }
  const value = sample.numbers[place]!;
  if (kind === Kind.FLOAT) {
    view.setFloat64(at, value);
    return at + 8;
  }
  if (kind === Kind.INT) return putInt64(at, value);
  scratch[at] = value === 0 ? 0 : 1;
  return at + 1;
}

/** Writes a text or bytes. These have no bound of their own, so `room` bytes are made free after them for what follows. */
function putObject(at: number, value: string | Uint8Array, room: number): number {
  let length: number;
  if (typeof value === 'string') {
    const text = asText(value);
    reserve(at, text.length * 3 + 4 + room);
    length = scratch.write(text, at + 4);
  } else {
    length = value.length;
    reserve(at, length + 4 + room);
    scratch.set(value, at + 4);
  }
  view.setUint32(at, length);
  return at + 4 + length;
}
