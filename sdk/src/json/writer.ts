import { ErrorCode } from '@tagway/schemas';
import { faultAt, type Layout, type Sample } from '../sample.ts';
import { maxNumberLength, writeAscii, writeInteger, writeNatural } from './digits.ts';
import { Kind, isReal, kindOf } from './kinds.ts';
import { describedBy, hasMeta, messageOf, metaLength, metaOf } from './meta.ts';
import { boundsOf } from './parts.ts';
import { prefixesOf, writePrefix, type Prefixes } from './prefixes.ts';
import { maxStringLength, writeString } from './text.ts';
import { valueWriterOf, type ValueWriter } from './value-writer.ts';

/** Every payload is written here first; all writers share it, because they are synchronous. */
let scratch = Buffer.allocUnsafeSlow(1 << 16);

function reserve(at: number, length: number): void {
  if (at + length <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, at + length));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

export interface PayloadOptions {
  /** False leaves out columns with a fault. Default true. */
  readonly errors?: boolean;
  /** True adds source time and quality where a driver gave them, and unit and span (`low`, `high`) of tags that have them. Default false. */
  readonly meta?: boolean;
}

export interface RecordOptions {
  /** Indices of columns. Default: all of them, due or not. */
  readonly columns?: ArrayLike<number>;
  /** True adds `timestamp` (milliseconds) and `quality` (flags of `Quality`) where a driver gave them. Default false. */
  readonly meta?: boolean;
  /** True adds `message`, the reason in words, to what has an error. Default false. */
  readonly messages?: boolean;
  /**
   * Adds `since`: by column, since when the value or the error is the same, in milliseconds since the epoch. Where it is negative,
   * `at_least` says that it may have been so for longer; where it is 0 nothing is added.
   */
  readonly since?: ArrayLike<number>;
}

/**
 * Makes JSON of the samples of one layout. A payload is made once per sample and form, however many apps ask for it, so its buffer must not
 * be changed.
 */
export class SampleWriter {
  readonly layout: Layout;
  readonly #kinds: Uint8Array;
  readonly #places: Uint32Array;
  /** Columns of reals, which may hold numbers that JSON cannot express. */
  readonly #reals: Uint32Array;
  /** Per column, or row of an event sample, the error code of the sample at hand, or 0. */
  #codes: Int32Array;
  readonly #head: Buffer;
  readonly #single: ValueWriter;
  /** Payloads of each sample, by form. */
  readonly #made = new WeakMap<Sample, (readonly Buffer[] | undefined)[]>();
  /** Of each column unit and span as further members of an object, undefined where it has none; undefined as a whole where no column has. */
  readonly #described: readonly (Buffer | undefined)[] | undefined;
  #keys: Prefixes | undefined;
  #values: Prefixes | undefined;
  #errors: Prefixes | undefined;

