import { ErrorCode } from '@tagway/schemas';
import { placesOf } from '../sample.ts';
import type { Column, Layout, Sample } from '../sample.ts';
import { maxNumberLength, writeAscii, writeInteger, writeNatural } from './digits.ts';
import { Kind, isReal, kindOf } from './kinds.ts';
import { prefixesOf, writePrefix } from './prefixes.ts';
import type { Prefixes } from './prefixes.ts';
import { writeComputed, writeDouble, writeFixed, writeSingle } from './reals.ts';
import { maxStringLength, writeString } from './text.ts';

const wideFrom = BigInt(Number.MIN_SAFE_INTEGER);
const wideTo = BigInt(Number.MAX_SAFE_INTEGER);

/** Every payload is written here first: the writers are synchronous, so that they can share it. */
let scratch = Buffer.allocUnsafeSlow(1 << 16);

function reserve(at: number, length: number): void {
  if (at + length <= scratch.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(scratch.length * 2, at + length));
  scratch.copy(larger, 0, 0, at);
  scratch = larger;
}

function writeWide(at: number, value: bigint): number {
  if (value >= wideFrom && value <= wideTo) return writeInteger(scratch, at, Number(value));
  return writeAscii(scratch, at, value.toString());
}

interface Made {
  readonly payload: Buffer | undefined;
}

export interface PayloadOptions {
  /** False leaves out columns with a fault. Default true. */
  readonly errors?: boolean;
}

/**
 * Turns the samples of one layout into JSON. A payload is made once per sample and form, however many apps ask for it,
 * so nobody may change a buffer it got.
 */
export class SampleWriter {
  readonly layout: Layout;
  readonly #kinds: Uint8Array;
  readonly #places: Uint32Array;
  /** Columns of reals, which may hold what JSON cannot. */
  readonly #reals: Uint32Array;
  /** Per column the error code of the sample at hand, or 0. */
  readonly #codes: Int32Array;
  readonly #head: Buffer;
  readonly #made = [0, 1, 2, 3].map(() => new WeakMap<Sample, Made>());
  #keys: Prefixes | undefined;
  #values: Prefixes | undefined;
  #errors: Prefixes | undefined;

  constructor(layout: Layout) {
    const { columns } = layout;
    this.layout = layout;
    this.#kinds = Uint8Array.from(columns, kindOf);
    this.#places = placesOf(columns);
    this.#reals = Uint32Array.from(
      [...columns.keys()].filter((column) => isReal(this.#kinds[column] as number)),
    );
    this.#codes = new Int32Array(columns.length);
    this.#head = Buffer.from(
      `{"node":${JSON.stringify(layout.node)},"group":${JSON.stringify(layout.group)},"timestamp":`,
    );
  }

  /** Payload format 0: `{node, group, timestamp, values, errors, metas}`. Undefined when there is nothing to report. */
  values(sample: Sample, options?: PayloadOptions): Buffer | undefined {
    return this.#once(sample, 0, options, (errors) => this.#writeValues(sample, errors));
  }

  /** Payload format 1: `{node, group, timestamp, tags}`. Undefined when there is nothing to report. */
  tags(sample: Sample, options?: PayloadOptions): Buffer | undefined {
    return this.#once(sample, 2, options, (errors) => this.#writeTags(sample, errors));
  }

  /** An array of `{name, value}` and `{name, error}` of all or of the given columns, reported or not. */
  records(sample: Sample, columns?: ArrayLike<number>): Buffer {
    this.#spread(sample);
    const count = columns?.length ?? this.layout.columns.length;
    let at = writeAscii(scratch, 0, '[');
    for (let index = 0; index < count; index++) {
      at = this.#record(sample, at, columns === undefined ? index : (columns[index] as number), index === 0);
    }
    return this.#finish(at, ']');
  }

