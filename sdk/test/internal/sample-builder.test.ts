import { expect } from 'chai';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { Fault, Quality, type Sample } from '@tagway/sdk';
import { SampleBuilder, type SampleData } from '@tagway/sdk/internal';
import type { ValueOrFault } from '../../src/internal/samples/column-values.ts';
import { group, tag } from './harness.ts';

const { STATIC, SUBSCRIBE } = Attribute;
const faulty = new Fault(ErrorCode.NO_RESPONSE);

/** The sample of a reading in which the driver gave these. */
function read(builder: SampleBuilder, ...given: ValueOrFault[]): SampleData {
  const draft = builder.draft();
  given.forEach((one, index) => draft.values.set(draft.columnOf[index] as number, one));
  return builder.finish(draft.values, 0);
}

/** Which columns are due: 1 each, 0 for those that are not; nothing when all are. */
function dueOf({ due }: Pick<Sample, 'due'>): string {
  return due === undefined ? 'all' : due.join('');
}

const dues = (builder: SampleBuilder, ...readings: ValueOrFault[][]): string[] =>
  readings.map((given) => dueOf(read(builder, ...given)));

describe('sample builder', () => {
  it('gives every polled tag of a failed reading the same error and reason, and static tags their value', () => {
    const builder = new SampleBuilder(
      group(1, 100, [tag('a', ''), tag('s', '', { attribute: STATIC, value: 3 }), tag('b', '')]),
    );
    const sample = builder.failed(new Fault(ErrorCode.DISCONNECTED, 'The cable is cut.'), 5);
    expect([...sample.faults]).to.deep.equal([0, ErrorCode.DISCONNECTED, 2, ErrorCode.DISCONNECTED]);
    expect(sample.reasons).to.deep.equal({ texts: ['The cable is cut.'], indices: Uint16Array.of(0, 0) });
    expect(sample.numbers[1]).to.equal(3);
    expect(sample.timestamp).to.equal(5);
  });

  it('uses the arrays of a reading again, and nothing of what they held', () => {
    const builder = new SampleBuilder(
      group(1, 100, [
        tag('a', ''),
        tag('b', '', { type: DataType.STRING }),
        tag('c', '', { type: DataType.UINT64 }),
      ]),
    );
    const first = builder.draft();
    first.number(0, 1);
    first.text(1, 'one');
    first.integer(2, 1n);
    first.stamp(0, 1000, Quality.UNCERTAIN);
    const { numbers } = builder.finish(first.values, 1);
    first.close();
    builder.reuse(first.values);

    const next = builder.draft();
    next.fault(0, faulty);
    // The driver is late.
    first.number(0, 9);
    first.text(1, 'nine');
    const sample = builder.finish(next.values, 2);
    expect(sample.numbers).to.equal(numbers);
    expect(sample).to.deep.include({ objects: [''], integers: BigInt64Array.of(0n) });
    expect([...sample.numbers]).to.deep.equal([0]);
    expect([...sample.faults]).to.deep.equal([
      ...[0, ErrorCode.NO_RESPONSE],
      ...[1, ErrorCode.READ_FAILED],
      ...[2, ErrorCode.READ_FAILED],
    ]);
    expect(sample).to.not.have.any.keys('timestamps', 'qualities');
    expect(builder.draft().values.numbers, 'a third that is begun before the second is done').to.not.equal(
      numbers,
    );
  });

  it('lists faults of polled and static tags in the order of the columns', () => {
    const builder = new SampleBuilder(
      group(1, 100, [
        tag('s', '', { attribute: STATIC, type: DataType.BYTES }),
        tag('a', ''),
        tag('t', '', { attribute: STATIC }),
      ]),
    );
    const { faults } = read(builder, faulty);
    expect([...faults]).to.deep.equal([
      ...[0, ErrorCode.READ_FAILED],
      ...[1, ErrorCode.NO_RESPONSE],
      ...[2, ErrorCode.READ_FAILED],
    ]);
  });

  it('scales and rounds once, so that apps get what JSON prints', () => {
    const builder = new SampleBuilder(
      group(1, 100, [
        tag('a', '', { decimal: 0.1 }),
        tag('b', '', { type: DataType.DOUBLE, precision: 2 }),
        tag('c', '', { type: DataType.FLOAT, precision: 1 }),
        tag('d', '', { type: DataType.INT64, decimal: 0.1, bias: 0.2 }),
        tag('e', '', { type: DataType.FLOAT }),
      ]),
    );
    const { numbers } = read(builder, 3, 1.005, 0.25, 3n, 0.1);
    // The double next to 1.005 lies below it. What has no precision stays the nearest single.
    expect([...numbers]).to.deep.equal([0.3, 1, 0.3, 0.5, Math.fround(0.1)]);
  });

  it('remembers unrounded what was reported, so that rounding does not hide a drift', () => {
    const builder = new SampleBuilder(
      group(1, 100, [
        tag('a', '', { attribute: SUBSCRIBE, type: DataType.DOUBLE, precision: 0, decimal: 1 }),
      ]),
    );
    expect(dues(builder, [1], [1.2], [1.2])).to.deep.equal(['all', '1', '0']);
  });

  it('keeps the array of points while nothing about them changes, so that plans stay valid', () => {
    const first = new SampleBuilder(
      group(1, 100, [tag('a', '1'), tag('s', '', { attribute: STATIC, value: 1 })]),
    );
    const rescaled = new SampleBuilder(
      group(1, 200, [tag('a', '1', { decimal: 2 }), tag('s', '', { attribute: STATIC, value: 9 })]),
      first,
    );
    expect(rescaled.points).to.equal(first.points);
    const moved = new SampleBuilder(group(1, 200, [tag('a', '2')]), rescaled);
    expect(moved.points).not.to.equal(first.points);
    expect(moved.points).to.be.frozen;
  });

  it('puts no mark on samples of a group without SUBSCRIBE tags', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '')]));
    expect(dues(builder, [1], [1])).to.deep.equal(['all', 'all']);
  });

  it('marks SUBSCRIBE tags only when they changed, others always', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { attribute: SUBSCRIBE }), tag('b', '')]));
    expect(dues(builder, [1, 1], [1, 1], [2, 1], [2, 1])).to.deep.equal(['all', '01', '11', '01']);
  });

  it('takes every error for a change, and the value after it', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { attribute: SUBSCRIBE })]));
    expect(dues(builder, [1], [faulty], [faulty], [1], [1])).to.deep.equal(['all', '1', '1', '1', '0']);
  });

  it('compares floats by their precision, with the value last reported, so that a slow drift shows', () => {
    const builder = new SampleBuilder(
      group(1, 100, [tag('a', '', { attribute: SUBSCRIBE, type: DataType.DOUBLE, precision: 1 })]),
    );
    expect(dues(builder, [1], [1.06], [1.12], [1.18], [1.18])).to.deep.equal(['all', '0', '1', '0', '0']);
  });

  it('reports a tag with a deadband when it has moved further than that, with and without SUBSCRIBE', () => {
    for (const attribute of [Attribute.READ, SUBSCRIBE]) {
      const builder = new SampleBuilder(
        group(1, 100, [
          tag('a', '', { type: DataType.DOUBLE, attribute, threshold: 1, precision: 3 }),
          tag('b', '', { type: DataType.INT64, attribute, threshold: 10 }),
          tag('c', ''),
        ]),
      );
      // The last value of the drift is compared with the first one, and a distance of exactly the deadband is within it.
      const readings = [
        [5, 100n, 1],
        [5.9, 110n, 1],
        [6, 89n, 1],
        [6.1, 90n, 1],
        [6.1, 90n, 1],
      ];
      expect(dues(builder, ...readings)).to.deep.equal(['all', '001', '011', '101', '001']);
    }
  });

  it('measures the distance of unsigned 64-bit integers as such, and to the last digit', () => {
    const { UINT64, INT64 } = DataType;
    const most = 2n ** 64n;
    for (const [type, first, within, beyond] of [
      [UINT64, 2n ** 63n - 1n, 2n ** 63n + 1n, 2n ** 63n + 2n],
      [UINT64, 1n, 3n, most - 1n],
      [INT64, -1n, 1n, 2n],
      [INT64, -(2n ** 63n), 2n - 2n ** 63n, 2n ** 63n - 1n],
    ] as const) {
      const builder = new SampleBuilder(group(1, 100, [tag('a', '', { type, threshold: 2 })]));
      expect(dues(builder, [first], [within], [beyond])).to.deep.equal(['all', '0', '1']);
    }
  });

  it('gives the values within a deadband to those who read', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { type: DataType.DOUBLE, threshold: 1 })]));
    read(builder, 5);
    const { numbers, due } = read(builder, 5.5);
    expect([...numbers]).to.deep.equal([5.5]);
    expect([...due!]).to.deep.equal([0]);
  });

  it('reports the errors of a tag with a deadband, and its value after them', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { type: DataType.DOUBLE, threshold: 1 })]));
    expect(dues(builder, [1], [faulty], [faulty], [1], [1])).to.deep.equal(['all', '1', '1', '1', '0']);
  });

  it('compares 64-bit integers, strings and bytes by content', () => {
    const types = [DataType.UINT64, DataType.STRING, DataType.BYTES];
    const builder = new SampleBuilder(
      group(
        1,
        100,
        types.map((type, index) => tag(`t${index}`, '', { type, attribute: SUBSCRIBE })),
      ),
    );
    const bytes = (...of: number[]): Uint8Array => Uint8Array.from(of);
    expect(
      dues(builder, [2n ** 63n, 'a', bytes(1)], [2n ** 63n, 'a', bytes(1)], [2n ** 63n + 1n, 'b', bytes(2)]),
    ).to.deep.equal(['all', '000', '111']);
  });

  it('refuses infinities and outcomes of the wrong type, each in its place', () => {
    const builder = new SampleBuilder(
      group(1, 100, [
        tag('a', '', { type: DataType.FLOAT }),
        tag('b', '', { type: DataType.DOUBLE, decimal: 1e300 }),
        tag('c', '', { type: DataType.INT64 }),
        tag('d', '', { type: DataType.BIT }),
      ]),
    );
    const { faults, numbers } = read(builder, Infinity, 1e300, 5, 1);
    expect([...faults]).to.deep.equal([
      ...[0, ErrorCode.VALUE_EXPIRED],
      ...[1, ErrorCode.VALUE_EXPIRED],
      ...[2, ErrorCode.TYPE_MISMATCH],
    ]);
    expect(numbers[2]).to.equal(1);
  });

  it('carries source times and qualities, of faults too, and none when nobody gave any', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', ''), tag('b', ''), tag('c', '')]));
    const plain = read(builder, 1, 2, 3);
    expect([plain.timestamps, plain.qualities]).to.deep.equal([undefined, undefined]);
    const draft = builder.draft();
    draft.number(0, 1);
    draft.stamp(0, 1000);
    draft.fault(1, faulty);
    draft.stamp(1, 2000, Quality.STALE);
    draft.number(2, 3);
    const { timestamps, qualities, faults } = builder.finish(draft.values, 5);
    expect([...(timestamps ?? [])]).to.deep.equal([1000, 2000, NaN]);
    expect([...(qualities ?? [])]).to.deep.equal([0, Quality.STALE, 0]);
    expect([...faults]).to.deep.equal([1, ErrorCode.NO_RESPONSE]);
  });

  it('takes a change of quality alone for a change', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { attribute: SUBSCRIBE })]));
    const stamped = (quality: number): string => {
      const draft = builder.draft();
      draft.number(0, 1);
      draft.stamp(0, NaN, quality);
      return dueOf(builder.finish(draft.values, 0));
    };
    const { GOOD, STALE } = Quality;
    expect([GOOD, GOOD, STALE, STALE, GOOD].map(stamped)).to.deep.equal(['all', '0', '1', '0', '1']);
  });

  it('is due as a whole with the first sample of a version, and with the first of the next', () => {
    const tags = [tag('a', '', { attribute: SUBSCRIBE })];
    const first = new SampleBuilder(group(1, 100, tags));
    expect(dues(first, [1], [1])).to.deep.equal(['all', '0']);
    expect(dues(new SampleBuilder(group(1, 100, tags), first), [1], [1])).to.deep.equal(['all', '0']);
  });

  it('takes nothing any more once its draft is closed: a late answer cannot get into a sample', () => {
    const builder = new SampleBuilder(
      group(1, 100, [
        tag('a', ''),
        tag('b', '', { type: DataType.INT64 }),
        tag('c', '', { type: DataType.STRING }),
        tag('d', '', { type: DataType.BYTES }),
      ]),
    );
    const draft = builder.draft();
    draft.number(0, 1);
    draft.close();
    draft.number(0, 2);
    draft.integer(1, 2n);
    draft.text(2, 'late');
    draft.bytes(3, Uint8Array.of(1));
    draft.fault(0, faulty);
    draft.stamp(0, 1, 1);
    const { numbers, faults, timestamps } = builder.finish(draft.values, 0);
    expect(numbers[0]).to.equal(1);
    expect([...faults].filter((_, index) => index % 2 === 0)).to.deep.equal([1, 2, 3]);
    expect(timestamps).to.equal(undefined);
  });

  it('copies bytes, and takes nothing for an index that no point has', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { type: DataType.BYTES })]));
    const draft = builder.draft();
    const reused = Uint8Array.of(1);
    draft.bytes(0, reused);
    draft.number(1, 5);
    draft.number(-1, 5);
    reused[0] = 9;
    expect(builder.finish(draft.values, 0).objects).to.deep.equal([Uint8Array.of(1)]);
  });
});
