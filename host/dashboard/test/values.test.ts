import { DataType, dataTypeName } from '@tagway/schemas';
import { expect } from 'chai';
import { parseExact, stringifyExact } from '../src/api/exact-json.ts';
import { rangeOf, typeFrom } from '../src/values/data-types.ts';
import { valueText } from '../src/values/value-text.ts';
import { writtenValue } from '../src/values/written-value.ts';

const plain = (type: DataType): { type: DataType; decimal: number; bias: number } => ({
  type,
  decimal: 0,
  bias: 0,
});

describe('64-bit integers', () => {
  it('come and go without losing a digit', () => {
    const text = '{"a":18446744073709551615,"b":-9223372036854775808,"c":1.5,"d":12}';
    expect(parseExact(text)).to.deep.equal({
      a: 18446744073709551615n,
      b: -9223372036854775808n,
      c: 1.5,
      d: 12,
    });
    expect(stringifyExact(parseExact(text))).to.equal(text);
  });
});

describe('the text of a value', () => {
  const cases: [value: unknown, type: number, base: 'decimal' | 'hex' | 'binary', text: string][] = [
    [-1, DataType.INT16, 'hex', '0xFFFF'],
    [5, DataType.UINT8, 'binary', '0b0000_0101'],
    [-1n, DataType.INT64, 'hex', '0xFFFFFFFFFFFFFFFF'],
    [18446744073709551615n, DataType.UINT64, 'decimal', '18446744073709551615'],
    [1.5, DataType.FLOAT, 'hex', '1.5'],
    [true, DataType.BOOL, 'hex', 'true'],
    ['text', DataType.STRING, 'decimal', 'text'],
    [[1, 255], DataType.BYTES, 'hex', '01 FF'],
    [[1, 255], DataType.BYTES, 'decimal', '1 255'],
    [[5], DataType.BYTES, 'binary', '00000101'],
    [undefined, DataType.INT16, 'decimal', ''],
  ];
  for (const [value, type, base, text] of cases)
    it(`${dataTypeName(type)} ${base}: ${text || 'nothing'}`, () => {
      expect(valueText(value, type, base)).to.equal(text);
    });
});

describe('a value that is typed in', () => {
  const good: [text: string, type: DataType, value: unknown][] = [
    ['-32768', DataType.INT16, -32768],
    ['0xff', DataType.UINT8, 255],
    ['0b1010_0001', DataType.UINT8, 161],
    ['18446744073709551615', DataType.UINT64, 18446744073709551615n],
    ['1,5', DataType.DOUBLE, 1.5],
    [' TRUE ', DataType.BOOL, true],
    ['0', DataType.BOOL, false],
    ['01 ff', DataType.BYTES, [1, 255]],
    [' text ', DataType.STRING, ' text '],
    ['1', DataType.BIT, 1],
  ];
  for (const [text, type, value] of good)
    it(`${dataTypeName(type)} takes "${text}"`, () => {
      expect(writtenValue(text, plain(type))).to.deep.equal({ value });
    });

  const bad: [text: string, type: DataType, problem: string][] = [
    ['32768', DataType.INT16, 'range'],
    ['-1', DataType.UINT64, 'range'],
    ['2', DataType.BIT, 'range'],
    ['1.5', DataType.INT16, 'integer'],
    ['x', DataType.DOUBLE, 'number'],
    ['1e39', DataType.FLOAT, 'range'],
    ['yes', DataType.BOOL, 'boolean'],
    ['f', DataType.BYTES, 'bytes'],
    ['', DataType.INT16, 'empty'],
  ];
  for (const [text, type, problem] of bad)
    it(`${dataTypeName(type)} refuses "${text}": ${problem}`, () => {
      expect(writtenValue(text, plain(type))).to.include({ problem });
    });

  it('has the range of the device where the tag is scaled', () => {
    const scaled = { type: DataType.INT16, decimal: 0.1, bias: 10 };
    expect(writtenValue('3286.7', scaled)).to.deep.equal({ value: 3286.7 });
    expect(writtenValue('3290', scaled)).to.include({ problem: 'range' });
  });
});

describe('types of data', () => {
  it('are found by name in any case and by number', () => {
    expect(typeFrom(' uint16 ')).to.equal(DataType.UINT16);
    expect(typeFrom('9')).to.equal(DataType.FLOAT);
    expect(typeFrom('')).to.equal(undefined);
    expect(typeFrom('WORD')).to.equal(undefined);
  });

  it('have ranges where they are integers', () => {
    expect(rangeOf(DataType.INT8)).to.deep.equal([-128n, 127n]);
    expect(rangeOf(DataType.UINT64)).to.deep.equal([0n, 18446744073709551615n]);
    expect(rangeOf(DataType.FLOAT)).to.equal(undefined);
  });
});
