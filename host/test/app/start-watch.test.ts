import { expect } from 'chai';
import { StartWatch } from '../../src/app/start-watch.ts';
import { setTimeout as delay } from 'node:timers/promises';

const never = new Promise<never>(() => undefined);

describe('a start', () => {
  it('that waits says once what for, and gives up with a sentence', async () => {
    const reported: string[] = [];
    const watch = new StartWatch((sentence) => reported.push(sentence), { noticeAfter: 30, deadline: 200 });
    watch.waitsFor('the settings of the node "x"');
    const error = await watch.over(never).catch((reason: unknown) => reason);
    expect(reported).to.deep.equal(['The start waits for the settings of the node "x".']);
    expect(error)
      .to.be.instanceOf(Error)
      .with.property('message')
      .that.matches(
        /^The gateway did not start: for \d+ seconds it has waited for the settings of the node "x"\. /,
      );
  });

  it('that goes on from step to step has the bound for each of them', async () => {
    const reported: string[] = [];
    const watch = new StartWatch((sentence) => reported.push(sentence), { noticeAfter: 500, deadline: 1000 });
    const steps = async (): Promise<string> => {
      for (let step = 0; step < 6; step++) {
        watch.waitsFor(`step ${step}`);
        await delay(200);
      }
      return 'done';
    };
    expect(await watch.over(steps())).to.equal('done');
    expect(reported).to.deep.equal([]);
  });

  it('that fails by itself fails with its own reason', async () => {
    const watch = new StartWatch(() => undefined, { noticeAfter: 30, deadline: 200 });
    const error = await watch.over(Promise.reject(new Error('The disk is full.'))).catch(String);
    expect(error).to.equal('Error: The disk is full.');
  });
});
