import { ErrorCode } from '@tagway/schemas';
import { faultAt, type Layout, type Sample } from '../sample.ts';
import { maxNumberLength, writeAscii, writeInteger, writeNatural } from './digits.ts';
import { isReal, Kind, kindOf } from './kinds.ts';
import { writeDouble, writeFixed, writeSingle } from './reals.ts';
import { maxStringLength, writeString } from './text.ts';

const wideFrom = BigInt(Number.MIN_SAFE_INTEGER);
const wideTo = BigInt(Number.MAX_SAFE_INTEGER);

function writeWide(into: Buffer, at: number, value: bigint): number {
  if (value >= wideFrom && value <= wideTo) return writeInteger(into, at, Number(value));
  return writeAscii(into, at, value.toString());
}

/**
 * Writes single values of the samples of one layout as JSON into a buffer of the caller's, for formats that are not those of `SampleWriter`. A
 * row is a column of a whole sample, or a row of events.
 */
export class ValueWriter {
  readonly #layout: Layout;
  readonly #kinds: Uint8Array;
  readonly #places: Uint32Array;

  constructor(layout: Layout) {
    this.#layout = layout;
    this.#kinds = Uint8Array.from(layout.columns, kindOf);
    this.#places = Uint32Array.from(layout.columns, ({ place }) => place);
  }

  /** Most bytes that `write` writes for this row. */
  room(sample: Sample, row: number): number {
    const { rows } = sample;
    const column = rows === undefined ? row : rows[row]!;
    const kind = this.#kinds[column]!;
    if (kind < Kind.STRING) return maxNumberLength;
    const object = sample.objects[rows === undefined ? this.#places[column]! : row]!;
    return typeof object === 'string' ? maxStringLength(object) : object.length * 4 + 2;
  }

  /** The error code of a row, or 0. A real that is no finite number counts as expired, because JSON has no text for it. */
  fault(sample: Sample, row: number): number {
    const pair = faultAt(sample, row);
    if (pair >= 0) return sample.faults[pair * 2 + 1]!;
    const column = sample.rows === undefined ? row : sample.rows[row]!;
    if (!isReal(this.#kinds[column]!)) return 0;
    const place = sample.rows === undefined ? this.#places[column]! : row;
    return Number.isFinite(sample.numbers[place]) ? 0 : ErrorCode.VALUE_EXPIRED;
  }

  /** Writes the value of a row without a fault, and returns the place after it. */
  write(sample: Sample, row: number, into: Buffer, at: number): number {
    const { rows } = sample;
    const column = rows === undefined ? row : rows[row]!;
    const place = rows === undefined ? this.#places[column]! : row;
    switch (this.#kinds[column]) {
      case Kind.INTEGER:
        return writeInteger(into, at, sample.numbers[place]!);
      case Kind.SINGLE:
        return writeSingle(into, at, sample.numbers[place]!);
      case Kind.DOUBLE:
        return writeDouble(into, at, sample.numbers[place]!);
      case Kind.FIXED:
        return writeFixed(into, at, sample.numbers[place]!, this.#layout.columns[column]!.precision);
      case Kind.BOOL:
        return writeAscii(into, at, sample.numbers[place] === 0 ? 'false' : 'true');
      case Kind.INT64:
        return writeWide(into, at, sample.integers[place]!);
      case Kind.UINT64:
        return writeWide(into, at, BigInt.asUintN(64, sample.integers[place]!));
      case Kind.STRING:
        return writeString(into, at, sample.objects[place] as string);
      default:
        return writeBytes(into, at, sample.objects[place] as Uint8Array);
    }
  }
}

function writeBytes(into: Buffer, at: number, values: Uint8Array): number {
  let place = writeAscii(into, at, '[');
  for (let index = 0; index < values.length; index++) {
    if (index > 0) place = writeAscii(into, place, ',');
    place = writeNatural(into, place, values[index]!);
  }
  return writeAscii(into, place, ']');
}

const writers = new WeakMap<Layout, ValueWriter>();

/** The one `ValueWriter` of a layout. */
export function valueWriterOf(layout: Layout): ValueWriter {
  let writer = writers.get(layout);
  if (writer === undefined) writers.set(layout, (writer = new ValueWriter(layout)));
  return writer;
}
