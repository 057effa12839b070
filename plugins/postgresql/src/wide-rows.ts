import { ArrayParameter, Oid } from './array-parameter.ts';
import type { RowCursor } from './cursor.ts';
import { fitting, quoted } from './names.ts';
import { Kind } from './record.ts';
import { type ColumnSpec, type Rows, typeNames } from './rows.ts';

/** The columns that every table with a row for each sample has. */
const timeColumn: ColumnSpec = { name: 'time', oid: Oid.timestamptz, isKey: true };
const sequenceColumn: ColumnSpec = { name: 'seq', oid: Oid.int8, isKey: true };
export const wideKey = ['time', 'seq'] as const;

/** The type of the column of a tag, by the kind of its values. */
const oids: readonly Oid[] = [Oid.float8, Oid.int8, Oid.numeric, Oid.bool, Oid.text, Oid.bytea];

/** The column of a tag. */
export function columnOf(tag: string): string {
  return fitting(tag, tag === timeColumn.name || tag === sequenceColumn.name);
}

/** The values of one tag. */
class TagColumn implements ColumnSpec {
  readonly tag: Buffer;
  readonly name: string;
  readonly oid: Oid;
  readonly kind: number;
  readonly array: ArrayParameter;
  /** False: the table has no place for it, and its values are left out. */
  isTaken = true;

  constructor(tag: string, kind: number) {
    this.tag = Buffer.from(tag);
    this.name = columnOf(tag);
    this.kind = kind;
    this.oid = oids[kind]!;
    this.array = new ArrayParameter(this.oid);
  }
}

function isAt(name: Buffer, cursor: RowCursor): boolean {
  if (name.length !== cursor.tagLength) return false;
  for (let at = 0; at < name.length; at++) if (name[at] !== cursor.data[cursor.tag + at]) return false;
  return true;
}

/**
 * Rows for a table with a row for each sample of a group and a column for each tag. Columns are added as tags come. Of events each makes a row,
 * in which the other columns are null.
 */
export class WideRows implements Rows {
  readonly needsAll = false;
  readonly #time = new ArrayParameter(Oid.timestamptz);
  readonly #sequence = new ArrayParameter(Oid.int8);
  readonly #ofDevice: boolean;
  #tags: TagColumn[] = [];
  /** Where the column of the next value is likely to be: values come in the order of the tags. */
  #likely = 0;
  /** Values of the rows at hand that have no column. */
  #left = 0;

  /** `ofDevice`: rows of events have the time that the device gave, where it gave one. */
  constructor(ofDevice: boolean) {
    this.#ofDevice = ofDevice;
  }

  get columns(): readonly ColumnSpec[] {
    return [timeColumn, sequenceColumn, ...this.#tags.filter(({ isTaken }) => isTaken)];
  }

  get count(): number {
    return this.#time.count;
  }

  get form(): string {
    return this.#filled.map(({ name, oid }) => `${oid} ${name}`).join();
  }

  get parameters(): readonly Buffer[] {
    const arrays = this.#filled.map(({ array }) => array);
    for (const array of arrays) array.fill(this.count);
    return [this.#time, this.#sequence, ...arrays].map(({ value }) => value);
  }

  insertInto(table: string): string {
    const filled = [timeColumn, sequenceColumn, ...this.#filled];
    const names = filled.map(({ name }) => quoted(name));
    const arrays = filled.map(({ oid }, at) => `$${at + 1}::${typeNames.get(oid)!}[]`);
    return `INSERT INTO ${table} (${names.join(', ')}) SELECT * FROM unnest(${arrays.join(', ')}) ON CONFLICT DO NOTHING`;
  }

  /** Values since the last `clear` for which the table has no column. */
  get left(): number {
    return this.#left;
  }

  clear(): void {
    this.#time.clear();
    this.#sequence.clear();
    this.#left = 0;
    for (const { array } of this.#tags) array.clear();
  }

  /** Leaves out values of these columns from now on, those of others no more. */
  leaveOut(names: ReadonlySet<string>): void {
    for (const column of this.#tags) column.isTaken = !names.has(column.name);
  }

  /** Whether the values of a record are of the kinds that its columns have now. */
  accepts(cursor: RowCursor): boolean {
    this.#likely = 0;
    let accepts = true;
    while (accepts && cursor.advance()) {
      const known = cursor.kind === Kind.FAULT ? undefined : this.#tags[this.#placeOf(cursor)];
      accepts = known === undefined || known.kind === cursor.kind;
    }
    cursor.rewind();
    return accepts;
  }

  addRecord(cursor: RowCursor): void {
    if (cursor.isEvents) {
      while (cursor.advance()) this.addRow(cursor);
      return;
    }
    this.#time.putEight(cursor.view, 1);
    this.#sequence.putEight(cursor.view, 9);
    this.#likely = 0;
    while (cursor.advance()) this.#put(cursor);
  }

  addRow(cursor: RowCursor): void {
    this.#time.putEight(cursor.view, this.#ofDevice && cursor.time !== 0 ? cursor.time : 1);
    this.#sequence.putInt64(cursor.sequence);
    this.#put(cursor);
  }

  /** Puts the value into its column of the last row. */
  #put(cursor: RowCursor): void {
    const { data, kind, value } = cursor;
    if (kind === Kind.FAULT) return;
    const column = this.#columnAt(cursor);
    if (!column.isTaken) {
      this.#left++;
      return;
    }
    column.array.fill(this.count - 1);
    if (kind === Kind.UINT) column.array.putNumeric(data.readBigUInt64BE(value));
    else if (cursor.valueLength === 8) column.array.putEight(cursor.view, value);
    else column.array.put(data, value, cursor.valueLength);
  }

  get #filled(): readonly TagColumn[] {
    return this.#tags.filter(({ array, isTaken }) => isTaken && (array.count > 0 || this.count === 0));
  }

  #columnAt(cursor: RowCursor): TagColumn {
    const at = this.#placeOf(cursor);
    const known = this.#tags[at];
    if (known?.kind === cursor.kind) return known;
    return (this.#tags[at] = new TagColumn(cursor.text(cursor.tag, cursor.tagLength), cursor.kind));
  }

  /** Where the column of the tag lies, or where a new one goes. */
  #placeOf(cursor: RowCursor): number {
    const tags = this.#tags;
    let at = this.#likely;
    if (tags[at] === undefined || !isAt(tags[at]!.tag, cursor)) {
      at = tags.findIndex(({ tag }) => isAt(tag, cursor));
      if (at < 0) at = tags.length;
    }
    this.#likely = at + 1;
    return at;
  }
}
