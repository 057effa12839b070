import { qualityFields } from './properties.ts';
import type { Grade } from './properties.ts';
import {
  maxVarint,
  MetricKey,
  PayloadKey,
  ValueKey,
  varintSize,
  varintSize32,
  varintSize64,
  writeVarint,
  writeVarint64,
} from './wire.ts';

/** The first bytes of each metric, up to the key of its timestamp: those of metric `i` lie in `starts[i]` to `starts[i + 1]`. */
export interface Prefixes {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  /** Of each metric the field with its properties, by grade; absent where it has its quality alone. */
  readonly properties?: readonly (readonly Uint8Array[])[] | undefined;
}

export function prefixesOf(parts: readonly Uint8Array[], properties?: Prefixes['properties']): Prefixes {
  const starts = new Uint32Array(parts.length + 1);
  parts.forEach((part, index) => (starts[index + 1] = (starts[index] as number) + part.length));
  return { bytes: Buffer.concat(parts), starts, properties };
}

/** Values by the kinds of their columns. */
export interface Values {
  readonly numbers: Float64Array;
  /** 64-bit integers, each as its lower and its upper half. */
  readonly words: Uint32Array;
  readonly objects: readonly (string | Uint8Array)[];
}

/** A view of 64-bit integers as their halves. Node runs on little-endian machines only. */
export function wordsOf({ buffer, byteOffset, length }: BigInt64Array): Uint32Array {
  return new Uint32Array(buffer, byteOffset, length * 2);
}

/** Bytes of a metric beside its prefix, its value and its property: key, length, timestamp and what a number takes. */
const margin = 2 + 3 * maxVarint + 16;

/** Writes metrics one after another into one buffer, which grows and is reused. */
export class MetricWriter {
  #into = Buffer.allocUnsafeSlow(1 << 16);
  #view = new DataView(this.#into.buffer);
  #at = 0;
  /** The timestamp that was written last; most metrics of a message have the same. */
  #time = NaN;
  readonly #timeBytes = new Uint8Array(maxVarint);
  #timeSize = 0;

  start(): void {
    this.#at = 0;
  }

  /** The metrics since `start`, or undefined without any. */
  finish(): Buffer | undefined {
    return this.#at === 0 ? undefined : Buffer.from(this.#into.subarray(0, this.#at));
  }

  /** A metric without a value. `time` is in milliseconds since the epoch. */
  null(prefixes: Prefixes, index: number, time: number, grade: Grade): void {
    const at = this.#begin(prefixes, index, time, grade, MetricKey.IS_NULL, 2, 0);
    this.#into[at] = 1;
    this.#at = at + 1;
  }

  /** A metric with the value that lies at `place` of the array of its kind. */
  value(
    prefixes: Prefixes,
    index: number,
    time: number,
    grade: Grade,
    valueKey: ValueKey,
    values: Values,
    place: number,
  ): void {
    switch (valueKey) {
      case ValueKey.INT: {
        // Signed integers are the same 32 bits.
        const bits = (values.numbers[place] as number) >>> 0;
        const at = this.#begin(prefixes, index, time, grade, ValueKey.INT, 1 + varintSize32(bits), 0);
        this.#at = writeVarint(this.#into, at, bits);
        return;
      }
      case ValueKey.FLOAT: {
        const at = this.#begin(prefixes, index, time, grade, ValueKey.FLOAT, 5, 0);
        this.#view.setFloat32(at, values.numbers[place] as number, true);
        this.#at = at + 4;
        return;
      }
      case ValueKey.DOUBLE: {
        const at = this.#begin(prefixes, index, time, grade, ValueKey.DOUBLE, 9, 0);
        this.#view.setFloat64(at, values.numbers[place] as number, true);
        this.#at = at + 8;
        return;
      }
      case ValueKey.BOOLEAN: {
        const at = this.#begin(prefixes, index, time, grade, ValueKey.BOOLEAN, 2, 0);
        this.#into[at] = values.numbers[place] === 0 ? 0 : 1;
        this.#at = at + 1;
        return;
      }
      case ValueKey.LONG: {
        const low = values.words[place * 2] as number;
        const high = values.words[place * 2 + 1] as number;
        const at = this.#begin(prefixes, index, time, grade, ValueKey.LONG, 1 + varintSize64(low, high), 0);
        this.#at = writeVarint64(this.#into, at, low, high);
        return;
      }
      default:
        this.#object(prefixes, index, time, grade, valueKey, values.objects[place] ?? '');
    }
  }

  #object(
    prefixes: Prefixes,
    index: number,
    time: number,
    grade: Grade,
    valueKey: ValueKey,
    value: string | Uint8Array,
  ): void {
    const length = typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    const keySize = valueKey === ValueKey.STRING ? 1 : 2;
    const size = keySize + varintSize(length) + length;
    let at = this.#begin(prefixes, index, time, grade, valueKey, size, length);
    if (keySize === 2) this.#into[at++] = 1;
    at = writeVarint(this.#into, at, length);
    if (typeof value === 'string') this.#into.write(value, at);
    else this.#into.set(value, at);
    this.#at = at + length;
  }

  /** Writes a metric up to the key of its value; `size` is the length of key and value. Returns the position after the key. */
  #begin(
    { bytes, starts, properties }: Prefixes,
    index: number,
    time: number,
    grade: Grade,
    key: number,
    size: number,
    room: number,
  ): number {
    const from = starts[index] as number;
    const to = starts[index + 1] as number;
    if (time !== this.#time) this.#setTime(time);
    const property = (properties?.[index] ?? qualityFields)[grade] as Uint8Array;
    const length = to - from + this.#timeSize + property.length + size;
    this.#reserve(to - from + property.length + margin + room);
    const into = this.#into;
    let at = this.#at;
    into[at++] = PayloadKey.METRIC;
    if (length < 0x80) into[at++] = length;
    else at = writeVarint(into, at, length);
    for (let place = from; place < to; place++) into[at++] = bytes[place] as number;
    const timeBytes = this.#timeBytes;
    for (let place = 0; place < this.#timeSize; place++) into[at++] = timeBytes[place] as number;
    if (property.length > 0) {
      into.set(property, at);
      at += property.length;
    }
    into[at++] = key;
    return at;
  }

  #setTime(time: number): void {
    this.#time = time;
    this.#timeSize = writeVarint(this.#timeBytes, 0, Math.max(0, Math.trunc(time)));
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#into.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.#into.length * 2, this.#at + length));
    this.#into.copy(larger, 0, 0, this.#at);
    this.#into = larger;
    this.#view = new DataView(larger.buffer);
  }
}
