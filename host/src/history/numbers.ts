import type { BitReader, BitWriter } from './bits.ts';

/** How the numbers of a column are written. */
const Mode = { SAME: 0, DECIMAL: 1, SINGLE_DECIMAL: 2, BITS: 3 } as const;

/** Most decimals that numbers are looked at for. */
const mostDecimals = 9;
const powers = Array.from({ length: mostDecimals + 1 }, (_, exponent) => 10 ** exponent);

/**
 * Writes 64-bit numbers so that they take few bits. Numbers with few decimals, which measured values mostly are, become whole numbers of which
 * the differences are written, all with as many bits as the largest needs; others the bits in which they differ from the number before, as in
 * the Gorilla time series database, but for a whole block at once. Where it is shorter, a bit before each says that it repeats the one before.
 */
export function writeNumbers(writer: BitWriter, values: Float64Array): void {
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length * 2);
  if (isConstant(words)) {
    writer.put(Mode.SAME, 8);
    if (values.length > 0) writeWord(writer, words, 0);
  } else if (!writeDecimals(writer, values)) writeBits(writer, words);
  writer.align();
}

/** Writes 64-bit patterns that are no numbers with decimals, such as large integers. */
export function writePatterns(writer: BitWriter, words: Uint32Array): void {
  writeBits(writer, words);
  writer.align();
}

/** Reads what either of them has written. Throws a RangeError where the bytes are no such thing. */
export function readNumbers(reader: BitReader, count: number): Float64Array {
  const values = new Float64Array(count);
  if (count === 0) {
    reader.get(8);
    return values;
  }
  const words = new Uint32Array(values.buffer);
  const mode = reader.get(8);
  if (mode === Mode.SAME) {
    readWord(reader, words, 0);
    for (let index = 2; index < words.length; index++) words[index] = words[index - 2]!;
  } else if (mode === Mode.BITS) readBits(reader, words);
  else if (mode === Mode.DECIMAL || mode === Mode.SINGLE_DECIMAL)
    readDecimals(reader, values, mode === Mode.SINGLE_DECIMAL);
  else throw new RangeError(`There is no way ${mode} to write numbers.`);
  reader.align();
  return values;
}

function isConstant(words: Uint32Array): boolean {
  for (let index = 2; index < words.length; index++) if (words[index] !== words[index - 2]) return false;
  return true;
}

// The order of the two halves of a number in memory is that of the machine: the files are for this machine alone.
function writeWord(writer: BitWriter, words: Uint32Array, index: number): void {
  writer.put(words[index]!, 32);
  writer.put(words[index + 1]!, 32);
}

function readWord(reader: BitReader, words: Uint32Array, index: number): void {
  words[index] = reader.get(32);
  words[index + 1] = reader.get(32);
}

/** The number of decimals that all values have at most; undefined when there are more, or when some are too large. */
function decimalsOf(values: Float64Array, isSingle: boolean): number | undefined {
  let decimals = 0;
  for (const value of values) {
    while (!isDecimal(value, decimals, isSingle)) if (++decimals > mostDecimals) return undefined;
  }
  for (const value of values) if (!isDecimal(value, decimals, isSingle)) return undefined;
  return decimals;
}

function isDecimal(value: number, decimals: number, isSingle: boolean): boolean {
  const power = powers[decimals]!;
  const whole = Math.round(value * power);
  const back = isSingle ? Math.fround(whole / power) : whole / power;
  // The differences of two such numbers are exact, and so are their doubles.
  return back === value && Math.abs(whole) <= 2 ** 50 && !Object.is(value, -0);
}

function writeDecimals(writer: BitWriter, values: Float64Array): boolean {
  let mode: number = Mode.DECIMAL;
  let decimals = decimalsOf(values, false);
  if (decimals === undefined) {
    mode = Mode.SINGLE_DECIMAL;
    decimals = decimalsOf(values, true);
  }
  if (decimals === undefined) return false;
  const power = powers[decimals]!;
  const differences = new Float64Array(values.length - 1);
  let before = Math.round(values[0]! * power);
  writer.put(mode, 8);
  writer.put(decimals, 8);
  writer.varint(folded(before));
  let largest = 0;
  let changed = 0;
  for (let index = 0; index < differences.length; index++) {
    const whole = Math.round(values[index + 1]! * power);
    const difference = folded(whole - before);
    differences[index] = difference;
    before = whole;
    if (difference !== 0) changed++;
    if (difference > largest) largest = difference;
  }
  const width = largest < 2 ** 32 ? 32 - Math.clz32(largest) : 64 - Math.clz32(largest / 2 ** 32);
  const marks = marksRepeats(differences.length, changed, width);
  writer.put(width | marks, 8);
  for (const difference of differences) {
    if (marks !== 0) writer.put(difference === 0 ? 0 : 1, 1);
    if (marks === 0 || difference !== 0) writer.putLong(difference, width);
  }
  return true;
}

