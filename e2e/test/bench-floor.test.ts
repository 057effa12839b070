import { expect } from 'chai';
import { besideFloor, measureBesideFloor } from '../bench/floor.ts';
import { Report } from '../bench/report.ts';

/**
 * The ratio was 1.6 to 2 on two cores, with and without six busy loops beside it: both sides do the same at the same time, and what counts is
 * the time they take of a core. Twice that is a gateway that costs as much again, and no noise.
 */
const most = 4;

describe('the cost of a value', () => {
  it(`is at most ${most} times that of a process that does the same without a gateway, at the same time`, async () => {
    const report = new Report();
    await measureBesideFloor({ report, quick: true });
    expect(report.valueOf(besideFloor.name, besideFloor.ratio), report.table()).to.be.at.most(most);
  });
});