  /** JSON text of one value, or undefined when the column has a fault. */
  value(sample: Sample, column: number): string | undefined {
    if (this.fault(sample, column) !== 0) return undefined;
    return scratch.toString('utf8', 0, this.#value(sample, 0, column));
  }

  /** The error code of one column, or 0. */
  fault(sample: Sample, column: number): number {
    const { faults } = sample;
    let low = 0;
    let high = faults.length / 2;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((faults[middle * 2] as number) < column) low = middle + 1;
      else high = middle;
    }
    if (faults[low * 2] === column) return faults[low * 2 + 1] as number;
    return isReal(this.#kinds[column] as number) &&
      !Number.isFinite(sample.numbers[this.#places[column] as number])
      ? ErrorCode.VALUE_EXPIRED
      : 0;
  }

  #once(
    sample: Sample,
    form: number,
    options: PayloadOptions | undefined,
    write: (errors: boolean) => Buffer | undefined,
  ) {
    const errors = options?.errors ?? true;
    const made = this.#made[form + (errors ? 1 : 0)] as WeakMap<Sample, Made>;
    let entry = made.get(sample);
    if (entry === undefined) {
      this.#spread(sample);
      entry = { payload: write(errors) };
      made.set(sample, entry);
    }
    return entry.payload;
  }

  /** Fills `#codes`; a real that is not a finite number counts as expired, because JSON has no text for it. */
  #spread({ faults, numbers }: Sample): void {
    const codes = this.#codes.fill(0);
    for (const column of this.#reals) {
      if (!Number.isFinite(numbers[this.#places[column] as number])) codes[column] = ErrorCode.VALUE_EXPIRED;
    }
    for (let index = 0; index < faults.length; index += 2)
      codes[faults[index] as number] = faults[index + 1] as number;
  }

  #writeValues(sample: Sample, errors: boolean): Buffer | undefined {
    const { report, numbers } = sample;
    const codes = this.#codes;
    const kinds = this.#kinds;
    const places = this.#places;
    const keys = (this.#keys ??= prefixesOf(this.layout.columns, '', ':'));
    const room = keys.longest + maxNumberLength;
    let at = this.#start(sample, ',"values":{');
    let reported = 0;
    let failed = 0;
    for (let column = 0; column < codes.length; column++) {
      if (report !== undefined && report[column] === 0) continue;
      if (codes[column] !== 0) {
        failed++;
        continue;
      }
      reserve(at, room);
      at = writePrefix(scratch, at, keys, column, reported++ === 0);
      at =
        kinds[column] === Kind.INTEGER
          ? writeInteger(scratch, at, numbers[places[column] as number] as number)
          : this.#value(sample, at, column);
    }
    if (reported === 0 && (failed === 0 || !errors)) return undefined;
    reserve(at, maxNumberLength);
    at = writeAscii(scratch, at, '},"errors":{');
    if (errors && failed > 0) {
      let first = true;
      for (let column = 0; column < codes.length; column++) {
        if (codes[column] === 0 || (report !== undefined && report[column] === 0)) continue;
        reserve(at, room);
        at = writePrefix(scratch, at, keys, column, first);
        at = writeInteger(scratch, at, codes[column] as number);
        first = false;
      }
    }
    return this.#finish(at, '},"metas":{}}');
  }

  #writeTags(sample: Sample, errors: boolean): Buffer | undefined {
    const { report } = sample;
    const codes = this.#codes;
    let at = this.#start(sample, ',"tags":[');
    let reported = 0;
    for (let column = 0; column < codes.length; column++) {
      if (report !== undefined && report[column] === 0) continue;
      if (codes[column] !== 0 && !errors) continue;
      at = this.#record(sample, at, column, reported++ === 0);
    }
    return reported === 0 ? undefined : this.#finish(at, ']}');
  }

  #start(sample: Sample, text: string): number {
    reserve(0, this.#head.length + maxNumberLength);
    const at = writeNatural(scratch, this.#head.copy(scratch), Math.trunc(sample.time));
    return writeAscii(scratch, at, text);
  }

  #finish(at: number, text: string): Buffer {
    reserve(at, maxNumberLength);
    return Buffer.from(scratch.subarray(0, writeAscii(scratch, at, text)));
  }

  #record(sample: Sample, at: number, column: number, first: boolean): number {
    const code = this.#codes[column] as number;
    const prefixes =
      code === 0
        ? (this.#values ??= prefixesOf(this.layout.columns, '{"name":', ',"value":'))
        : (this.#errors ??= prefixesOf(this.layout.columns, '{"name":', ',"error":'));
    reserve(at, prefixes.longest + maxNumberLength);
    const start = writePrefix(scratch, at, prefixes, column, first);
    const end = code === 0 ? this.#value(sample, start, column) : writeInteger(scratch, start, code);
    return writeAscii(scratch, end, '}');
  }

  /** Writes the value of a column; the caller has reserved room for a number, and has room for a number's rest after it. */
  #value(sample: Sample, at: number, column: number): number {
    const place = this.#places[column] as number;
    switch (this.#kinds[column]) {
      case Kind.INTEGER:
        return writeInteger(scratch, at, sample.numbers[place] as number);
      case Kind.SINGLE:
        return writeSingle(scratch, at, sample.numbers[place] as number);
      case Kind.DOUBLE:
        return writeDouble(scratch, at, sample.numbers[place] as number);
      case Kind.COMPUTED:
        return writeComputed(scratch, at, sample.numbers[place] as number);
      case Kind.FIXED:
        return writeFixed(
          scratch,
          at,
          sample.numbers[place] as number,
          (this.layout.columns[column] as Column).precision,
        );
      case Kind.BOOL:
        return writeAscii(scratch, at, sample.numbers[place] === 0 ? 'false' : 'true');
      case Kind.INT64:
        return writeWide(at, sample.integers[place] as bigint);
      case Kind.UINT64:
        return writeWide(at, BigInt.asUintN(64, sample.integers[place] as bigint));
      case Kind.STRING:
        return this.#string(at, sample.objects[place] as string);
      default:
        return this.#bytes(at, sample.objects[place] as Uint8Array);
    }
  }

  #string(at: number, text: string): number {
    reserve(at, maxStringLength(text) + maxNumberLength);
    return writeString(scratch, at, text);
  }

  #bytes(at: number, values: Uint8Array): number {
    reserve(at, values.length * 4 + maxNumberLength);
    let place = writeAscii(scratch, at, '[');
    for (let index = 0; index < values.length; index++) {
      if (index > 0) place = writeAscii(scratch, place, ',');
      place = writeNatural(scratch, place, values[index] as number);
    }
    return writeAscii(scratch, place, ']');
  }
}

const writers = new WeakMap<Layout, SampleWriter>();

/** The one writer of a layout. */
export function writerOf(layout: Layout): SampleWriter {
  let writer = writers.get(layout);
  if (writer === undefined) writers.set(layout, (writer = new SampleWriter(layout)));
  return writer;
}
