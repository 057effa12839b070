import { DataType, type Layout, type Sample } from '@tagway/sdk';
import { type ValueWriter, valueWriterOf } from '@tagway/sdk/json';
import { ByteWriter, DueRows } from '@tagway/store';
import { PlaceTemplate } from '@tagway/store/template';
import { key, measurement, tagValue, text } from './escape.ts';
import { Precision, type Settings, tagSetOf } from './settings.ts';
import { stores } from './stores.ts';

/** All lines are written here first, because they are made one after the other. */
const out = new ByteWriter();

/** Room for any number and the letter after it. */
const longestNumber = 64;

const space = 0x20;
const comma = 0x2c;
const lineEnd = 0x0a;

/** How the values of a column are written. */
const Form = { FLOAT: 0, INTEGER: 1, UNSIGNED: 2, LIMITED: 3, BOOL: 4, TEXT: 5, BYTES: 6, NONE: 7 } as const;
type Form = (typeof Form)[keyof typeof Form];

const largest = 2n ** 63n - 1n;

type LineSettings = Pick<
  Settings,
  'measurement' | 'tag-set' | 'field' | 'precision' | 'upload_err' | 'upload_meta' | 'store' | 'batch-size'
>;

/** The lines of the samples of one layout, whose names are escaped once. */
export class LayoutLines {
  readonly #settings: LineSettings;
  readonly #values: ValueWriter;
  readonly #rows: DueRows;
  /** Per column what a line begins with, measurement and tags. */
  readonly #heads: readonly Buffer[];
  /** A comma, the name of its field and an equals sign: those of column `i` lie in `#starts[i]` to `#starts[i + 1]`. */
  readonly #fields: Buffer;
  readonly #starts: Uint32Array;
  readonly #errors: readonly Buffer[];
  readonly #qualities: readonly Buffer[];
  readonly #forms: Uint8Array;
  /** Called for a value that the store has no type for. */
  readonly #leftOut: () => void;

