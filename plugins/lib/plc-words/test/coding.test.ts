import { expect } from 'chai';
import { DataType, ErrorCode, isFault, type Value, type Values } from '@tagway/sdk';
import { compileDecodings } from '../src/decode.ts';
import { encode } from '../src/encode.ts';
import { wordAddress, type Address } from '../src/address.ts';

/** Where a word has its high byte. */
const orders = { 'big-endian': 0, 'little-endian': 1 } as const;

const words: readonly (readonly [name: string, DataType, Value, readonly number[]])[] = [
  ['W', DataType.INT16, -2, [0xfffe]],
  ['W', DataType.UINT16, 65_534, [0xfffe]],
  ['W', DataType.INT32, -2, [0xfffe, 0xffff]],
  ['W', DataType.UINT32, 0x1234_5678, [0x5678, 0x1234]],
  ['W', DataType.INT64, -(2n ** 63n), [0, 0, 0, 0x8000]],
  ['W', DataType.UINT64, 0x0123_4567_89ab_cdefn, [0xcdef, 0x89ab, 0x4567, 0x0123]],
  ['W', DataType.FLOAT, -3.125, [0, 0xc048]],
  ['W', DataType.DOUBLE, -3.53125, [0, 0, 0x4000, 0xc00c]],
  ['W.4', DataType.STRING, 'ABCD', [0x4142, 0x4344]],
  ['W.4L', DataType.STRING, 'ABCD', [0x4241, 0x4443]],
  ['W.3', DataType.STRING, 'ABC', [0x4142, 0x4300]],
  ['W.4', DataType.STRING, '你', [0xe4bd, 0xa000]],
  ['W.9', DataType.BIT, 1, [0x0200]],
];

function place(name: string, type: DataType): Address {
  const [, number, letter] = /^W(?:\.(\d+)([HL])?)?$/.exec(name) ?? [];
  const found = wordAddress(name, type, 1, 100, { number, letter });
  if (isFault(found)) throw found;
  return found;
}

function bytesOf(values: readonly number[], high: number): Buffer {
  return Buffer.from(
    values.flatMap((word) => (high === 0 ? [word >> 8, word & 0xff] : [word & 0xff, word >> 8])),
  );
}

for (const [order, high] of Object.entries(orders))
  describe(`words that are ${order} on the wire`, () => {
    for (const [name, type, value, expected] of words)
      it(`hold ${String(value)} as ${name} of type ${type}`, () => {
        const item = { ...place(name, type), index: 7 };
        const encoded = encode(item, value, high);
        if (isFault(encoded)) throw encoded;
        expect(encoded.data).to.deep.equal(bytesOf(expected, high));
        let told: unknown;
        const take = (index: number, read: unknown): void => void (told = [index, read]);
        const into = { number: take, integer: take, text: take } as unknown as Values;
        // The word lies behind two others of the same request.
        const data = Buffer.concat([Buffer.alloc(4, 0xff), bytesOf(expected, high)]);
        for (const decoding of compileDecodings([item], 98, 2, high)) decoding.decode(data, decoding, into);
        expect(told).to.deep.equal([7, value]);
      });
  });

describe('a value that does not fit', () => {
  const wrong: readonly (readonly [string, DataType, Value, number])[] = [
    ['W', DataType.INT16, -32_769, ErrorCode.VALUE_OUT_OF_RANGE],
    ['W', DataType.UINT16, 0.5, ErrorCode.VALUE_OUT_OF_RANGE],
    ['W', DataType.INT32, 2 ** 31, ErrorCode.VALUE_OUT_OF_RANGE],
    ['W', DataType.UINT64, 2n ** 64n, ErrorCode.VALUE_OUT_OF_RANGE],
    ['W', DataType.FLOAT, 1e39, ErrorCode.VALUE_OUT_OF_RANGE],
    ['W', DataType.DOUBLE, NaN, ErrorCode.VALUE_OUT_OF_RANGE],
    ['W', DataType.INT16, 'one', ErrorCode.TYPE_MISMATCH],
    ['W', DataType.INT64, 1, ErrorCode.TYPE_MISMATCH],
    ['W.2', DataType.STRING, 5, ErrorCode.TYPE_MISMATCH],
    ['W.2', DataType.STRING, '你', ErrorCode.STRING_TOO_LONG],
    ['W.2', DataType.BIT, 2, ErrorCode.VALUE_OUT_OF_RANGE],
  ];
  for (const [name, type, value, code] of wrong)
    it(`${String(value)} for ${name} of type ${type}`, () => {
      const encoded = encode(place(name, type), value, 0);
      expect(encoded).to.have.property('code', code);
    });
});