function readDecimals(reader: BitReader, values: Float64Array, isSingle: boolean): void {
  const power = powers[reader.get(8)];
  if (power === undefined) throw new RangeError('There are too many decimals.');
  let whole = unfolded(reader.varint());
  const [width, marks] = readWidth(reader, 53);
  for (let index = 0; index < values.length; index++) {
    if (index > 0 && (!marks || reader.get(1) === 1)) whole += unfolded(reader.getLong(width));
    const value = whole / power;
    values[index] = isSingle ? Math.fround(value) : value;
  }
}

/** A whole number as one from 0 on, small ones as small ones. */
const folded = (whole: number): number => (whole < 0 ? -2 * whole - 1 : 2 * whole);

const unfolded = (number: number): number => (number % 2 === 0 ? number / 2 : -(number + 1) / 2);

/** The flag in the byte of the width that says that a bit before each number marks repetitions. */
const repeats = 0x80;

const marksRepeats = (count: number, changed: number, width: number): number =>
  count + changed * width < count * width ? repeats : 0;

function readWidth(reader: BitReader, most: number): readonly [width: number, marks: boolean] {
  const byte = reader.get(8);
  const width = byte & ~repeats;
  if (width > most) throw new RangeError('A width is too large.');
  return [width, (byte & repeats) !== 0];
}

function writeBits(writer: BitWriter, words: Uint32Array): void {
  writer.put(Mode.BITS, 8);
  if (words.length === 0) return;
  let lowAny = 0;
  let highAny = 0;
  let changed = 0;
  for (let index = 2; index < words.length; index += 2) {
    const low = words[index]! ^ words[index - 2]!;
    const high = words[index + 1]! ^ words[index - 1]!;
    lowAny |= low;
    highAny |= high;
    if ((low | high) !== 0) changed++;
  }
  const leading = highAny !== 0 ? Math.clz32(highAny) : 32 + Math.clz32(lowAny);
  const trailing = lowAny !== 0 ? trailingZeros(lowAny) : 32 + trailingZeros(highAny);
  const width = Math.max(0, 64 - leading - trailing);
  const count = words.length / 2 - 1;
  const marks = marksRepeats(count, changed, width);
  writer.put(width | marks, 8);
  writer.put(width === 0 ? 0 : trailing, 8);
  writeWord(writer, words, 0);
  for (let index = 2; index < words.length; index += 2) {
    const low = words[index]! ^ words[index - 2]!;
    const high = words[index + 1]! ^ words[index - 1]!;
    const isChanged = (low | high) !== 0;
    if (marks !== 0) writer.put(isChanged ? 1 : 0, 1);
    if (marks !== 0 && !isChanged) continue;
    if (width > 32) writer.put(trailing < 32 ? high >>> trailing : 0, width - 32);
    writer.put(shiftedLow(low, high, trailing), Math.min(width, 32));
  }
}

function readBits(reader: BitReader, words: Uint32Array): void {
  const [width, marks] = readWidth(reader, 64);
  const trailing = reader.get(8);
  if (trailing + width > 64) throw new RangeError('A width is too large.');
  readWord(reader, words, 0);
  for (let index = 2; index < words.length; index += 2) {
    let low = 0;
    let high = 0;
    if (!marks || reader.get(1) === 1) {
      const upper = width > 32 ? reader.get(width - 32) : 0;
      const lower = reader.get(Math.min(width, 32));
      if (trailing === 0) {
        low = lower;
        high = upper;
      } else if (trailing < 32) {
        low = lower << trailing;
        high = (upper << trailing) | (lower >>> (32 - trailing));
      } else high = trailing < 64 ? lower << (trailing - 32) : 0;
    }
    words[index] = words[index - 2]! ^ low;
    words[index + 1] = words[index - 1]! ^ high;
  }
}

/** The lower half of a 64-bit number without its last `trailing` bits. */
function shiftedLow(low: number, high: number, trailing: number): number {
  if (trailing === 0) return low >>> 0;
  if (trailing < 32) return ((low >>> trailing) | (high << (32 - trailing))) >>> 0;
  return trailing < 64 ? high >>> (trailing - 32) : 0;
}

const trailingZeros = (word: number): number => (word === 0 ? 32 : 31 - Math.clz32(word & -word));