  constructor(app: string, layout: Layout, settings: LineSettings, leftOut: () => void) {
    this.#settings = settings;
    this.#values = valueWriterOf(layout);
    this.#rows = new DueRows(layout);
    this.#leftOut = leftOut;
    const measurements = PlaceTemplate.of(settings.measurement).texts(app, layout).map(measurement);
    const sets = tagSetOf(settings['tag-set'])
      .map(
        ([name, template]) =>
          [key(name), PlaceTemplate.of(template).texts(app, layout).map(tagValue)] as const,
      )
      // Stores want the tags in the order of their names.
      .sort(([one], [other]) => (one < other ? -1 : 1));
    const heads = measurements.map((name, column) =>
      [name, ...sets.flatMap(([tag, values]) => (values[column] ? [`${tag}=${values[column]}`] : []))].join(
        ',',
      ),
    );
    // Columns whose lines begin alike share the buffer, by which they are told apart.
    const shared = new Map<string, Buffer>();
    this.#heads = heads.map(
      (head) => shared.get(head) ?? (shared.set(head, Buffer.from(head)).get(head) as Buffer),
    );
    const fields = PlaceTemplate.of(settings.field).texts(app, layout);
    const names = fields.map((field) => Buffer.from(`,${key(field)}=`));
    this.#fields = Buffer.concat(names);
    this.#starts = new Uint32Array(names.length + 1);
    for (const [column, { length }] of names.entries())
      this.#starts[column + 1] = this.#starts[column]! + length;
    this.#errors = fields.map((field) => Buffer.from(`${key(`${field}_error`)}=`));
    this.#qualities = fields.map((field) => Buffer.from(`${key(`${field}_quality`)}=`));
    const { unsigned, texts } = stores[settings.store]!;
    this.#forms = Uint8Array.from(layout.columns, ({ valueType }) => formOf(valueType, unsigned, texts));
  }

  /** The lines of a sample, in pieces that fit a batch; none when nothing is due. */
  of(sample: Sample): Buffer[] {
    const { precision, upload_err: hasErrors, upload_meta: hasQualities } = this.#settings;
    const size = this.#settings['batch-size'] * 1000;
    const rows = this.#rows;
    const pieces: Buffer[] = [];
    let head: Buffer | undefined;
    let time = 0;
    let ordinal = 0;
    out.clear();
    rows.start(sample);
    while (rows.next()) {
      const { column, row, fault } = rows;
      const form = this.#forms[column];
      const quality = hasQualities ? (sample.qualities?.[row] ?? 0) : 0;
      if (fault !== 0 ? !hasErrors : form === Form.NONE) continue;
      if (form === Form.LIMITED && fault === 0 && this.#isTooLarge(sample, column, row)) continue;
      const own = this.#heads[column]!;
      const isFurther = head === own && time === rows.time && ordinal === rows.ordinal;
      if (!isFurther) {
        if (head !== undefined) {
          endLine(precision, time, ordinal);
          if (out.length >= size) {
            pieces.push(out.copy());
            out.clear();
          }
        }
        head = own;
        time = rows.time;
        ordinal = rows.ordinal;
        out.bytes(head);
        out.byte(space);
      }
      if (fault !== 0) {
        if (isFurther) out.byte(comma);
        out.bytes(this.#errors[column]!);
        out.ascii(`${fault}i`);
        continue;
      }
      this.#field(form as Form, sample, row, column, isFurther);
      if (quality !== 0) {
        out.byte(comma);
        out.bytes(this.#qualities[column]!);
        out.ascii(`${quality}i`);
      }
    }
    if (head !== undefined) endLine(precision, time, ordinal);
    if (out.length > 0) pieces.push(out.copy());
    return pieces;
  }

  /** A field with its value, after a comma where it is not the first of its line. */
  #field(form: Form, sample: Sample, row: number, column: number, isFurther: boolean): void {
    const fields = this.#fields;
    const end = this.#starts[column + 1]!;
    let from = this.#starts[column]! + (isFurther ? 0 : 1);
    out.reserve(end - from + longestNumber);
    const into = out.buffer;
    let at = out.length;
    while (from < end) into[at++] = fields[from++]!;
    if (form >= Form.TEXT) {
      out.length = at;
      const { objects, rows } = sample;
      const object = objects[rows === undefined ? this.#rows.layout.columns[column]!.place : row]!;
      return out.text(text(typeof object === 'string' ? object : Buffer.from(object).toString('hex')));
    }
    at = this.#values.write(sample, row, into, at);
    if (form === Form.INTEGER || form === Form.LIMITED) into[at++] = 0x69;
    else if (form === Form.UNSIGNED) into[at++] = 0x75;
    out.length = at;
  }

  /** Whether an unsigned integer of 64 bits is beyond what a signed one holds. */
  #isTooLarge(sample: Sample, column: number, row: number): boolean {
    const place = sample.rows === undefined ? this.#rows.layout.columns[column]!.place : row;
    if (BigInt.asUintN(64, sample.integers[place]!) <= largest) return false;
    this.#leftOut();
    return true;
  }
}

function formOf(type: DataType, unsigned: boolean, texts: boolean): Form {
  switch (type) {
    case DataType.FLOAT:
    case DataType.DOUBLE:
      return Form.FLOAT;
    case DataType.BOOL:
      return Form.BOOL;
    case DataType.STRING:
      return texts ? Form.TEXT : Form.NONE;
    case DataType.BYTES:
      return texts ? Form.BYTES : Form.NONE;
    case DataType.UINT64:
      return unsigned ? Form.UNSIGNED : Form.LIMITED;
    case DataType.UINT8:
    case DataType.UINT16:
    case DataType.UINT32:
      return unsigned ? Form.UNSIGNED : Form.INTEGER;
    default:
      return Form.INTEGER;
  }
}

/** What several values of a tag with the same time are told apart by, in the smallest unit; there are 999 places in a microsecond. */
function endLine(precision: Settings['precision'], time: number, ordinal: number): void {
  out.byte(space);
  if (precision === Precision.SECOND) {
    out.natural(Math.floor(time / 1000));
  } else {
    out.natural(time);
    if (precision === Precision.MICRO) out.ascii(String(Math.min(ordinal, 999)).padStart(3, '0'));
    else if (precision === Precision.NANO) out.ascii(String(ordinal % 1_000_000).padStart(6, '0'));
  }
  out.byte(lineEnd);
}
