import { Attribute, DataType, ErrorCode, inputsOf } from '@tagway/schemas';
import type { Layout, Point, Sample } from '@tagway/sdk';
import { expect } from 'chai';
import { layoutOf } from '../../src/internal/samples/group-columns.ts';
import { InputValues } from '../../src/internal/inputs/input-values.ts';

const sources = layoutOf(
  7,
  { driver: 'boiler', group: 'fast', interval: 100 },
  (['a', 'b', 'c'] as const).map((name) => ({
    name,
    address: name,
    type: name === 'c' ? DataType.UINT64 : DataType.DOUBLE,
    attribute: Attribute.READ,
    precision: 0,
    decimal: 0,
    bias: 0,
  })),
);

const points: readonly Point[] = ['tag("boiler/fast/b")', 'tag("boiler/fast/c") + tag("kiln/fast/a")'].map(
  (address, index) => ({ name: `p${index}`, address, type: DataType.DOUBLE, attribute: Attribute.READ }),
);

function sampleOf(layout: Layout, rest: Partial<Sample>): Sample {
  return {
    layout,
    timestamp: 1000,
    numbers: Float64Array.of(1, 2),
    integers: BigInt64Array.of(-1n),
    objects: [],
    faults: new Int32Array(0),
    ...rest,
  };
}

describe('the inputs of a group', () => {
  let inputs: InputValues;
  const codes = (): (number | undefined)[] => [0, 1, 2].map((index) => inputs.fault(index)?.code);

  beforeEach(() => {
    inputs = new InputValues(inputsOf(points));
    inputs.connect(new Map([[5, sources]]));
  });

  it('are not ready before the first sample, and not found where there is no such tag', () => {
    expect(codes()).to.deep.equal([ErrorCode.NOT_READY, ErrorCode.NOT_READY, ErrorCode.TAG_NOT_FOUND]);
    expect(inputs.fault(2)?.message).to.equal('There is no tag "kiln/fast/a" that can be read.');
    expect([0, 1, 2].map((index) => inputs.type(index))).to.deep.equal([
      DataType.DOUBLE,
      DataType.UINT64,
      undefined,
    ]);
  });

  it('have the values of a whole sample, its times and qualities, and all of its group are fresh', () => {
    const timestamps = Float64Array.of(NaN, 900, NaN);
    const qualities = Uint32Array.of(0, 0, 3);
    expect(inputs.take(5, sampleOf(sources, { timestamps, qualities }))).to.equal(0);
    expect([...inputs.fresh]).to.deep.equal([0, 1]);
    expect([inputs.number(0), inputs.integer(1), inputs.number(2)]).to.deep.equal([2, 2n ** 64n - 1n, NaN]);
    expect([inputs.time(0), inputs.time(1), inputs.quality(0), inputs.quality(1)]).to.deep.equal([
      900, 1000, 0, 3,
    ]);
    inputs.settle(5000);
    expect([inputs.fresh.length, inputs.timestamp]).to.deep.equal([0, 5000]);
  });

  it('take events step by step: an input that comes several times is fresh in as many of them', () => {
    const rows = Uint32Array.of(1, 0, 2, 1, 1, 2);
    const numbers = Float64Array.of(10, 11, 0, 12, 13, 0);
    const integers = BigInt64Array.of(0n, 0n, 20n, 0n, 0n, 21n);
    const events = sampleOf(sources, {
      rows,
      numbers,
      integers,
      faults: Int32Array.of(4, ErrorCode.DISCONNECTED),
    });
    const steps: unknown[] = [];
    let from = 0;
    do {
      from = inputs.take(5, events, from);
      steps.push([[...inputs.fresh], inputs.number(0), inputs.integer(1), inputs.fault(0)?.code]);
    } while (from > 0);
    expect(steps).to.deep.equal([
      [[0, 1], 10, 20n, undefined],
      [[0], 12, 20n, undefined],
      [[0, 1], NaN, 21n, ErrorCode.DISCONNECTED],
    ]);
  });

  it('have one object for a fault as long as it is the same', () => {
    const failed = sampleOf(sources, {
      faults: Int32Array.of(1, ErrorCode.DISCONNECTED),
      reasons: { texts: ['Nobody answers.'], indices: Uint16Array.of(0) },
    });
    inputs.take(5, failed);
    const fault = inputs.fault(0);
    expect(fault?.message).to.equal('"boiler/fast/b" has no value: Nobody answers.');
    inputs.take(5, failed);
    expect(inputs.fault(0)).to.equal(fault);
    inputs.take(5, sampleOf(sources, {}));
    expect(inputs.fault(0)).to.equal(undefined);
  });

  it('go on over a new layout with the same tags, and over other points', () => {
    inputs.take(5, sampleOf(sources, {}));
    const other = { ...sources, version: 8 };
    expect(inputs.connect(new Map([[6, other]]))).to.equal(false);
    expect(inputs.number(0)).to.equal(2);
    inputs.take(6, sampleOf(sources, { numbers: Float64Array.of(0, 3) }));
    expect(inputs.number(0), 'a sample of the layout before').to.equal(2);
    const next = new InputValues(inputsOf([points[1]!, points[0]!]));
    next.adopt(inputs);
    expect(next.connect(new Map([[6, other]]))).to.equal(false);
    expect([next.integer(0), next.number(2)]).to.deep.equal([2n ** 64n - 1n, 2]);
    expect(inputs.connect(new Map())).to.equal(true);
    expect(codes()).to.deep.equal([1, 1, 1].map(() => ErrorCode.TAG_NOT_FOUND));
  });
});
