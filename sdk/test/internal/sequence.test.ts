import { join } from 'node:path';
import { expect } from 'chai';
import type { Form, FromRunner, Line } from '@tagway/sdk/internal';
import { isLog, openLine } from './harness.ts';

/** What the node has logged so far that is more than a detail. */
function told({ received }: Line): string[] {
  return received.flatMap((message) =>
    message.op === 'log' && message.level === 'notice' ? [message.message] : [],
  );
}

function begin(line: Line, settings: object, more: object = {}): Promise<unknown> {
  const dataDir = join(line.folder, '1');
  return line.ask({
    ...{ op: 'start', node: 1, name: 'counter', settings: { ...settings }, dataDir, level: 'debug' },
    ...more,
  });
}

const isTailed = (message: FromRunner): boolean => message.op === 'tailed';

for (const form of ['inline', 'forked'] as readonly Form[]) {
  describe(`what outlives a run, ${form}`, () => {
    it('a sequence goes on where the run before ended, and each node has its own', async () => {
      await using line = await openLine(form, 'counter');
      for (const node of [1, 1, 2]) {
        await line.start(node);
        await line.ask({ op: 'stop', node });
      }
      expect(told(line).filter((text) => text.startsWith('number'))).to.deep.equal(
        [1, 2, 3, 4, 1, 2].map((number) => `number ${number} of none`),
      );
    });

    it('a sequence begins with the least number that is asked for, and a pair has an id for the node', async () => {
      await using line = await openLine(form, 'counter');
      await begin(line, { least: 201 }, { pairId: '00112233aabbccdd' });
      expect(told(line).slice(0, 2)).to.deep.equal(
        [201, 202].map((number) => `number ${number} of 00112233aabbccdd`),
      );
    });

    it('a least number that is none is refused with a sentence', async () => {
      await using line = await openLine(form, 'counter');
      await line.start(1, { least: -1 });
      expect(told(line)[0]).to.equal('refused: The least number of a sequence is a whole number, not -1.');
    });

    it('a tail is neither started nor told of subscriptions, and ends by itself', async () => {
      await using line = await openLine(form, 'counter');
      expect(await begin(line, { tail: 20 }, { mode: 'tail' })).to.equal(true);
      await line.next(isTailed);
      expect(told(line)).to.deep.equal(['tail', 'stop']);
    });

    it('a tail that fails is tried again', async () => {
      await using line = await openLine(form, 'counter');
      await begin(line, { tail: 20, failsOnce: true }, { mode: 'tail' });
      await line.next(isTailed);
      expect(told(line)).to.deep.equal(['tail', 'stop', 'tail', 'stop']);
    });

    it('an app without a tail ends at once', async () => {
      await using line = await openLine(form, 'counter');
      await begin(line, {}, { mode: 'tail' });
      await line.next(isTailed);
      expect(told(line)).to.deep.equal([]);
    });

    it('a start cuts a tail that is under way, and follows it', async () => {
      await using line = await openLine(form, 'counter');
      await begin(line, { tail: 60_000 }, { mode: 'tail' });
      await line.next(isLog('tail'));
      await begin(line, {});
      await line.next(isLog('0 subscriptions'));
      expect(told(line)).to.deep.equal([
        ...['tail', 'stop', 'tail cut', 'number 1 of none', 'number 2 of none', '0 subscriptions'],
      ]);
      expect(line.received.some(isTailed)).to.equal(false);
    });
  });
}
