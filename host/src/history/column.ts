import type { BitReader, BitWriter } from './bits.ts';
import { readNumbers, writeNumbers, writePatterns } from './numbers.ts';
import type { Points } from './points.ts';

/** What a column has beside its values, as flags. */
const Has = { TIMES: 1, ERRORS: 2, QUALITIES: 4, INTEGERS: 8, UNSIGNED: 16 } as const;

/** Most entries of a column of a block: more is no column of ours. */
const mostEntries = 1 << 22;

/** Writes what a tag was. `hasOwnTimes`: not at the times of the block. */
export function writeColumn(writer: BitWriter, points: Points, hasOwnTimes: boolean): void {
  const { times, values, integers, errors, qualities } = points;
  writer.put(
    (hasOwnTimes ? Has.TIMES : 0) |
      (errors ? Has.ERRORS : 0) |
      (qualities ? Has.QUALITIES : 0) |
      (integers ? Has.INTEGERS : 0) |
      (integers instanceof BigUint64Array ? Has.UNSIGNED : 0),
    8,
  );
  if (hasOwnTimes) {
    writer.varint(times.length);
    writeNumbers(writer, times);
  }
  if (errors) writeStretches(writer, errors);
  if (qualities) writeStretches(writer, qualities);
  const isKept = (index: number): boolean => errors === undefined || errors[index] === 0;
  if (integers) {
    const kept = errors ? integers.filter((_value: bigint, index: number) => isKept(index)) : integers;
    writePatterns(writer, new Uint32Array(kept.buffer, kept.byteOffset, kept.length * 2));
  } else writeNumbers(writer, errors ? values.filter((_value, index) => isKept(index)) : values);
}

/** Reads what `writeColumn` has written; `shared` are the times of the block. Throws a RangeError where the bytes are no such thing. */
export function readColumn(reader: BitReader, shared: Float64Array): Points {
  const has = reader.get(8);
  let times = shared;
  if (has & Has.TIMES) {
    const count = reader.varint();
    if (count > mostEntries) throw new RangeError('A column is too long.');
    times = readNumbers(reader, count);
  }
  const errors = has & Has.ERRORS ? readStretches(reader, new Int32Array(times.length)) : undefined;
  const qualities = has & Has.QUALITIES ? readStretches(reader, new Uint32Array(times.length)) : undefined;
  const count = errors ? errors.reduce((sum, error) => sum + (error === 0 ? 1 : 0), 0) : times.length;
  const read = readNumbers(reader, count);
  const numbers = errors ? spread(read, errors) : read;
  if ((has & Has.INTEGERS) === 0) return { times, values: numbers, errors, qualities };
  const integers =
    has & Has.UNSIGNED ? new BigUint64Array(numbers.buffer) : new BigInt64Array(numbers.buffer);
  return { times, values: new Float64Array(times.length), integers, errors, qualities };
}

/** Puts the values between the places that have errors. They are moved as bits, because some are no numbers. */
function spread(read: Float64Array, errors: Int32Array): Float64Array {
  const from = new Uint32Array(read.buffer);
  const values = new Float64Array(errors.length);
  const to = new Uint32Array(values.buffer);
  let next = 0;
  for (const [index, error] of errors.entries()) {
    if (error !== 0) continue;
    to[index * 2] = from[next++]!;
    to[index * 2 + 1] = from[next++]!;
  }
  return values;
}

/** Writes where which codes are: most places have the code of the place before. */
function writeStretches(writer: BitWriter, codes: Int32Array | Uint32Array): void {
  let begin = 0;
  for (let index = 1; index <= codes.length; index++) {
    if (index < codes.length && codes[index] === codes[begin]) continue;
    writer.varint(index - begin);
    writer.varint(codes[begin]! >>> 0);
    begin = index;
  }
}

function readStretches<Codes extends Int32Array | Uint32Array>(reader: BitReader, codes: Codes): Codes {
  for (let index = 0; index < codes.length;) {
    const length = reader.varint();
    const code = reader.varint();
    if (length === 0 || length > codes.length - index) throw new RangeError('A stretch is too long.');
    codes.fill(code, index, index + length);
    index += length;
  }
  return codes;
}
