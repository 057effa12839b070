import { expect } from 'chai';
import { BitReader, BitWriter } from '../../src/history/bits.ts';
import { readColumn, writeColumn } from '../../src/history/column.ts';
import { readNumbers, writeNumbers } from '../../src/history/numbers.ts';
import type { Points } from '../../src/history/points.ts';

/** Written and read again; `bits` are those that the values take. */
function again(values: readonly number[]): { readonly values: number[]; readonly bits: number } {
  const writer = new BitWriter();
  writeNumbers(writer, Float64Array.from(values));
  const bytes = writer.copy();
  return { values: [...readNumbers(new BitReader(bytes), values.length)], bits: bytes.length * 8 };
}

const columnAgain = (points: Points, hasOwnTimes = false): Points => {
  const writer = new BitWriter();
  writeColumn(writer, points, hasOwnTimes);
  return readColumn(new BitReader(writer.copy()), points.times);
};

describe('the numbers of a history', () => {
  const cases: Readonly<Record<string, readonly number[]>> = {
    none: [],
    one: [42],
    'the same': [1.5, 1.5, 1.5],
    'the extremes of doubles': [Number.MAX_VALUE, -Number.MAX_VALUE, Number.MIN_VALUE, 0, 1],
    'what is no number': [NaN, 1, Infinity, -Infinity, 2],
    'two zeros': [0, -0, 0, -0],
    'large whole numbers': [2 ** 50, -(2 ** 50), 2 ** 50 - 1, 2 ** 53 - 1, -(2 ** 53 - 1), 2 ** 63],
    decimals: [21.5, 21.4, -0.1, 21.60005, 1e-9, 123456.789],
    singles: [21.3, 21.4, -0.7, 1e10].map(Math.fround),
    'one that jumps among those that stay': Array.from({ length: 60 }, (_, at) => (at === 30 ? 1e6 : 5)),
    'a bit that changes': Array.from({ length: 60 }, (_, at) => at % 2),
    'the last bits of doubles': Array.from({ length: 60 }, (_, at) => 1 + at * Number.EPSILON),
    'the first bits of doubles': Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? 1 : -(2 ** 1000))),
  };
  for (const [name, values] of Object.entries(cases))
    it(`are read as they were written: ${name}`, () => {
      const read = again(values).values;
      expect(read).to.have.lengthOf(values.length);
      for (const [index, value] of values.entries())
        expect(Object.is(read[index], value), `${read[index]} for ${value}`).to.equal(true);
    });

  it('are read as they were written, whatever their bits are', () => {
    const words = new Uint32Array(2);
    const number = new Float64Array(words.buffer);
    let seed = 1;
    const random = (): number => (seed = (Math.imul(seed, 1103515245) + 12345) >>> 0);
    for (let round = 0; round < 500; round++) {
      const values = Array.from({ length: 1 + (random() % 40) }, () => {
        words[0] = random() & (round % 3 === 0 ? 0 : 0xffff_ffff);
        words[1] = random() >>> (round % 20);
        return number[0]!;
      });
      const read = again(values).values;
      for (const [index, value] of values.entries()) expect(Object.is(read[index], value)).to.equal(true);
    }
  });

  it('take few bits where they have few digits', () => {
    const walk = Array.from({ length: 60 }, (_, at) => Math.round((20 + Math.sin(at)) * 10) / 10);
    expect(again(walk).bits / 60).to.be.lessThan(8);
    expect(again(walk.map(Math.fround)).bits / 60).to.be.lessThan(8);
    expect(again(Array.from({ length: 60 }, () => 20 + Math.random())).bits / 60).to.be.within(40, 64);
  });

  it('of a column come with their errors, qualities and times, and large integers are exact', () => {
    const times = Float64Array.from([1000, 2000, 2000, 3001]);
    const values = Float64Array.from([1, 0, 3, 4]);
    const errors = Int32Array.from([0, 3002, 0, 0]);
    const qualities = Uint32Array.from([0, 0, 0x8000_0001, 0]);
    expect(columnAgain({ times, values, errors, qualities }, true)).to.deep.equal({
      times,
      values,
      errors,
      qualities,
    });
    const integers = BigUint64Array.from([2n ** 64n - 1n, 0n, 0x7ff0_0000_0000_0001n, 5n]);
    const read = columnAgain({ times, values, integers, errors });
    expect(read.integers).to.deep.equal(integers);
    const signed = BigInt64Array.from([-(2n ** 63n), 2n ** 63n - 1n, -1n, 1n]);
    expect(columnAgain({ times, values, integers: signed }).integers).to.deep.equal(signed);
  });

  it('throw a RangeError, and nothing else, where the bytes are others', () => {
    const writer = new BitWriter();
    const times = Float64Array.from({ length: 20 }, (_, at) => at * 1000);
    const errors = Int32Array.from(times, (_, at) => (at % 7 === 0 ? 3002 : 0));
    writeColumn(writer, { times, values: times.map(Math.sqrt), errors }, true);
    const bytes = writer.copy();
    for (let at = 0; at < bytes.length; at++)
      for (const change of [0xff, 0x80, 0x01]) {
        const other = Buffer.from(bytes);
        other[at]! ^= change;
        try {
          readColumn(new BitReader(other), times);
        } catch (error) {
          expect(error).to.be.instanceOf(RangeError);
        }
      }
  });
});