  constructor(layout: Layout) {
    const { columns } = layout;
    this.layout = layout;
    this.#single = valueWriterOf(layout);
    this.#described = describedBy(columns);
    this.#kinds = Uint8Array.from(columns, kindOf);
    this.#places = Uint32Array.from(columns, ({ place }) => place);
    this.#reals = Uint32Array.from([...columns.keys()].filter((column) => isReal(this.#kinds[column]!)));
    this.#codes = new Int32Array(columns.length);
    this.#head = Buffer.from(
      `{"node":${JSON.stringify(layout.driver)},"group":${JSON.stringify(layout.group)},"timestamp":`,
    );
  }

  /**
   * Payload format 0: `{node, group, timestamp, values, errors, metas}`. None when there is nothing to report; more than one, in order, for
   * an event sample in which a tag comes several times.
   */
  values(sample: Sample, options?: PayloadOptions): readonly Buffer[] {
    return this.#once(sample, 0, options, (from, to, errors, meta) =>
      this.#writeValues(sample, from, to, errors, meta),
    );
  }

  /** Payload format 1: `{node, group, timestamp, tags}`. As many as of format 0. */
  tags(sample: Sample, options?: PayloadOptions): readonly Buffer[] {
    return this.#once(sample, 4, options, (from, to, errors, meta) =>
      this.#writeTags(sample, from, to, errors, meta),
    );
  }

  /** An array of `{name, value}` and `{name, error}` of a whole sample. */
  records(sample: Sample, { columns, meta = false, messages = false, since }: RecordOptions = {}): Buffer {
    this.#spread(sample);
    const count = columns?.length ?? this.layout.columns.length;
    let at = writeAscii(scratch, 0, '[');
    for (let index = 0; index < count; index++) {
      const column = columns === undefined ? index : columns[index]!;
      at = this.#record(sample, at, column, index === 0, meta, messages, since?.[column]);
    }
    return this.#finish(at, ']');
  }

  /** The members of `records` for one column of a whole sample, without its name, such as `"value":1.5`. */
  members(sample: Sample, column: number, options: Omit<RecordOptions, 'columns'> = {}): string {
    const code = this.fault(sample, column);
    const result =
      code === 0
        ? `"value":${scratch.toString('utf8', 0, this.#value(sample, 0, column))}`
        : `"error":${code}`;
    const message =
      code !== 0 && options.messages === true
        ? `,"message":${JSON.stringify(messageOf(sample, column, code))}`
        : '';
    const meta = options.meta === true && hasMeta(sample, column) ? metaOf(sample, column) : '';
    const since = options.since?.[column] ?? 0;
    return result + message + meta + (since === 0 ? '' : sinceOf(since));
  }

  /** The error code of one column of a whole sample, or 0. */
  fault(sample: Sample, column: number): number {
    const pair = faultAt(sample, column);
    if (pair >= 0) return sample.faults[pair * 2 + 1]!;
    return isReal(this.#kinds[column]!) && !Number.isFinite(sample.numbers[this.#places[column]!])
      ? ErrorCode.VALUE_EXPIRED
      : 0;
  }

  #once(
    sample: Sample,
    form: number,
    { errors = true, meta = false }: PayloadOptions = {},
    write: (from: number, to: number, errors: boolean, meta: boolean) => Buffer | undefined,
  ): readonly Buffer[] {
    const index = form + (errors ? 1 : 0) + (meta ? 2 : 0);
    let made = this.#made.get(sample);
    if (made === undefined) this.#made.set(sample, (made = []));
    let payloads = made[index];
    if (payloads === undefined) {
      this.#spread(sample);
      const bounds = boundsOf(sample);
      const parts = bounds.slice(1).map((to, part) => write(bounds[part]!, to, errors, meta));
      made[index] = payloads = parts.filter((payload) => payload !== undefined);
    }
    return payloads;
  }

  /** Fills `#codes`; a real that is not a finite number counts as expired, because JSON has no text for it. */
  #spread({ faults, numbers, rows }: Sample): void {
    const count = rows?.length ?? this.layout.columns.length;
    if (this.#codes.length < count) this.#codes = new Int32Array(count);
    const codes = this.#codes.fill(0);
    if (rows === undefined) {
      for (const column of this.#reals) {
        if (!Number.isFinite(numbers[this.#places[column]!])) codes[column] = ErrorCode.VALUE_EXPIRED;
      }
    }
    for (let index = 0; index < faults.length; index += 2) codes[faults[index]!] = faults[index + 1]!;
  }

  #writeValues(sample: Sample, from: number, to: number, errors: boolean, meta: boolean): Buffer | undefined {
    const { due, numbers, rows } = sample;
    const codes = this.#codes;
    const kinds = this.#kinds;
    const places = this.#places;
    const keys = (this.#keys ??= prefixesOf(this.layout.columns, '', ':'));
    const room = keys.longest + maxNumberLength;
    let at = this.#start(sample, ',"values":{');
    let reported = 0;
    let failed = 0;
    for (let row = from; row < to; row++) {
      if (due !== undefined && due[row] === 0) continue;
      if (codes[row] !== 0) {
        failed++;
        continue;
      }
      const column = rows === undefined ? row : rows[row]!;
      reserve(at, room);
      at = writePrefix(scratch, at, keys, column, reported++ === 0);
      at =
        kinds[column] === Kind.INTEGER
          ? writeInteger(scratch, at, numbers[rows === undefined ? places[column]! : row]!)
          : this.#value(sample, at, row);
    }
    if (reported === 0 && (failed === 0 || !errors)) return undefined;
    reserve(at, maxNumberLength);
    at = writeAscii(scratch, at, '},"errors":{');
    if (errors && failed > 0) {
      let first = true;
      for (let row = from; row < to; row++) {
        if (codes[row] === 0 || (due !== undefined && due[row] === 0)) continue;
        reserve(at, room);
        at = writePrefix(scratch, at, keys, rows === undefined ? row : rows[row]!, first);
        at = writeInteger(scratch, at, codes[row]!);
        first = false;
      }
    }
    reserve(at, maxNumberLength);
    at = writeAscii(scratch, at, '},"metas":{');
    if (meta) at = this.#writeMetas(sample, at, from, to, errors);
    return this.#finish(at, '}}');
  }

  /** Per reported tag what there is of source time, quality, unit and span. */
  #writeMetas(sample: Sample, at: number, from: number, to: number, errors: boolean): number {
    const { due, rows } = sample;
    const keys = (this.#keys ??= prefixesOf(this.layout.columns, '', ':'));
    let place = at;
    let first = true;
    for (let row = from; row < to; row++) {
      const column = rows === undefined ? row : rows[row]!;
      const described = this.#described?.[column];
      const isMeant = hasMeta(sample, row);
      if ((!isMeant && described === undefined) || (due !== undefined && due[row] === 0)) continue;
      if (this.#codes[row] !== 0 && !errors) continue;
      reserve(place, keys.longest + metaLength);
      place = writePrefix(scratch, place, keys, column, first);
      const begin = place;
      if (isMeant) place = writeAscii(scratch, place, metaOf(sample, row));
      if (described !== undefined) place = this.#copy(place, described);
      // In the place of the comma before the first member.
      scratch[begin] = openBrace;
      place = writeAscii(scratch, place, '}');
      first = false;
    }
    return place;
  }

  #writeTags(sample: Sample, from: number, to: number, errors: boolean, meta: boolean): Buffer | undefined {
    const { due } = sample;
    const codes = this.#codes;
    let at = this.#start(sample, ',"tags":[');
    let reported = 0;
    for (let row = from; row < to; row++) {
      if (due !== undefined && due[row] === 0) continue;
      if (codes[row] !== 0 && !errors) continue;
      at = this.#record(sample, at, row, reported++ === 0, meta, false);
      const described = meta ? this.#described?.[sample.rows?.[row] ?? row] : undefined;
      // Before the brace that ends the record.
      if (described !== undefined) at = writeAscii(scratch, this.#copy(at - 1, described), '}');
    }
    return reported === 0 ? undefined : this.#finish(at, ']}');
  }

  #start(sample: Sample, text: string): number {
    reserve(0, this.#head.length + maxNumberLength);
    const at = writeNatural(scratch, this.#head.copy(scratch), Math.trunc(sample.timestamp));
    return writeAscii(scratch, at, text);
  }

  #finish(at: number, text: string): Buffer {
    reserve(at, maxNumberLength);
    return Buffer.from(scratch.subarray(0, writeAscii(scratch, at, text)));
  }

  /** `row` is the column of a whole sample. */
  #record(
    sample: Sample,
    at: number,
    row: number,
    first: boolean,
    meta: boolean,
    messages: boolean,
    since = 0,
  ): number {
    const code = this.#codes[row]!;
    const prefixes =
      code === 0
        ? (this.#values ??= prefixesOf(this.layout.columns, '{"name":', ',"value":'))
        : (this.#errors ??= prefixesOf(this.layout.columns, '{"name":', ',"error":'));
    const column = sample.rows === undefined ? row : sample.rows[row]!;
    reserve(at, prefixes.longest + maxNumberLength);
    let end = writePrefix(scratch, at, prefixes, column, first);
    end = code === 0 ? this.#value(sample, end, row) : writeInteger(scratch, end, code);
    if (code !== 0 && messages) {
      reserve(end, maxNumberLength);
      end = this.#string(writeAscii(scratch, end, ',"message":'), messageOf(sample, row, code));
    }
    if (meta && hasMeta(sample, row)) {
      reserve(end, metaLength);
      end = writeAscii(scratch, end, metaOf(sample, row));
    }
    if (since !== 0) {
      reserve(end, metaLength);
      end = writeNatural(scratch, writeAscii(scratch, end, sinceKey), Math.trunc(Math.abs(since)));
      if (since < 0) end = writeAscii(scratch, end, atLeast);
    }
    return writeAscii(scratch, end, '}');
  }

  /** Writes the value of a row; the caller has reserved room for a number, and has room for a number's rest after it. */
  #value(sample: Sample, at: number, row: number): number {
    const column = sample.rows === undefined ? row : sample.rows[row]!;
    if (this.#kinds[column]! >= Kind.STRING) reserve(at, this.#single.room(sample, row) + maxNumberLength);
    return this.#single.write(sample, row, scratch, at);
  }

  /** Leaves room for a number behind it. */
  #copy(at: number, bytes: Buffer): number {
    reserve(at, bytes.length + maxNumberLength);
    return at + bytes.copy(scratch, at);
  }

  #string(at: number, text: string): number {
    reserve(at, maxStringLength(text) + maxNumberLength);
    return writeString(scratch, at, text);
  }
}

const openBrace = 0x7b;
const sinceKey = ',"since":';
const atLeast = ',"at_least":true';

const sinceOf = (since: number): string =>
  `${sinceKey}${Math.trunc(Math.abs(since))}${since < 0 ? atLeast : ''}`;

const writers = new WeakMap<Layout, SampleWriter>();

/** The one writer of a layout. */
export function writerOf(layout: Layout): SampleWriter {
  let writer = writers.get(layout);
  if (writer === undefined) writers.set(layout, (writer = new SampleWriter(layout)));
  return writer;
}
