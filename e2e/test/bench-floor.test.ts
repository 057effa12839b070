import { expect } from 'chai';
import { besideFloor, measureBesideFloor } from '../bench/floor.ts';
import { Report } from '../bench/report.ts';

/**
 * The ratio was 1.6 to 2 on two cores that had little else to do or six busy loops beside it, and 1.8 to 2.7 with thirty processes that wanted
 * them: both sides do the same at the same time, and what counts is the time they take of a core. The bound is about twice the worst of
 * these, so what goes beyond it is the gateway's doing.
 */
const most = 5;

describe('the cost of a value', () => {
  it(`is at most ${most} times that of a process that does the same without a gateway, at the same time`, async () => {
    const report = new Report();
    await using stack = new AsyncDisposableStack();
    await measureBesideFloor({ report, quick: true, stack });
    expect(report.valueOf(besideFloor.name, besideFloor.ratio), report.table()).to.be.at.most(most);
  });
});
