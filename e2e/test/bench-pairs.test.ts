import { expect } from 'chai';
import { pairTable, pairUp, spreadOf, verdictOn } from '../bench/pairs.ts';
import { Report } from '../bench/report.ts';

const cost = { unit: 'ms' };
const rate = { unit: 'requests/s' };

/** One report per value, each with the one figure "time". */
function reportsOf(values: readonly number[]): Report[] {
  return values.map((value) => {
    const report = new Report();
    report.add('start', 'time', value, 'ms');
    return report;
  });
}

describe('the benchmark of two gateways in turns', () => {
  it('takes the least and the greatest of seven ratios as their spread, and cuts off one at each end of nine', () => {
    expect(spreadOf([1.2, 0.9, 1, 1.1, 1.05, 0.95, 1.3])).to.deep.equal({ from: 0.9, to: 1.3 });
    expect(spreadOf([9, 8, 7, 6, 5, 4, 3, 2, 1])).to.deep.equal({ from: 2, to: 8 });
  });

  it('calls a cost worse and a rate better when all seven ratios are above one', () => {
    const above = [1.1, 1.2, 1.01, 1.3, 1.1, 1.2, 1.4];
    expect(verdictOn(cost, above)).to.equal('worse');
    expect(verdictOn(rate, above)).to.equal('better');
    expect(verdictOn(cost, [...above.slice(1), 0.99])).to.equal('');
  });

  it('decides nothing on five pairs', () => {
    expect(verdictOn(cost, [2, 2, 2, 2, 2])).to.equal('');
    expect(pairTable(pairUp(reportsOf([2, 2]), reportsOf([1, 1])))).to.include('do not tell');
  });

  it('compares each pair by itself, so that a machine that slows down changes no ratio', () => {
    const table = pairTable(pairUp(reportsOf([2, 4, 6, 8, 10, 12, 14]), reportsOf([1, 2, 3, 4, 5, 6, 7])));
    expect(table).to.match(/start +time +8 +4 +ms +2\.000 +2\.000 … 2\.000 +worse/);
  });

  it('leaves out a figure that one side has not', () => {
    const here = reportsOf([1]);
    here[0]?.add('start', 'memory', 5, 'MB');
    expect(pairUp(here, reportsOf([1])).map(({ figure }) => figure)).to.deep.equal(['time']);
  });
});
