import { expect } from 'chai';
import { Attribute, ErrorCode, LinkState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { deadlines } from '@tagway/sdk/internal';
import { group, settled, tag } from './harness.ts';
import { DriverStand, readAddresses, Script, shown } from './stand.ts';

const { CONNECTED, CONNECTING, DISCONNECTED } = LinkState;
const plain = [tag('a', '1'), tag('b', '2')];
const lost = `!${ErrorCode.DISCONNECTED} !${ErrorCode.DISCONNECTED}`;
const onChange = { attribute: Attribute.SUBSCRIBE };

/** What was sent since the last time: states of the link and samples, in order. */
function told(stand: DriverStand): string[] {
  return stand.sent.splice(0).flatMap((message) => {
    if (message.op === 'link') return [`link ${message.link}`];
    if (message.op !== 'sample') return [];
    const { rows, numbers, faults } = message.sample;
    const kind = rows ? 'events' : 'sample';
    return [faults.length > 0 ? `${kind} failed ${faults[1]}` : `${kind} ${numbers.join(' ')}`];
  });
}

describe('the link of a driver', () => {
  it('that is lost gives every group one faulted sample at once, and with the reason', async () => {
    await using stand = await DriverStand.of({ read: readAddresses }, [
      group(1, 20_000, plain),
      group(2, 20_000, plain),
    ]);
    stand.link(CONNECTED);
    await stand.pass(2000);
    stand.samples();
    stand.link(DISCONNECTED, { reason: 'The station does not answer.' });
    const samples = stand.samples();
    expect(samples.map((sample) => shown(sample))).to.deep.equal([lost, lost]);
    expect(samples[0]?.reasons?.texts).to.deep.equal(['The station does not answer.']);
  });

  it('that returns has every group read at once, pushed ones too, which count from their next report', async () => {
    const script = new Script();
    await using stand = await DriverStand.of({ ...script.pushing, read: readAddresses }, [
      group(1, 20_000, plain),
    ]);
    stand.link(CONNECTED);
    script.push(8, 9);
    await stand.pass(2000);
    stand.link(DISCONNECTED);
    stand.samples();
    await stand.pass(1000);
    stand.link(CONNECTED);
    await settled();
    const ready = `!${ErrorCode.NOT_READY}`;
    expect(stand.samples().map((sample) => shown(sample))).to.deep.equal([`${ready} ${ready}`]);
    script.push(8);
    await stand.pass(20_000);
    expect(stand.samples().map((sample) => shown(sample))).to.deep.equal([`8 ${ready}`]);
  });

  it('that comes up for the first time has those groups read at once that failed before it', async () => {
    let isThere = false;
    let reads = 0;
    await using stand = await DriverStand.of(
      {
        async read(points, into) {
          reads++;
          if (!isThere) throw new Fault(ErrorCode.DISCONNECTED);
          await readAddresses(points, into);
        },
      },
      [group(1, 20_000, plain)],
    );
    await stand.pass(2000);
    isThere = true;
    stand.samples();
    stand.link(CONNECTING);
    stand.link(CONNECTED);
    await settled();
    expect(stand.samples().map((sample) => shown(sample))).to.deep.equal(['1 2']);
    expect(reads).to.equal(2);
  });

  it('that flaps within the reads of a driver does not make them follow each other without a pause', async () => {
    let reads = 0;
    await using stand = await DriverStand.of(
      {
        async read() {
          expect(++reads).to.be.lessThan(100);
          stand.link(CONNECTED);
          await Promise.resolve();
          stand.link(DISCONNECTED);
          throw new Fault(ErrorCode.DISCONNECTED);
        },
      },
      [group(1, 20_000, plain), group(2, 20_000, plain)],
    );
    await stand.pass(10_000);
    expect(reads).to.be.within(3, 25);
  });

  it('is told in order with samples: CONNECTED before the first good one, DISCONNECTED before the first faulted one, and a flap stays', async () => {
    await using stand = await DriverStand.of({ read: readAddresses }, [group(1, 1000, plain)], {
      window: 100,
    });
    stand.link(CONNECTED);
    await stand.pass(2000);
    stand.link(DISCONNECTED);
    stand.link(CONNECTED);
    stand.link(DISCONNECTED);
    await settled();
    for (let round = 0; round < 20; round++) stand.take();
    expect(told(stand)).to.deep.equal([
      ...[`link ${CONNECTED}`, 'sample 1 2', 'sample 1 2'],
      ...[`link ${DISCONNECTED}`, `sample failed ${ErrorCode.DISCONNECTED}`],
      ...[`link ${CONNECTED}`],
      ...[`link ${DISCONNECTED}`, `sample failed ${ErrorCode.DISCONNECTED}`],
      ...['sample 1 2'],
    ]);
  });

  it('that is lost is told after the events that were gathered before it', async () => {
    const script = new Script();
    await using stand = await DriverStand.of(script.pushing, [group(1, 20_000, [tag('a', '', onChange)])]);
    stand.link(CONNECTED);
    script.push(0);
    await stand.pass(20, 5);
    told(stand);
    script.push(1);
    stand.link(DISCONNECTED);
    await stand.pass(100, 5);
    expect(told(stand)).to.deep.equal([
      'events 1',
      `link ${DISCONNECTED}`,
      `sample failed ${ErrorCode.DISCONNECTED}`,
    ]);
  });

  it('of a part is passed on and leaves the groups alone', async () => {
    await using stand = await DriverStand.of({ read: readAddresses }, [group(1, 20_000, plain)]);
    stand.link(CONNECTED);
    await stand.pass(1000);
    stand.sent.length = 0;
    stand.link(DISCONNECTED, { part: 'meter 7', step: 'first answer', reason: 'It is silent.' });
    expect(stand.sent).to.deep.equal([
      {
        ...{ op: 'link', node: 1, link: DISCONNECTED },
        ...{ part: 'meter 7', step: 'first answer', reason: 'It is silent.' },
      },
    ]);
  });

  it('is not told again while nothing about it changes', async () => {
    await using stand = await DriverStand.of({});
    for (const reason of ['one', 'one', 'two']) stand.link(DISCONNECTED, { reason });
    stand.link(DISCONNECTED);
    expect(told(stand)).to.have.length(2);
  });
});

describe('a driver that does not start', () => {
  it('has its tags disconnected at once, and again when they change, until it runs', async () => {
    let attempts = 0;
    await using stand = await DriverStand.of(
      {
        async start() {
          if (++attempts < 3) throw new Error('The port is taken.');
        },
        read: readAddresses,
      },
      [group(1, 1000, plain)],
    );
    stand.set(group(1, 1000, [tag('c', '3')]));
    expect(stand.samples().map((sample) => shown(sample))).to.deep.equal([
      lost,
      `!${ErrorCode.DISCONNECTED}`,
    ]);
    await stand.pass(6000);
    expect(attempts).to.equal(3);
    expect(stand.samples().some((sample) => shown(sample) === '3')).to.equal(true);
  });

  it('in time is given up, with a reason for its signal', async () => {
    const reasons: unknown[] = [];
    const stand = new DriverStand({
      start: () => {
        stand.context.signal.addEventListener('abort', () => reasons.push(stand.context.signal.reason));
        return new Promise(() => undefined);
      },
    });
    await using _stand = stand;
    const started = stand.node.start();
    await stand.pass(deadlines.start + deadlines.abort + 1000);
    expect(await started).to.equal(false);
    expect(reasons[0]).to.have.property('code', ErrorCode.NO_RESPONSE);
  });
});
