import { expect } from 'chai';
import { systemClock } from '@tagway/sdk/internal';
import { Exclusive } from '../../src/internal/runner/exclusive.ts';
import { Requests } from '../../src/internal/channel/requests.ts';
import { refusalOf, settled } from './harness.ts';
import { VirtualClock } from './virtual-clock.ts';

const reason = new Error('The node was stopped.');

for (const [name, clock] of [
  ['system', systemClock],
  ['virtual', new VirtualClock()],
] as const)
  describe(`clock.sleep of the ${name} clock`, () => {
    it("rejects with the signal's own reason, before it begins and while it lasts", async () => {
      expect(await refusalOf(clock.sleep(60_000, AbortSignal.abort(reason)))).to.equal(reason);
      const controller = new AbortController();
      const slept = refusalOf(clock.sleep(60_000, controller.signal));
      controller.abort(reason);
      expect(await slept).to.equal(reason);
    });

    it('resolves after its time, whatever becomes of the signal afterwards', async () => {
      const controller = new AbortController();
      const slept = clock.sleep(5, controller.signal);
      if (clock instanceof VirtualClock) clock.advance(5);
      await slept;
      controller.abort(reason);
    });
  });

describe('exclusive work', () => {
  it('is done one after another per key, in the order of asking, also after a failure', async () => {
    const exclusive = new Exclusive();
    const order: string[] = [];
    const work =
      (name: string, fails = false) =>
      async () => {
        order.push(`${name} begins`);
        await settled();
        order.push(`${name} ends`);
        if (fails) throw reason;
      };
    const first = refusalOf(exclusive.run('port', work('a', true)));
    await Promise.all([first, exclusive.run('port', work('b')), exclusive.run('other', work('c'))]);
    expect(await first).to.equal(reason);
    expect(order.filter((line) => !line.startsWith('c'))).to.deep.equal([
      ...['a begins', 'a ends', 'b begins', 'b ends'],
    ]);
    expect(order.indexOf('c begins')).to.be.lessThan(order.indexOf('a ends'));
  });

  it('rejects with the reason of a signal that aborts before the turn has come, at once, and is then never done', async () => {
    const exclusive = new Exclusive();
    const held = Promise.withResolvers<void>();
    const first = exclusive.run('port', () => held.promise);
    const controller = new AbortController();
    let begun = 0;
    const work = async (): Promise<void> => {
      begun++;
    };
    const waiting = refusalOf(exclusive.run('port', work, controller.signal));
    const late = refusalOf(exclusive.run('port', work, AbortSignal.abort(reason)));
    const last = exclusive.run('port', work);
    controller.abort(reason);
    expect(await waiting).to.equal(reason);
    expect(await late).to.equal(reason);
    held.resolve();
    await Promise.all([first, last]);
    expect(begun).to.equal(1);
  });

  it('goes on to its end when the signal aborts during it', async () => {
    const exclusive = new Exclusive();
    const controller = new AbortController();
    const work = async (): Promise<string> => {
      controller.abort(reason);
      await settled();
      return 'done';
    };
    const first = exclusive.run('port', settled);
    expect(await exclusive.run('port', work, controller.signal)).to.equal('done');
    await first;
  });
});

describe('requests to the other side', () => {
  it('that cannot be sent reject at once and leave nothing behind', async () => {
    const requests = new Requests();
    const refusal = await refusalOf(
      requests.ask(
        60_000,
        () => {
          throw reason;
        },
        'read',
      ),
    );
    expect(refusal).to.equal(reason);
    // A deadline that is still armed would keep the process of this test alive.
    requests.settle({ op: 'answer', id: 1, value: 1 });
  });

  it('reject with the reason of their signal, and a late answer is dropped', async () => {
    const requests = new Requests();
    const controller = new AbortController();
    const asked = refusalOf(requests.ask(60_000, () => undefined, 'read', controller.signal));
    controller.abort(reason);
    expect(await asked).to.equal(reason);
    requests.settle({ op: 'answer', id: 1, value: 1 });
    const never = requests.ask(60_000, () => undefined, 'read', AbortSignal.abort(reason));
    expect(await refusalOf(never)).to.equal(reason);
  });
});
