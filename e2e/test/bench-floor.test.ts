import { expect } from 'chai';
import { besideFloor, measureBesideFloor } from '../bench/floor.ts';
import { Report } from '../bench/report.ts';

/**
 * The ratio was 3.55 to 3.62 in three runs with fifteen processes that wanted two cores: both sides do the same at the same time, and what counts is
 * the time they take of a core. A quick run watches a gateway that has just started; a warm one takes half as much. The bound is about twice
 * that, so what goes beyond it is the gateway's doing.
 */
const most = 7;

describe('the cost of a value', () => {
  it(`is at most ${most} times that of a process that does the same without a gateway, at the same time`, async () => {
    const report = new Report();
    await using stack = new AsyncDisposableStack();
    await measureBesideFloor({ report, quick: true, stack });
    expect(report.valueOf(besideFloor.name, besideFloor.ratio), report.table()).to.be.at.most(most);
  });
});
