import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { layoutOf, type SampleData } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { fitsLayout } from '../../src/runtime/samples/sample-check.ts';

const plain = { attribute: Attribute.READ, precision: 0, decimal: 0, bias: 0 };
const types = [DataType.INT16, DataType.INT64, DataType.STRING, DataType.BYTES];
const tags = types.map((type) => ({ ...plain, type, name: `tag ${type}`, address: `${type}` }));
const layout = layoutOf(1, { driver: 'driver', group: 'group', interval: 100 }, tags);

const whole: SampleData = {
  group: 1,
  version: 1,
  timestamp: 5,
  numbers: Float64Array.of(1),
  integers: BigInt64Array.of(2n),
  objects: ['text', Uint8Array.of(3)],
  faults: new Int32Array(0),
};
const events: SampleData = {
  ...whole,
  rows: Uint32Array.of(2, 0, 2),
  numbers: new Float64Array(3),
  integers: new BigInt64Array(0),
  objects: ['a', '', 'b'],
};
const failed: SampleData = {
  ...whole,
  objects: ['', ''],
  faults: Int32Array.of(2, ErrorCode.READ_FAILED, 3, 10_001),
  reasons: { texts: ['Why.'], indices: Uint16Array.of(0, 0) },
};

const code = ErrorCode.READ_FAILED;

type Change = Readonly<Partial<Record<keyof SampleData | 'layout', unknown>>>;

const bad: readonly (readonly [what: string, sample: SampleData, change: Change])[] = [
  ['numbers that are too few', whole, { numbers: new Float64Array(0) }],
  ['numbers of another kind', whole, { numbers: new Float32Array(1) }],
  ['a number that is infinite', whole, { numbers: Float64Array.of(Infinity) }],
  ['no integers', whole, { integers: new BigInt64Array(0) }],
  ['a number in the place of a text', whole, { objects: [5, Uint8Array.of(3)] }],
  ['a text in the place of bytes', whole, { objects: ['text', 'text'] }],
  ['a list with a hole', whole, { objects: new Array(2) }],
  ['a time beyond all dates', whole, { timestamp: 9e15 }],
  ['no time', whole, { timestamp: NaN }],
  ['a source time beyond all dates', whole, { timestamps: Float64Array.of(1, 2, 3, -9e15) }],
  ['source times that are too few', whole, { timestamps: Float64Array.of(1) }],
  ['qualities of another kind', whole, { qualities: new Float64Array(4) }],
  ['what is due of too many columns', whole, { due: new Uint8Array(5) }],
  ['what is due of too few events', events, { due: Uint8Array.of(1) }],
  ['a layout', whole, { layout }],
  ['a fault without a code', whole, { faults: Int32Array.of(2) }],
  ['a fault with the code of success', whole, { faults: Int32Array.of(2, ErrorCode.SUCCESS) }],
  ['a fault with a code of nobody', whole, { faults: Int32Array.of(2, -1) }],
  ['faults out of order', failed, { faults: Int32Array.of(3, code, 2, code) }],
  ['a fault of no column', failed, { faults: Int32Array.of(2, code, 4, code) }],
  ['reasons that are too few', failed, { reasons: { texts: ['Why.'], indices: Uint16Array.of(0) } }],
  ['a reason that is not there', failed, { reasons: { texts: [], indices: Uint16Array.of(0, 0) } }],
  ['a reason that is no text', failed, { reasons: { texts: [7], indices: Uint16Array.of(0, 0) } }],
  ['rows of no column', events, { rows: Uint32Array.of(2, 0, 4) }],
  ['rows of another kind', events, { rows: [2, 0, 2] }],
  ['a row of integers without integers', events, { rows: Uint32Array.of(2, 1, 2) }],
  ['a row of bytes with a text', events, { rows: Uint32Array.of(2, 0, 3) }],
  ['a row of a text without objects', events, { objects: [] }],
];

describe('a sample', () => {
  for (const [what, sample] of Object.entries({
    whole,
    events,
    failed,
    marked: { ...events, due: Uint8Array.of(1, 0, 1) },
  })) {
    it(`that is sound is taken: ${what}`, () => expect(fitsLayout(sample, layout)).to.equal(true));
  }

  for (const [what, sample, change] of bad) {
    it(`with ${what} is not taken`, () => {
      expect(fitsLayout({ ...sample, ...change } as SampleData, layout)).to.equal(false);
    });
  }
});
