/** The format in which the numbers of a `Float64Array` are sent: a narrower one if that loses nothing. */
export const Width = { INT16: 0, INT32: 1, SINGLE: 2, DOUBLE: 3 } as const;
type Width = (typeof Width)[keyof typeof Width];

const arrays = [Int16Array, Int32Array, Float32Array, Float64Array] as const;

/** The narrowest format that keeps the numbers, including the sign of zero. */
export function widthOf(numbers: Float64Array): Width {
  // One loop for each format, because a loop with one condition is several times as fast as one with all.
  const { length } = numbers;
  let at = 0;
  for (; at < length; at++) {
    const number = numbers[at]!;
    // Arrays of integers cannot hold a negative zero.
    if ((number << 16) >> 16 !== number || (number === 0 && 1 / number < 0)) break;
  }
  if (at === length) return Width.INT16;
  for (; at < length; at++) {
    const number = numbers[at]!;
    if ((number | 0) !== number || (number === 0 && 1 / number < 0)) break;
  }
  if (at === length) return Width.INT32;
  for (at = 0; at < length; at++) {
    const number = numbers[at]!;
    if (Math.fround(number) !== number) return Width.DOUBLE;
  }
  return Width.SINGLE;
}

/** The result of the last call of `narrowed`, which the caller copies into a message at once. */
let scratch = new ArrayBuffer(0);

/** The bytes of the numbers in a narrow form, valid until the next call. */
export function narrowed(numbers: Float64Array, width: number): Uint8Array {
  const narrow = arrayOf(width);
  const size = numbers.length * narrow.BYTES_PER_ELEMENT;
  if (scratch.byteLength < size) scratch = new ArrayBuffer(size);
  new narrow(scratch, 0, numbers.length).set(numbers);
  return new Uint8Array(scratch, 0, size);
}

/** The numbers of these bytes. Throws a RangeError when there is no such form, or the bytes are not those of numbers. */
export function widened(bytes: Uint8Array, width: number): Float64Array {
  const narrow = arrayOf(width);
  // The offset of a typed array has to be a multiple of its element size.
  const size = narrow.BYTES_PER_ELEMENT;
  const aligned = bytes.byteOffset % size === 0 ? bytes : new Uint8Array(bytes);
  const { buffer, byteLength, byteOffset } = aligned;
  if (byteLength % size !== 0) throw new RangeError(`${byteLength} bytes are no numbers`);
  return new Float64Array(new narrow(buffer as ArrayBuffer, byteOffset, byteLength / size));
}

function arrayOf(width: number): (typeof arrays)[number] {
  const array = arrays[width];
  if (array === undefined) throw new RangeError(`${width} is no form of numbers`);
  return array;
}
