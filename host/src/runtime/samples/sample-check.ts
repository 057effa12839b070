import { DataType } from '@tagway/schemas';
import { type Column, type Layout, Store } from '@tagway/sdk';
import { getOrMake } from '../../core/system/get-or-make.ts';
import { faultAt, isFaultCode, latestTime, type SampleData, storeLengths } from '@tagway/sdk/internal';

type Unknown = Readonly<Partial<Record<keyof SampleData, unknown>>>;

/** What the check needs of a layout, made once. */
interface Shape {
  /** Numbers, integers and objects of a whole sample. */
  readonly lengths: readonly [number, number, number];
  /** Indices of the columns whose values are objects. */
  readonly objects: readonly number[];
}

const shapes = new WeakMap<Layout, Shape>();

function shapeOf(layout: Layout): Shape {
  return getOrMake(shapes, layout, () => {
    const objects = [...layout.columns.keys()].filter((at) => layout.columns[at]?.store === Store.OBJECT);
    return { lengths: storeLengths(layout), objects };
  });
}

/**
 * Whether the arrays of a sample are what its layout asks for: kinds, lengths, columns, codes. The runner's own code sends nothing else,
 * but a plugin may get at the channel.
 */
export function fitsLayout(data: SampleData, layout: Layout): boolean {
  const { timestamp, rows, due, numbers, integers, objects, timestamps, qualities } = data as Unknown;
  const columns = layout.columns.length;
  if ('layout' in data || typeof timestamp !== 'number' || !(Math.abs(timestamp) <= latestTime)) return false;
  if (rows !== undefined && !(rows instanceof Uint32Array && isBelow(rows, columns))) return false;
  const count = rows?.length ?? columns;
  const isSound =
    numbers instanceof Float64Array &&
    isFinite(numbers) &&
    integers instanceof BigInt64Array &&
    Array.isArray(objects) &&
    (due === undefined || (due instanceof Uint8Array && due.length === count)) &&
    (timestamps === undefined || (timestamps instanceof Float64Array && timestamps.length === count)) &&
    areTimes(timestamps) &&
    (qualities === undefined || (qualities instanceof Uint32Array && qualities.length === count)) &&
    areFaults(data, count);
  if (!isSound) return false;
  return rows === undefined ? isWhole(data, layout) : areEvents(data, rows, layout);
}

function isWhole(data: SampleData, layout: Layout): boolean {
  const { lengths, objects } = shapeOf(layout);
  return (
    data.numbers.length === lengths[0] &&
    data.integers.length === lengths[1] &&
    data.objects.length === lengths[2] &&
    objects.every((index) => {
      const column = layout.columns[index]!;
      return isObjectOf(column, data.objects[column.place]) || isFaulty(data, index);
    })
  );
}

/** Integers and objects of events are left out when none of them has one. */
function areEvents(data: SampleData, rows: Uint32Array, layout: Layout): boolean {
  const { numbers, integers, objects } = data;
  const isOptional = ({ length }: { readonly length: number }): boolean =>
    length === 0 || length === rows.length;
  if (numbers.length !== rows.length || !isOptional(integers) || !isOptional(objects)) return false;
  for (let row = 0; row < rows.length; row++) {
    const column = layout.columns[rows[row]!]!;
    if (column.store === Store.NUMBER) continue;
    const isThere = column.store === Store.INTEGER ? integers.length > 0 : isObjectOf(column, objects[row]);
    if (!isThere && !isFaulty(data, row)) return false;
    const isObject =
      objects.length === 0 || typeof objects[row] === 'string' || objects[row] instanceof Uint8Array;
    if (!isObject) return false;
  }
  return true;
}

function isObjectOf({ type }: Column, thing: unknown): boolean {
  return type === DataType.STRING ? typeof thing === 'string' : thing instanceof Uint8Array;
}

function isFaulty(data: SampleData, index: number): boolean {
  return faultAt(data, index) >= 0;
}

function areFaults({ faults, reasons }: Unknown, count: number): boolean {
  if (!(faults instanceof Int32Array) || faults.length % 2 !== 0) return false;
  let before = -1;
  let sound: number | undefined;
  for (let at = 0; at < faults.length; at += 2) {
    const index = faults[at]!;
    const code = faults[at + 1]!;
    if (index <= before || index >= count || (code !== sound && !isFaultCode(code))) return false;
    before = index;
    sound = code;
  }
  return reasons === undefined ? true : areReasons(reasons, faults.length / 2);
}

function areReasons(reasons: unknown, pairs: number): boolean {
  if (typeof reasons !== 'object' || reasons === null) return false;
  const { texts, indices } = reasons as { readonly texts?: unknown; readonly indices?: unknown };
  return (
    Array.isArray(texts) &&
    texts.every((text) => typeof text === 'string') &&
    indices instanceof Uint16Array &&
    indices.length === pairs &&
    isBelow(indices, texts.length)
  );
}

/** With `includes`, which is native and as fast at the first call as later. */
function isFinite(numbers: Float64Array): boolean {
  return !numbers.includes(NaN) && !numbers.includes(Infinity) && !numbers.includes(-Infinity);
}

/** NaN stands for an unknown time. */
function areTimes(times: Float64Array | undefined): boolean {
  if (times === undefined) return true;
  for (let at = 0; at < times.length; at++) if (Math.abs(times[at]!) > latestTime) return false;
  return true;
}

function isBelow(indices: Uint32Array | Uint16Array, limit: number): boolean {
  for (let at = 0; at < indices.length; at++) if (indices[at]! >= limit) return false;
  return true;
}
