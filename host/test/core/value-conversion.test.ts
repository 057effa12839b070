import { DataType, ErrorCode } from '@tagway/schemas';
import type { JsonValue, Value } from '@tagway/sdk';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { fromJson, toDevice } from '../../src/core/tags/value-conversion.ts';

const { INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, FLOAT, DOUBLE, BIT, BOOL, STRING, BYTES } =
  DataType;
const mismatch = ErrorCode.TYPE_MISMATCH;
const range = ErrorCode.VALUE_OUT_OF_RANGE;
const tooLong = ErrorCode.STRING_TOO_LONG;

/** The value, or the code with which it is refused, marked so that no value looks like one. */
function outcome(work: () => Value): Value | { code: number } {
  try {
    return work();
  } catch (error) {
    if (isFault(error)) return { code: error.code };
    throw error;
  }
}

const show = (value: unknown): string =>
  typeof value === 'bigint'
    ? `${value}n`
    : Object.is(value, -0)
      ? '-0'
      : value instanceof Uint8Array
        ? `<${value.join(' ')}>`
        : JSON.stringify(value);

describe('a JSON value for a tag', () => {
  const cases: [type: DataType, json: JsonValue, result: Value | { code: number }][] = [
    [INT8, -128, -128],
    [INT8, -129, { code: range }],
    [INT8, 127, 127],
    [INT8, 128, { code: range }],
    [UINT8, 255, 255],
    [UINT8, -1, { code: range }],
    [INT16, 32767, 32767],
    [INT16, 32768, { code: range }],
    [INT16, 3.5, { code: mismatch }],
    [INT16, -0, 0],
    [INT16, '1', { code: mismatch }],
    [INT16, true, { code: mismatch }],
    [INT16, [1], { code: mismatch }],
    [INT16, 12n, 12],
    [UINT16, 65535, 65535],
    [UINT16, 65536, { code: range }],
    [INT32, -2147483648, -2147483648],
    [INT32, 2147483648, { code: range }],
    [UINT32, 4294967295, 4294967295],
    [UINT32, 4294967296, { code: range }],
    [INT64, 5, 5n],
    [INT64, 9223372036854775807n, 9223372036854775807n],
    [INT64, 9223372036854775808n, { code: range }],
    [INT64, -9223372036854775808n, -9223372036854775808n],
    [INT64, 1e300, { code: range }],
    [INT64, Infinity, { code: range }],
    [BIT, Infinity, { code: range }],
    [INT64, 0.5, { code: mismatch }],
    [UINT64, 18446744073709551615n, 18446744073709551615n],
    [UINT64, 18446744073709551616n, { code: range }],
    [UINT64, -1, { code: range }],
    [FLOAT, 1, 1],
    [FLOAT, 1.5, 1.5],
    [FLOAT, 3.4028234663852886e38, 3.4028234663852886e38],
    [FLOAT, 3.5e38, { code: range }],
    [FLOAT, true, { code: mismatch }],
    [DOUBLE, -1.7e308, -1.7e308],
    [DOUBLE, Infinity, { code: range }],
    [DOUBLE, 10n, 10],
    [BIT, 0, 0],
    [BIT, 1, 1],
    [BIT, 2, { code: range }],
    [BIT, 0.5, { code: mismatch }],
    [BIT, true, { code: mismatch }],
    [BOOL, false, false],
    [BOOL, 1, { code: mismatch }],
    [STRING, '', ''],
    [STRING, 'ü'.repeat(63), 'ü'.repeat(63)],
    [STRING, 'ü'.repeat(64), { code: tooLong }],
    [STRING, 1, { code: mismatch }],
    [BYTES, [0, 255], Uint8Array.of(0, 255)],
    [BYTES, [256], { code: range }],
    [BYTES, [-1], { code: range }],
    [BYTES, [1.5], { code: mismatch }],
    [BYTES, 'ab', { code: mismatch }],
    [BYTES, [], Uint8Array.of()],
  ];
  const nameOf = (type: DataType) => Object.entries(DataType).find(([, value]) => value === type)?.[0];
  for (const [type, json, result] of cases) {
    it(`${nameOf(type)}: ${show(json).slice(0, 40)} is ${show(result).slice(0, 40)}`, () => {
      const actual = outcome(() => fromJson(type, json));
      expect(actual).to.deep.equal(result);
      expect(Object.is(actual, -0)).to.equal(false);
    });
  }
});

describe('a value scaled back for the device', () => {
  const cases: [
    type: DataType,
    decimal: number,
    bias: number,
    json: JsonValue,
    result: Value | { code: number },
  ][] = [
    [INT16, 0.1, 0, 23.56, 236],
    [INT16, 0.1, 0, -23.56, -236],
    [INT16, 0.1, 0, 0.15, 2],
    [INT16, 0.1, 0, -0.15, -2],
    [INT16, 0.1, 0, 0.14, 1],
    [INT16, 2, 10, 30, 10],
    [INT16, 0, 10, 30, 20],
    [INT16, -1, 0, 5, -5],
    [INT16, 0.001, 0, 33, { code: range }],
    [INT16, 0.1, 0, '1', { code: mismatch }],
    [UINT8, 1, 0, -0.4, 0],
    [INT64, 0.5, 0, 1000000, 2000000n],
    [UINT64, 0.5, 0, -1, { code: range }],
    [INT64, 1e-300, 0, 1e300, { code: range }],
    [FLOAT, 0.1, 0, 1, 10],
    [FLOAT, 1e-30, 0, 1e30, { code: range }],
    [DOUBLE, 4, 1, 2, 0.25],
    [BIT, 10, 0, 1, 1],
    [BOOL, 10, 0, true, true],
    [STRING, 10, 0, 'x', 'x'],
    [INT16, 0, 0, 3.5, { code: mismatch }],
  ];
  for (const [type, decimal, bias, json, result] of cases) {
    it(`type ${type}, decimal ${decimal}, bias ${bias}: ${show(json)} is ${show(result)}`, () => {
      const actual = outcome(() => toDevice({ type, decimal, bias }, json));
      expect(actual).to.deep.equal(result);
      expect(Object.is(actual, -0)).to.equal(false);
    });
  }
});
