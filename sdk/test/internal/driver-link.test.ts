import { expect } from 'chai';
import { Attribute, ErrorCode, LinkState } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { deadlines } from '@tagway/sdk/internal';
import { group, settled, tag } from './harness.ts';
import { DriverFixture, readAddresses, Script, shown } from './fixture.ts';

const { CONNECTED, CONNECTING, DISCONNECTED } = LinkState;
const plain = [tag('a', '1'), tag('b', '2')];
const lost = `!${ErrorCode.DISCONNECTED} !${ErrorCode.DISCONNECTED}`;
const onChange = { attribute: Attribute.SUBSCRIBE };

/** What was sent since the last time: states of the link and samples, in order. */
function said(fixture: DriverFixture): string[] {
  return fixture.sent.splice(0).flatMap((message) => {
    if (message.op === 'link') return [`link ${message.link}`];
    if (message.op !== 'sample') return [];
    const { rows, numbers, faults } = message.sample;
    const kind = rows ? 'events' : 'sample';
    return [faults.length > 0 ? `${kind} failed ${faults[1]}` : `${kind} ${numbers.join(' ')}`];
  });
}

describe('the link of a driver', () => {
  it('that is lost gives every group one faulted sample at once, and with the reason', async () => {
    await using fixture = await DriverFixture.of({ read: readAddresses }, [
      group(1, 20_000, plain),
      group(2, 20_000, plain),
    ]);
    fixture.link(CONNECTED);
    await fixture.pass(2000);
    fixture.samples();
    fixture.link(DISCONNECTED, { reason: 'The station does not answer.' });
    const samples = fixture.samples();
    expect(samples.map((sample) => shown(sample))).to.deep.equal([lost, lost]);
    expect(samples[0]?.reasons?.texts).to.deep.equal(['The station does not answer.']);
  });

  it('that returns has every group read at once, pushed ones too, which count from their next report', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of({ ...script.pushing, read: readAddresses }, [
      group(1, 20_000, plain),
    ]);
    fixture.link(CONNECTED);
    script.push(8, 9);
    await fixture.pass(2000);
    fixture.link(DISCONNECTED);
    fixture.samples();
    await fixture.pass(1000);
    fixture.link(CONNECTED);
    await settled();
    const ready = `!${ErrorCode.NOT_READY}`;
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal([`${ready} ${ready}`]);
    script.push(8);
    await fixture.pass(20_000);
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal([`8 ${ready}`]);
  });

  it('that comes up for the first time has those groups read at once that failed before it', async () => {
    let isThere = false;
    let reads = 0;
    await using fixture = await DriverFixture.of(
      {
        async read(points, into) {
          reads++;
          if (!isThere) throw new Fault(ErrorCode.DISCONNECTED);
          await readAddresses(points, into);
        },
      },
      [group(1, 20_000, plain)],
    );
    await fixture.pass(2000);
    isThere = true;
    fixture.samples();
    fixture.link(CONNECTING);
    fixture.link(CONNECTED);
    await settled();
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal(['1 2']);
    expect(reads).to.equal(2);
  });

  it('that flaps within the reads of a driver does not make them follow each other without a pause', async () => {
    let reads = 0;
    await using fixture = await DriverFixture.of(
      {
        async read() {
          expect(++reads).to.be.lessThan(100);
          fixture.link(CONNECTED);
          await Promise.resolve();
          fixture.link(DISCONNECTED);
          throw new Fault(ErrorCode.DISCONNECTED);
        },
      },
      [group(1, 20_000, plain), group(2, 20_000, plain)],
    );
    await fixture.pass(10_000);
    expect(reads).to.be.within(3, 25);
  });

  it('is reported in order with samples: CONNECTED before the first good one, DISCONNECTED before the first faulted one, and a flap stays', async () => {
    await using fixture = await DriverFixture.of({ read: readAddresses }, [group(1, 1000, plain)], {
      window: 100,
    });
    fixture.link(CONNECTED);
    await fixture.pass(2000);
    fixture.link(DISCONNECTED);
    fixture.link(CONNECTED);
    fixture.link(DISCONNECTED);
    await settled();
    for (let round = 0; round < 20; round++) fixture.take();
    expect(said(fixture)).to.deep.equal([
      ...[`link ${CONNECTED}`, 'sample 1 2', 'sample 1 2'],
      ...[`link ${DISCONNECTED}`, `sample failed ${ErrorCode.DISCONNECTED}`],
      ...[`link ${CONNECTED}`],
      ...[`link ${DISCONNECTED}`, `sample failed ${ErrorCode.DISCONNECTED}`],
      ...['sample 1 2'],
    ]);
  });

  it('that is lost is reported after the events that were gathered before it', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.pushing, [
      group(1, 20_000, [tag('a', '', onChange)]),
    ]);
    fixture.link(CONNECTED);
    script.push(0);
    await fixture.pass(20, 5);
    said(fixture);
    script.push(1);
    fixture.link(DISCONNECTED);
    await fixture.pass(100, 5);
    expect(said(fixture)).to.deep.equal([
      'events 1',
      `link ${DISCONNECTED}`,
      `sample failed ${ErrorCode.DISCONNECTED}`,
    ]);
  });

  it('of a part is passed on and leaves the groups alone', async () => {
    await using fixture = await DriverFixture.of({ read: readAddresses }, [group(1, 20_000, plain)]);
    fixture.link(CONNECTED);
    await fixture.pass(1000);
    fixture.sent.length = 0;
    fixture.link(DISCONNECTED, { part: 'meter 7', step: 'first answer', reason: 'It is silent.' });
    expect(fixture.sent).to.deep.equal([
      {
        op: 'link',
        node: 1,
        link: DISCONNECTED,
        part: 'meter 7',
        step: 'first answer',
        reason: 'It is silent.',
      },
    ]);
  });

  it('is not reported again while nothing about it changes', async () => {
    await using fixture = await DriverFixture.of({});
    for (const reason of ['one', 'one', 'two']) fixture.link(DISCONNECTED, { reason });
    fixture.link(DISCONNECTED);
    expect(said(fixture)).to.have.length(2);
  });
});

