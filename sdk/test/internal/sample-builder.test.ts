import { expect } from 'chai';
import { DataType, ErrorCode } from '@tagway/schemas';
import { Fault, type Outcome, type Sample } from '@tagway/sdk';
import { SampleBuilder } from '@tagway/sdk/internal';
import { group, tag } from './harness.ts';

const faulty = new Fault(ErrorCode.NO_RESPONSE);

function reports(builder: SampleBuilder, ...readings: Outcome[][]): string[] {
  return readings.map((outcomes) => [...(builder.build(outcomes, 0).report ?? [])].join(''));
}

describe('sample builder', () => {
  it('gives every polled tag of a failed reading the same error, and static tags their value', () => {
    const builder = new SampleBuilder(
      group(1, 100, [tag('a', ''), tag('s', '', { attribute: 8, value: 3 }), tag('b', '')]),
    );
    const sample = builder.buildFailed(ErrorCode.DISCONNECTED, 5);
    expect([...sample.faults]).to.deep.equal([0, ErrorCode.DISCONNECTED, 2, ErrorCode.DISCONNECTED]);
    expect(sample.numbers[1]).to.equal(3);
    expect(sample.time).to.equal(5);
  });

  it('lists faults of polled and static tags in the order of the columns', () => {
    const builder = new SampleBuilder(
      group(1, 100, [
        tag('s', '', { attribute: 8, type: DataType.BYTES }),
        tag('a', ''),
        tag('t', '', { attribute: 8 }),
      ]),
    );
    const { faults } = builder.build([faulty], 0);
    expect([...faults]).to.deep.equal([
      0,
      ErrorCode.READ_FAILED,
      1,
      ErrorCode.NO_RESPONSE,
      2,
      ErrorCode.READ_FAILED,
    ]);
  });

  it('keeps the array of points while nothing about them changes, so that plans stay valid', () => {
    const first = new SampleBuilder(group(1, 100, [tag('a', '1'), tag('s', '', { attribute: 8, value: 1 })]));
    const rescaled = new SampleBuilder(
      group(1, 200, [tag('a', '1', { decimal: 2 }), tag('s', '', { attribute: 8, value: 9 })]),
      first,
    );
    expect(rescaled.points).to.equal(first.points);
    const moved = new SampleBuilder(group(1, 200, [tag('a', '2')]), rescaled);
    expect(moved.points).not.to.equal(first.points);
    expect(moved.points).to.be.frozen;
  });

  it('puts no mark on samples of a group without SUBSCRIBE tags', () => {
    const sample: Sample = new SampleBuilder(group(1, 100, [tag('a', '')])).build([1], 0);
    expect(sample.report).to.equal(undefined);
  });

  it('marks SUBSCRIBE tags only when they changed, others always', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { attribute: 4 }), tag('b', '')]));
    expect(reports(builder, [1, 1], [1, 1], [2, 1], [2, 1])).to.deep.equal(['11', '01', '11', '01']);
  });

  it('takes every error for a change, and the value after it', () => {
    const builder = new SampleBuilder(group(1, 100, [tag('a', '', { attribute: 4 })]));
    expect(reports(builder, [1], [faulty], [faulty], [1], [1])).to.deep.equal(['1', '1', '1', '1', '0']);
  });

  it('compares floats by their precision, with the value last reported, so that a slow drift shows', () => {
    const builder = new SampleBuilder(
      group(1, 100, [tag('a', '', { attribute: 4, type: DataType.DOUBLE, precision: 1 })]),
    );
    expect(reports(builder, [1], [1.06], [1.12], [1.18], [1.18])).to.deep.equal(['1', '0', '1', '0', '0']);
  });

  it('compares 64-bit integers, strings and bytes by content', () => {
    const types = [DataType.UINT64, DataType.STRING, DataType.BYTES];
    const builder = new SampleBuilder(
      group(
        1,
        100,
        types.map((type, index) => tag(`t${index}`, '', { type, attribute: 4 })),
      ),
    );
    const bytes = (...of: number[]): Uint8Array => Uint8Array.from(of);
    expect(
      reports(
        builder,
        [2n ** 63n, 'a', bytes(1)],
        [2n ** 63n, 'a', bytes(1)],
        [2n ** 63n + 1n, 'b', bytes(2)],
      ),
    ).to.deep.equal(['111', '000', '111']);
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
    const { faults, numbers } = builder.build([Infinity, 1e300, 5, true], 0);
    expect([...faults]).to.deep.equal([
      ...[0, ErrorCode.VALUE_EXPIRED],
      ...[1, ErrorCode.VALUE_EXPIRED],
      ...[2, ErrorCode.TYPE_MISMATCH],
    ]);
    expect(numbers[2]).to.equal(1);
  });
});
