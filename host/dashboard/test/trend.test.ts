import type { HistoryReply } from '@tagway/schemas';
import { expect } from 'chai';
import { curveOf, joinCurve } from '../src/values/trend-curve.ts';

const reply = (more: Partial<HistoryReply>): HistoryReply => ({
  from: 10_000,
  to: 50_000,
  times: [10_000, 20_000, 30_000, 40_000],
  ...more,
});

describe('the curve of a history', () => {
  it('has the buckets with values, by the clock of this computer, and begins with what held before', () => {
    const buckets = {
      before: { time: 9000, value: 3 },
      count: [0, 2, 0, 1],
      mean: [null, 5, null, 7],
      min: [null, 4, null, 7],
      max: [null, 6, null, 7],
    };
    expect(curveOf(reply(buckets), 1000)).to.deep.equal({
      times: [9, 19, 39],
      values: [3, 5, 7],
      low: [3, 4, 7],
      high: [3, 6, 7],
    });
  });

  it('has a gap from an error to the next value', () => {
    const buckets = {
      before: { time: 9000, value: null, error: 3002 },
      count: [0, 2, 0, 1],
      errors: [0, 3002, 0, 0],
      mean: [null, 5, null, 7],
      min: [null, 5, null, 7],
      max: [null, 5, null, 7],
    };
    const { times, values } = curveOf(reply(buckets), 0);
    expect(times).to.deep.equal([10, 20, 25, 40]);
    expect(values).to.deep.equal([null, 5, null, 7]);
  });

  it('goes on with what has come since, and what has come counts', () => {
    const history = { times: [1, 2, 3, 4], values: [1, 2, 3, 4], low: [0, 1, 2, 3], high: [2, 3, 4, 5] };
    const live = [
      [3, 3.5],
      [30, null],
    ] as const;
    expect(joinCurve(history, live)).to.deep.equal({
      times: [1, 2, 3, 3.5],
      values: [1, 2, 30, null],
      low: [0, 1, 30, null],
      high: [2, 3, 30, null],
    });
    expect(joinCurve(history, [[], []])).to.deep.equal(history);
  });
});