describe('a driver that does not start', () => {
  it('has its tags disconnected at once, and again when they change, until it runs', async () => {
    let attempts = 0;
    await using fixture = await DriverFixture.of(
      {
        async start() {
          if (++attempts < 3) throw new Error('The port is taken.');
        },
        read: readAddresses,
      },
      [group(1, 1000, plain)],
    );
    fixture.set(group(1, 1000, [tag('c', '3')]));
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal([
      lost,
      `!${ErrorCode.DISCONNECTED}`,
    ]);
    await fixture.pass(6000);
    expect(attempts).to.equal(3);
    expect(fixture.samples().some((sample) => shown(sample) === '3')).to.equal(true);
  });

  it('in time is given up, with a reason for its signal', async () => {
    const reasons: unknown[] = [];
    const fixture = new DriverFixture({
      start: () => {
        fixture.context.signal.addEventListener('abort', () => reasons.push(fixture.context.signal.reason));
        return new Promise(() => undefined);
      },
    });
    await using _fixture = fixture;
    const started = fixture.node.start();
    await fixture.pass(deadlines.start + deadlines.abort + 1000);
    expect(await started).to.equal(false);
    expect(reasons[0]).to.have.property('code', ErrorCode.NO_RESPONSE);
  });
});

describe('a link that was never up', () => {
  const reasonsOf = (fixture: DriverFixture): unknown[] =>
    fixture.samples().map((sample) => [shown(sample, { all: true }), sample.reasons?.texts]);

  it('is why pushed tags have no value, with its reason, at once and at every tick', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.pushing, [group(1, 1000, plain)]);
    await fixture.pass(700);
    const notReady = `!${ErrorCode.NOT_READY} !${ErrorCode.NOT_READY}`;
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal([notReady]);
    fixture.link(DISCONNECTED, { reason: 'The server refuses the connection.' });
    expect(reasonsOf(fixture)).to.deep.equal([[lost, ['The server refuses the connection.']]]);
    await fixture.pass(1000);
    expect(reasonsOf(fixture)).to.deep.equal([[lost, ['The server refuses the connection.']]]);
    fixture.link(CONNECTING, { reason: 'The server does not answer.' });
    expect(fixture.samples(), 'another reason waits for the tick').to.deep.equal([]);
    await fixture.pass(1000);
    expect(reasonsOf(fixture)).to.deep.equal([[lost, ['The server does not answer.']]]);
    fixture.link(CONNECTING);
    await fixture.pass(1000);
    expect(reasonsOf(fixture), 'no reason is worse than an old one').to.deep.equal([
      [lost, ['The server does not answer.']],
    ]);
    fixture.link(CONNECTED);
    await settled();
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal([notReady]);
    script.push(8, 9);
    await fixture.pass(1000);
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal(['8 9']);
  });

  it('is that of tags and groups that are added meanwhile, too', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.pushing, [group(1, 1000, plain)]);
    fixture.link(DISCONNECTED, { reason: 'Nobody is there.' });
    await fixture.pass(1000);
    fixture.samples();
    fixture.set(group(2, 1000, plain));
    fixture.set(group(1, 1000, [...plain, tag('c', '3')]));
    await fixture.pass(1000);
    for (const [words, reasons] of reasonsOf(fixture) as [string, unknown][]) {
      expect(words).to.match(/^!3002( !3002)+$/);
      expect(reasons).to.deep.equal(['Nobody is there.']);
    }
  });

  it('takes nothing from tags that are pushed all the same', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.pushing, [group(1, 1000, plain)]);
    fixture.link(CONNECTING, { reason: 'One of two stations is there.' });
    script.push(8);
    fixture.link(CONNECTING, { reason: 'One of two stations does not answer.' });
    fixture.samples();
    await fixture.pass(1000);
    expect(reasonsOf(fixture)).to.deep.equal([
      [`8 !${ErrorCode.DISCONNECTED}`, ['One of two stations does not answer.']],
    ]);
  });

  it('is left to the reads of what is polled', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1000, plain)]);
    fixture.link(DISCONNECTED, { reason: 'Nobody is there.' });
    await settled();
    expect(fixture.samples()).to.deep.equal([]);
  });
});
