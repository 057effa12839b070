import { objectBytes, TagCursor, TagWriter, unsignedBytes } from './encoding.ts';

/** The data of services of clauses 13 and 15 of ANSI/ASHRAE 135. */

/** A property of an object; `index` is that of an array element, undefined for all of it. */
export interface PropertyRef {
  readonly object: number;
  readonly property: number;
  readonly index: number | undefined;
}

/** A value to write, encoded with its application tag. */
export interface PropertyWrite extends PropertyRef {
  readonly data: Buffer;
  readonly priority: number;
}

/** Bytes of a property reference inside a ReadPropertyMultiple request, without its object. */
export function referenceSize({ property, index }: PropertyRef): number {
  return 1 + unsignedBytes(property).length + (index === undefined ? 0 : 1 + unsignedBytes(index).length);
}

/** Bytes that an object takes in a ReadPropertyMultiple request or answer besides its properties: identifier, opening, closing. */
export const objectSize = 5 + 2;

export function readProperty({ object, property, index }: PropertyRef): Buffer {
  const writer = new TagWriter().context(0, objectBytes(object)).context(1, unsignedBytes(property));
  if (index !== undefined) writer.context(2, unsignedBytes(index));
  return writer.bytes();
}

/** Neighbours of the same object share its identifier. */
export function readPropertyMultiple(items: readonly PropertyRef[]): Buffer {
  const writer = new TagWriter();
  items.forEach(({ object, property, index }, at) => {
    if (items[at - 1]?.object !== object) writer.context(0, objectBytes(object)).opening(1);
    writer.context(0, unsignedBytes(property));
    if (index !== undefined) writer.context(1, unsignedBytes(index));
    if (items[at + 1]?.object !== object) writer.closing(1);
  });
  return writer.bytes();
}

export function writeProperty({ object, property, index, data, priority }: PropertyWrite): Buffer {
  const writer = new TagWriter().raw(readProperty({ object, property, index }));
  writer.opening(3).raw(data).closing(3);
  return writer.context(4, Buffer.of(priority)).bytes();
}

/** Items are written in their order. */
export function writePropertyMultiple(items: readonly PropertyWrite[]): Buffer {
  const writer = new TagWriter();
  for (const { object, property, index, data, priority } of items) {
    writer.context(0, objectBytes(object)).opening(1).context(0, unsignedBytes(property));
    if (index !== undefined) writer.context(1, unsignedBytes(index));
    writer.opening(2).raw(data).closing(2).context(3, Buffer.of(priority)).closing(1);
  }
  return writer.bytes();
}

export interface CovSubscription {
  /** Chosen by the subscriber; comes back with every notification. */
  readonly process: number;
  readonly object: number;
  readonly isConfirmed: boolean;
  /** Seconds. */
  readonly lifetime: number;
}

export function subscribeCov({ process, object, isConfirmed, lifetime }: CovSubscription): Buffer {
  return new TagWriter()
    .context(0, unsignedBytes(process))
    .context(1, objectBytes(object))
    .context(2, Buffer.of(isConfirmed ? 1 : 0))
    .context(3, unsignedBytes(lifetime))
    .bytes();
}

/** A request without confirmation and lifetime ends a subscription (13.14.1). */
export function cancelCov({ process, object }: Pick<CovSubscription, 'process' | 'object'>): Buffer {
  return new TagWriter().context(0, unsignedBytes(process)).context(1, objectBytes(object)).bytes();
}

export interface IAm {
  readonly object: number;
  readonly maxApdu: number;
  readonly vendor: number;
}

export function readIAm(data: Buffer, start: number, end: number): IAm | undefined {
  const cursor = new TagCursor().begin(data, start, end);
  const values: number[] = [];
  for (let count = 0; count < 4; count++) {
    if (!cursor.next() || cursor.isContext) return undefined;
    const value = cursor.unsigned();
    if (!Number.isFinite(value)) return undefined;
    values.push(value);
  }
  const [object = 0, maxApdu = 0, , vendor = 0] = values;
  return { object, maxApdu, vendor };
}

/** Moves `cursor` to the value of a ReadProperty answer. False when it answers something else. */
export function openReadProperty(cursor: TagCursor, expected: PropertyRef): boolean {
  if (!cursor.context(0) || cursor.unsigned() !== expected.object) return false;
  if (!readReference(cursor, 1, expected)) return false;
  return cursor.opening(3);
}

/** Reads property and index with context tags `first` and `first + 1`. */
export function readReference(cursor: TagCursor, first: number, expected: PropertyRef): boolean {
  if (!cursor.context(first) || cursor.unsigned() !== expected.property) return false;
  if (!cursor.isNextContext(first + 1)) return expected.index === undefined;
  return cursor.context(first + 1) && cursor.unsigned() === expected.index;
}

/** Class and code of an error, as `class * 65536 + code`. NaN when there is none. */
export function readError(cursor: TagCursor): number {
  if (!cursor.next() || cursor.isContext) return NaN;
  const errorClass = cursor.unsigned();
  if (!cursor.next() || cursor.isContext) return NaN;
  return errorClass * 0x1_0000 + cursor.unsigned();
}
