import type { Layout } from '../../sample.ts';
import { narrowed, widened, Width, widthOf } from './narrow-numbers.ts';
import type { SampleData } from './protocol.ts';

/**
 * A message whose sample has numbers alone, as nearly all have. It has a form of its own, because V8's serializer makes an object outside its
 * heap and a dozen inside for every message, at either end.
 */
export interface PlainMessage {
  readonly op: 'sample';
  readonly sample: SampleData;
  readonly layout?: Layout;
  readonly node?: number;
}

/*
 * The form, little-endian: the mark (1 byte), flags (1), the width of the numbers (1), nothing (1), how many there are (4); the group, the
 * version, the time and the node (8 each, doubles); the numbers; one byte for each column when `due` is there.
 */

/** Messages of V8 begin with another byte. */
const mark = 1;

const Flag = { DUE: 1, FOR_CACHE: 2, NODE: 4 } as const;

/** Bytes before the numbers. */
const headSize = 40;

/** Up to this many numbers are put and taken one by one, without a typed array for them. */
const mostSingly = 128;

const noIntegers = new BigInt64Array(0);
const noObjects: readonly string[] = Object.freeze([]);
const noFaults = new Int32Array(0);

/** Bytes of a number of each width. */
const sizes = [2, 4, 4, 8] as const;

/** Whether a message can have this form. */
export function isPlain(message: unknown): message is PlainMessage {
  if (typeof message !== 'object' || message === null) return false;
  const { op, sample, layout } = message as Partial<PlainMessage>;
  return (
    op === 'sample' &&
    sample !== undefined &&
    layout === undefined &&
    sample.faults.length === 0 &&
    sample.integers.length === 0 &&
    sample.objects.length === 0 &&
    sample.rows === undefined &&
    sample.timestamps === undefined &&
    sample.qualities === undefined &&
    sample.way === undefined
  );
}

/** The narrowest width of the numbers, which the two functions below are given. */
export const widthOfPlain = ({ sample }: PlainMessage): number => widthOf(sample.numbers);

/** Bytes of the message. */
export const sizeOfPlain = ({ sample: { numbers, due } }: PlainMessage, width: number): number =>
  headSize + numbers.length * sizes[width]! + (due?.length ?? 0);

/** Puts the message into the bytes from `at` on. */
export function putPlain({ sample, node }: PlainMessage, width: number, into: Buffer, at: number): void {
  const { numbers, due, group, version, timestamp, forCache } = sample;
  into[at] = mark;
  into[at + 1] =
    (due === undefined ? 0 : Flag.DUE) |
    (forCache === true ? Flag.FOR_CACHE : 0) |
    (node === undefined ? 0 : Flag.NODE);
  into[at + 2] = width;
  into[at + 3] = 0;
  into.writeUInt32LE(numbers.length, at + 4);
  into.writeDoubleLE(group, at + 8);
  into.writeDoubleLE(version, at + 16);
  into.writeDoubleLE(timestamp, at + 24);
  into.writeDoubleLE(node ?? 0, at + 32);
  const from = at + headSize;
  if (numbers.length <= mostSingly) putSingly(numbers, width, into, from);
  else if (width === Width.DOUBLE)
    into.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), from);
  else into.set(narrowed(numbers, width), from);
  if (due !== undefined) into.set(due, from + numbers.length * sizes[width]!);
}

function putSingly(numbers: Float64Array, width: number, into: Buffer, at: number): void {
  const size = sizes[width]!;
  for (let index = 0, to = at; index < numbers.length; index++, to += size) {
    const number = numbers[index]!;
    if (width === Width.INT16) {
      into[to] = number;
      into[to + 1] = number >> 8;
    } else if (width === Width.INT32) into.writeInt32LE(number, to);
    else if (width === Width.SINGLE) into.writeFloatLE(number, to);
    else into.writeDoubleLE(number, to);
  }
}

/** The message in `bytes[at, end)`; undefined when it does not have this form. Throws a RangeError when it is not what its head says. */
export function takePlain(bytes: Buffer, at: number, end: number): PlainMessage | undefined {
  if (bytes[at] !== mark) return undefined;
  const flags = bytes[at + 1]!;
  const width = bytes[at + 2]!;
  const size = sizes[width];
  const from = at + headSize;
  if (from > end || size === undefined) throw new RangeError('the head of a sample is none');
  const count = bytes.readUInt32LE(at + 4);
  const behind = from + count * size;
  const hasDue = (flags & Flag.DUE) !== 0;
  if (behind > end || (behind < end && !hasDue))
    throw new RangeError(`a sample is not as long as with ${count} numbers`);
  const numbers =
    count <= mostSingly
      ? takenSingly(bytes, from, count, width)
      : widened(bytes.subarray(from, behind), width);
  const sample: SampleData = {
    group: bytes.readDoubleLE(at + 8),
    version: bytes.readDoubleLE(at + 16),
    timestamp: bytes.readDoubleLE(at + 24),
    numbers,
    integers: noIntegers,
    objects: noObjects,
    faults: noFaults,
    ...(hasDue && { due: new Uint8Array(bytes.subarray(behind, end)) }),
    ...((flags & Flag.FOR_CACHE) !== 0 && { forCache: true }),
  };
  return (flags & Flag.NODE) === 0
    ? { op: 'sample', sample }
    : { op: 'sample', sample, node: bytes.readDoubleLE(at + 32) };
}

function takenSingly(bytes: Buffer, at: number, count: number, width: number): Float64Array {
  const numbers = new Float64Array(count);
  const size = sizes[width]!;
  for (let index = 0, from = at; index < count; index++, from += size) {
    if (width === Width.INT16) numbers[index] = ((bytes[from]! | (bytes[from + 1]! << 8)) << 16) >> 16;
    else if (width === Width.INT32) numbers[index] = bytes.readInt32LE(from);
    else if (width === Width.SINGLE) numbers[index] = bytes.readFloatLE(from);
    else numbers[index] = bytes.readDoubleLE(from);
  }
  return numbers;
}
