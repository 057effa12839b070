import { expect } from 'chai';
import { maxNumberLength, writeDecimal, writeInteger } from '../src/json/digits.ts';
import { roundComputed, roundTo } from '../src/internal/samples/rounding.ts';
import { writeDouble, writeFixed, writeSingle } from '../src/json/reals.ts';
import { seeded } from './seeded.ts';

const bytes = Buffer.alloc(1024, 'x');

function text(write: (into: Uint8Array, at: number) => number): string {
  const end = write(bytes, 3);
  expect(end - 3, 'length').to.be.lessThanOrEqual(maxNumberLength);
  return bytes.toString('latin1', 3, end);
}

const real = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+(?:e[+-][0-9]+)?|e[+-][0-9]+)$/;

function shortestOfSingle(x: number): number {
  for (let digits = 1; digits <= 9; digits++) {
    const value = Number(x.toPrecision(digits));
    if (Math.fround(value) === x) return value;
  }
  throw new Error(`nothing round-trips ${x}`);
}

/** Reals of every magnitude and of the kinds that devices send: few decimals, halves, integers, raw bits. */
function* reals(count: number, seed: number, single: boolean): Generator<number> {
  const random = seeded(seed);
  const bits = new DataView(new ArrayBuffer(8));
  for (let index = 0; index < count; index++) {
    const sign = random() < 0.5 ? -1 : 1;
    const choice = index % 6;
    let x = 0;
    if (choice === 0)
      x = Math.round(random() * 10 ** Math.floor(random() * 9)) / 10 ** Math.floor(random() * 7);
    else if (choice === 1) x = random() * 10 ** (Math.floor(random() * 40) - 20);
    else if (choice === 2) x = Math.floor(random() * 2 ** 30) / 2 ** Math.floor(random() * 30);
    else if (choice === 3) x = Math.floor(random() * 2 ** Math.floor(random() * 53));
    else if (choice === 4) x = random();
    else {
      bits.setUint32(0, random() * 2 ** 32);
      bits.setUint32(4, random() * 2 ** 32);
      x = single ? bits.getFloat32(0) : bits.getFloat64(0);
    }
    x = sign * (single ? Math.fround(x) : x);
    if (Number.isFinite(x)) yield x;
  }
}

describe('numbers in JSON', () => {
  it('prints integers exactly', () => {
    const random = seeded(1);
    const edges = [
      0,
      9,
      10,
      99,
      100,
      99_999,
      100_000,
      999_999_999,
      1e9,
      1e9 + 1,
      2 ** 31,
      2 ** 32 - 1,
      1e15,
      2 ** 53,
    ];
    for (let index = 0; index < 20_000; index++)
      edges.push(Math.floor(random() * 2 ** Math.floor(random() * 54)));
    for (const edge of edges) {
      for (const n of [edge, -edge])
        expect(text((into, at) => writeInteger(into, at, n))).to.equal(String(n === 0 ? 0 : n));
    }
  });

  it('puts the point into digits', () => {
    const random = seeded(2);
    for (let index = 0; index < 20_000; index++) {
      const decimals = 1 + Math.floor(random() * 17);
      const n = Math.floor(random() * 10 ** Math.floor(random() * 16));
      const digits = String(n).padStart(decimals + 1, '0');
      const expected = `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
      expect(text((into, at) => writeDecimal(into, at, n, decimals))).to.equal(expected);
    }
  });

  it('prints a single as the shortest decimal that round-trips', () => {
    for (const x of reals(60_000, 3, true)) {
      const printed = text((into, at) => writeSingle(into, at, x));
      expect(printed).to.match(real);
      expect(Math.fround(Number(printed)), `${x}`).to.equal(x === 0 ? 0 : x);
      expect(Number(printed), `${x}`).to.equal(x === 0 ? 0 : shortestOfSingle(x));
    }
  });

  it('prints a double as the shortest decimal that round-trips', () => {
    for (const x of reals(60_000, 4, false)) {
      const printed = text((into, at) => writeDouble(into, at, x));
      expect(printed).to.match(real);
      expect(printed.replace(/\.0$/, '')).to.equal(Object.is(x, -0) ? '-0' : String(x));
    }
  });

  it('prints a computed double at 15 significant digits', () => {
    const random = seeded(5);
    const scaled = (): number =>
      (Math.floor(random() * 65_536) - 32_768) * 10 ** -Math.floor(random() * 6) + Math.floor(random() * 100);
    const samples = [
      ...reals(40_000, 6, false),
      ...Array.from({ length: 40_000 }, scaled),
      9.000000000000004,
      0.1 + 0.2,
    ];
    for (const x of samples) {
      const printed = text((into, at) => writeDouble(into, at, roundComputed(x)));
      expect(printed).to.match(real);
      const expected = String(Number(x.toPrecision(15)));
      expect(printed.replace(/\.0$/, ''), `${x}`).to.equal(expected === '-0' ? '0' : expected);
    }
  });

  it('prints fixed decimals as exact rounding of the value', () => {
    const random = seeded(7);
    const samples = [...reals(60_000, 8, false), 0.5, 2.5, 1.005, 0.125, -0.125, 1e20, 1e22, -0.001, 8.345];
    for (const x of samples) {
      const decimals = 1 + Math.floor(random() * 17);
      const printed = text((into, at) => writeFixed(into, at, x, decimals));
      const exact = x.toFixed(decimals);
      const expected = Number(exact) === 0 ? exact.replace('-', '') : exact;
      expect(printed, `${x} at ${decimals}`).to.equal(
        expected.includes('.') || expected.includes('e') ? expected : `${expected}.0`,
      );
    }
  });

  it('rounds to decimals as it prints them', () => {
    const random = seeded(9);
    for (const x of [...reals(20_000, 8, false), 0.5, 2.5, 1.005, 0.125, -0.125, -0.001, 8.345]) {
      const decimals = 1 + Math.floor(random() * 17);
      const rounded = roundTo(x, decimals);
      expect(rounded, `${x} at ${decimals}`).to.equal(Number(x.toFixed(decimals)) + 0);
      expect(Object.is(rounded, -0)).to.equal(false);
    }
  });

  it('prints the values of the specification as expected', () => {
    const single = (x: number): string => text((into, at) => writeSingle(into, at, Math.fround(x)));
    expect(single(0.1)).to.equal('0.1');
    expect(single(13.4121)).to.equal('13.4121');
    expect(single(12)).to.equal('12.0');
    expect(single(-0), 'it reads back as what it was').to.equal('-0.0');
    expect(single(3.4028235e38)).to.equal('3.4028235e+38');
    expect(single(123456789)).to.equal('123456790.0');
    expect(text((into, at) => writeDouble(into, at, roundComputed(235 * 0.1)))).to.equal('23.5');
    expect(text((into, at) => writeFixed(into, at, 3.14159, 2))).to.equal('3.14');
  });
});
