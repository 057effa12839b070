import { expect } from 'chai';
import { disturbed, settle } from './again.mjs';

describe('a second run of tests that failed', () => {
  const job = (title) => ({ title, counts: true, needs: undefined });
  const good = (title) => ({ title, isGood: true, failed: 0 });
  const bad = (title) => ({ title, isGood: false, failed: 1 });
  const jobs = ['a', 'b', 'c', 'd', 'e'].map(job);

  it('is for those that failed beside others', () => {
    expect(disturbed(jobs, [good('a'), bad('b'), good('c')])).to.deep.equal([job('b')]);
    const built = [{ ...job('b'), needs: job('build') }];
    expect(disturbed(built, [good('a'), bad('b')]), 'without what is done').to.deep.equal([job('b')]);
    expect(disturbed(jobs, [good('a'), good('b')])).to.deep.equal([]);
    expect(disturbed(jobs, [bad('a')]), 'alone as it was').to.deep.equal([]);
  });

  it('is not for many, nor beside a check or a build that failed', () => {
    expect(disturbed(jobs, ['a', 'b', 'c', 'd'].map(bad))).to.deep.equal([]);
    expect(disturbed([...jobs, { title: 'lint' }], [bad('a'), bad('lint')])).to.deep.equal([]);
  });

  it('decides', () => {
    const first = [bad('a'), bad('b'), good('c')];
    const second = [good('a'), bad('b')];
    expect(settle(first, second)).to.deep.equal([good('a'), bad('b'), good('c')]);
  });
});
