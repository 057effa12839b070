// The order in which jobs start: what runs beside what, seen in the starts and ends of jobs that a test ends by hand.
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { schedule } from './schedule.mjs';

/** Starts a schedule of jobs that run until `end` names them; `running` holds the names of those that do. */
function stand(jobs, places) {
  const ends = new Map();
  const all = schedule(
    jobs,
    places,
    (job) =>
      new Promise((resolve) => ends.set(job.name, () => resolve({ name: job.name, isGood: !job.isBad }))),
  );
  const end = async (name) => {
    ends.get(name)();
    ends.delete(name);
    await setImmediate();
  };
  return { end, running: () => [...ends.keys()], all };
}

describe('the schedule of jobs', () => {
  it('fills a place as soon as it is free, in the order of the list', async () => {
    const { end, running } = stand([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }], {
      width: 2,
    });
    expect(running()).to.deep.equal(['a', 'b']);
    await end('b');
    expect(running()).to.deep.equal(['a', 'c']);
    await end('c');
    expect(running()).to.deep.equal(['a', 'd']);
  });

  it('passes heavy jobs by while there are enough of them', async () => {
    const heavy = ['a', 'b'].map((name) => ({ name, isHeavy: true }));
    const { end, running } = stand([...heavy, { name: 'c' }, { name: 'd' }], { width: 3, heavy: 1 });
    expect(running()).to.deep.equal(['a', 'c', 'd']);
    await end('c');
    expect(running()).to.deep.equal(['a', 'd']);
    await end('a');
    expect(running()).to.deep.equal(['d', 'b']);
  });

  it('starts what needs another job after it, and never when that failed', async () => {
    const [good, bad] = [{ name: 'good' }, { name: 'bad', isBad: true }];
    const jobs = [{ name: 'after good', needs: good }, { name: 'after bad', needs: bad }, good, bad];
    const { end, running, all } = stand(jobs, { width: 4 });
    expect(running()).to.deep.equal(['good', 'bad']);
    await end('bad');
    await end('good');
    expect(running()).to.deep.equal(['after good']);
    await end('after good');
    expect((await all).map(({ name }) => name)).to.deep.equal(['bad', 'good', 'after good']);
  });

  it('keeps a job alone for the end, with nothing beside it', async () => {
    const jobs = [{ name: 'one', alone: true }, { name: 'other', alone: true }, { name: 'a' }, { name: 'b' }];
    const { end, running } = stand(jobs, { width: 2 });
    expect(running()).to.deep.equal(['a', 'b']);
    await end('a');
    expect(running()).to.deep.equal(['b']);
    await end('b');
    expect(running()).to.deep.equal(['one']);
    await end('one');
    expect(running()).to.deep.equal(['other']);
  });

  it('says when jobs wait for one that is not among them', async () => {
    const { all } = stand([{ name: 'a', needs: { name: 'b' } }], { width: 1 });
    const failure = await all.then(
      () => undefined,
      (error) => error,
    );
    expect(failure?.message).to.contain('not among them');
  });
});
