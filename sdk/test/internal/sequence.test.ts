import { join } from 'node:path';
import { expect } from 'chai';
import type { Form, RunnerHarness } from '@tagway/sdk/harness';
import type { FromRunner } from '@tagway/sdk/internal';
import { isLog, openLine } from './harness.ts';

/** What the node has logged so far that is more than a detail. */
function said({ received }: RunnerHarness): string[] {
  return received.flatMap((message) =>
    message.op === 'log' && message.level === 'notice' ? [message.message] : [],
  );
}

function begin(runner: RunnerHarness, settings: object, more: object = {}): Promise<unknown> {
  const dataDir = join(runner.folder, '1');
  return runner.ask({
    op: 'start',
    node: 1,
    name: 'counter',
    settings: { ...settings },
    dataDir,
    level: 'debug',
    ...more,
  });
}

const isTailed = (message: FromRunner): boolean => message.op === 'tailed';

for (const form of ['inline', 'forked'] as readonly Form[]) {
  describe(`what outlives a run, ${form}`, () => {
    it('a sequence goes on where the run before ended, and each node has its own', async () => {
      await using runner = await openLine(form, 'counter');
      for (const node of [1, 1, 2]) {
        await runner.start(node);
        await runner.ask({ op: 'stop', node });
      }
      expect(said(runner).filter((text) => text.startsWith('number'))).to.deep.equal(
        [1, 2, 3, 4, 1, 2].map((number) => `number ${number} of none`),
      );
    });

    it('a sequence begins with the least number that is asked for, and a pair has an id for the node', async () => {
      await using runner = await openLine(form, 'counter');
      await begin(runner, { least: 201 }, { pairId: '00112233aabbccdd' });
      expect(said(runner).slice(0, 2)).to.deep.equal(
        [201, 202].map((number) => `number ${number} of 00112233aabbccdd`),
      );
    });

    it('a least number that is none is refused with a sentence', async () => {
      await using runner = await openLine(form, 'counter');
      await runner.start(1, { least: -1 });
      expect(said(runner)[0]).to.equal('refused: The least number of a sequence is a whole number, not -1.');
    });

    it('a tail is not started, gets no subscriptions, and ends by itself', async () => {
      await using runner = await openLine(form, 'counter');
      expect(await begin(runner, { tail: 20 }, { mode: 'tail' })).to.equal(true);
      await runner.next(isTailed);
      expect(said(runner)).to.deep.equal(['tail', 'stop']);
    });

    it('a tail that fails is tried again', async () => {
      await using runner = await openLine(form, 'counter');
      await begin(runner, { tail: 20, failsOnce: true }, { mode: 'tail' });
      await runner.next(isTailed);
      expect(said(runner)).to.deep.equal(['tail', 'stop', 'tail', 'stop']);
    });

    it('an app without a tail ends at once', async () => {
      await using runner = await openLine(form, 'counter');
      await begin(runner, {}, { mode: 'tail' });
      await runner.next(isTailed);
      expect(said(runner)).to.deep.equal([]);
    });

    it('a start cuts a tail that is under way, and follows it', async () => {
      await using runner = await openLine(form, 'counter');
      await begin(runner, { tail: 60_000 }, { mode: 'tail' });
      await runner.next(isLog('tail'));
      await begin(runner, {});
      await runner.next(isLog('0 subscriptions'));
      expect(said(runner)).to.deep.equal([
        ...['tail', 'stop', 'tail cut', 'number 1 of none', 'number 2 of none', '0 subscriptions'],
      ]);
      expect(runner.received.some(isTailed)).to.equal(false);
    });
  });
}
