import { expect } from 'chai';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { Fault, type Write } from '@tagway/sdk';
import { deadlines } from '@tagway/sdk/internal';
import { group, refusalOf, settled, tag } from './harness.ts';
import { DriverFixture, readAddresses, Script, shown } from './fixture.ts';

const plain = [tag('a', '1'), tag('b', '2'), tag('c', '3')];
const gone = new Fault(ErrorCode.DISCONNECTED, 'The cable is cut.');
const writeOf = (name: string, value = 1): Write => ({ point: tag(name, name), value });

describe('calls of a driver: reads', () => {
  it('take nothing into a reading once the call has settled, and nothing of it gets into the next one', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1000, plain)]);
    await fixture.pass(1000);
    const [first] = script.reads;
    first?.into.number(0, 1);
    first?.resolve();
    await settled();
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal(['1 !3000 !3000']);
    first?.into.number(1, 99);
    first?.into.fault(0, gone);
    first?.into.stamp(0, 5, 1);
    await fixture.pass(1000);
    first?.into.number(2, 99);
    script.reads[1]?.resolve();
    await settled();
    expect(fixture.samples().map((sample) => shown(sample))).to.deep.equal(['!3000 !3000 !3000']);
  });

  it('that reject keep what was set, and the rest carries the fault (one lost deadline does not cost 40 good meters)', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1000, plain)]);
    await fixture.pass(1000);
    script.reads[0]?.into.number(0, 1);
    script.reads[0]?.into.fault(1, new Fault(ErrorCode.NO_RESPONSE));
    script.reads[0]?.reject(gone);
    await settled();
    const [sample] = fixture.samples();
    expect(sample && shown(sample)).to.equal(`1 !${ErrorCode.NO_RESPONSE} !${ErrorCode.DISCONNECTED}`);
    expect(sample?.reasons?.texts).to.include('The cable is cut.');
  });

  it('carry source times and qualities into the sample, of faults too', async () => {
    const late = new Fault(ErrorCode.NO_RESPONSE);
    await using fixture = await DriverFixture.of(
      {
        async read(_points, into) {
          into.number(0, 1);
          into.stamp(0, 1_000, 0x0001_0002);
          into.fault(1, late);
          into.stamp(1, NaN, 2);
          into.number(2, 3);
        },
      },
      [group(1, 1000, plain)],
    );
    await fixture.pass(1000);
    const [sample] = fixture.samples();
    expect([...(sample?.timestamps ?? [])]).to.deep.equal([1_000, NaN, NaN]);
    expect([...(sample?.qualities ?? [])]).to.deep.equal([0x0001_0002, 2, 0]);
  });

  it('of one group never overlap, of different groups do, and ticks meanwhile are counted', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [
      group(1, 100, plain),
      group(2, 100, [tag('a', '')]),
    ]);
    await fixture.pass(1000);
    expect(script.reads.map(({ points }) => points.length).sort()).to.deep.equal([1, 3]);
    expect(fixture.counter('missed_ticks')).to.be.within(17, 19);
    const asked = [fixture.node.poll(1), fixture.node.poll(1), fixture.node.poll(1)];
    await settled();
    expect(script.reads).to.have.length(2);
    script.reads.find(({ points }) => points.length === 3)?.resolve();
    await settled();
    expect(script.reads.at(-1)?.call.cause).to.equal('demand');
    expect(script.reads, 'one read serves all who asked before it began').to.have.length(3);
    script.reads.at(-1)?.resolve();
    await Promise.all(asked);
  });

  it('on demand are made each time that somebody asks', async () => {
    let reads = 0;
    await using fixture = await DriverFixture.of(
      {
        read: async () => {
          reads++;
        },
      },
      [group(1, 1_000_000, plain)],
    );
    for (let asked = 1; asked <= 3; asked++) {
      await fixture.node.poll(1);
      expect(reads).to.equal(asked);
      expect(fixture.samples()).to.have.length(1);
    }
  });

  it('say why they are made: poll, demand, test', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1000, plain)]);
    await fixture.pass(1000);
    script.reads[0]?.resolve();
    const asked = fixture.node.poll(1);
    await settled();
    script.reads[1]?.resolve();
    await asked;
    const tested = refusalOf(fixture.node.test({ ...tag('t', ''), attribute: Attribute.READ }));
    script.reads[2]?.resolve();
    expect(await tested).to.have.property('code', ErrorCode.READ_FAILED);
    expect(script.reads.map(({ call }) => call.cause)).to.deep.equal(['poll', 'demand', 'test']);
    expect(script.reads[0]?.points).to.equal(script.reads[1]?.points);
    expect(script.reads[0]?.points).to.be.frozen;
  });

  it('abort at their deadline, with a reason, and what was set by then stays', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1_000_000, plain)]);
    await fixture.pass(1000);
    const [read] = script.reads;
    read?.into.number(0, 1);
    read?.call.signal.addEventListener('abort', () => read.reject(read.call.signal.reason));
    await fixture.pass(deadlines.read - 2000);
    expect(fixture.samples()).to.deep.equal([]);
    await fixture.pass(2000);
    const [sample] = fixture.samples();
    expect(sample && shown(sample)).to.equal(`1 !${ErrorCode.NO_RESPONSE} !${ErrorCode.NO_RESPONSE}`);
  });

  it('that do not even settle after that cost the driver its run: it is started anew, and no later call reaches the old one', async () => {
    const scripts: Script[] = [];
    await using fixture = await DriverFixture.of(() => {
      const script = new Script();
      scripts.push(script);
      return script.polling;
    }, [group(1, 1_000_000, plain), group(2, 1_000_000, [tag('a', '')])]);
    await fixture.pass(1000);
    // The second group is asked for later, and must not wait for its own deadline.
    const asked = fixture.node.poll(2);
    scripts[0]?.reads.find(({ points }) => points.length === 1)?.resolve();
    await fixture.pass(deadlines.read - 500);
    expect(scripts).to.have.length(1);
    await fixture.pass(deadlines.abort);
    await fixture.pass(deadlines.abort);
    await asked;
    expect(scripts[0]?.stops).to.equal(1);
    expect(scripts[0]?.reads).to.have.length(3);
    await fixture.pass(3000);
    expect(scripts).to.have.length(2);
    expect(scripts[1]?.reads.length).to.be.greaterThan(0);
    expect(fixture.logged.filter((line) => line.includes('started anew'))).to.have.length(1);
  });

  it('of a group whose points change while it is read are followed by one of the new points at once', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1_000_000, plain)]);
    await fixture.pass(1000);
    fixture.set(group(1, 1_000_000, [tag('z', '26')]));
    await settled();
    expect(script.reads).to.have.length(1);
    script.reads[0]?.resolve();
    await settled();
    expect(script.reads.map(({ points }) => points.length)).to.deep.equal([3, 1]);
    expect(fixture.samples().map(({ layout }) => layout.columns.length)).to.deep.equal([3]);
  });

  it('of a removed group leave nothing behind', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1000, plain)]);
    await fixture.pass(1000);
    await fixture.node.removeGroup(1);
    script.reads[0]?.resolve();
    await fixture.pass(5000);
    expect(fixture.samples()).to.deep.equal([]);
    expect(script.reads).to.have.length(1);
  });
});

describe('calls of a driver: writes', () => {
  it('without a result are not confirmed: an empty answer is no success', async () => {
    await using fixture = await DriverFixture.of({
      async write(_writes, into) {
        into.done(1);
        into.fault(2, new Fault(10_001, 'The valve is locked.'));
      },
    });
    const failed = await fixture.node.write([writeOf('a'), writeOf('b'), writeOf('c')]);
    expect(failed.map(([index, { code }]) => [index, code])).to.deep.equal([
      [0, ErrorCode.WRITE_FAILED],
      [2, 10_001],
    ]);
  });

  it('that reject keep what was confirmed, and take nothing afterwards', async () => {
    let late: () => void = () => undefined;
    await using fixture = await DriverFixture.of({
      async write(_writes, into) {
        into.done(0);
        late = () => into.done(1);
        throw gone;
      },
    });
    const failed = await fixture.node.write([writeOf('a'), writeOf('b')]);
    late();
    expect(failed.map(([index, { code, message }]) => [index, code, message])).to.deep.equal([
      [1, ErrorCode.DISCONNECTED, 'The cable is cut.'],
    ]);
  });

  it('overlap reads and each other', async () => {
    const script = new Script();
    const begun: string[] = [];
    await using fixture = await DriverFixture.of(
      {
        ...script.polling,
        async write(writes, into) {
          begun.push(writes[0]?.point.name ?? '');
          await fixture.clock.sleep(300);
          writes.forEach((_write, index) => into.done(index));
        },
      },
      [group(1, 1000, plain)],
    );
    await fixture.pass(1000);
    expect(script.reads).to.have.length(1);
    const before = fixture.clock.monotonic();
    const writes = ['a', 'b', 'c', 'd'].map((name) => fixture.node.write([writeOf(name)]));
    await settled();
    expect(begun).to.deep.equal(['a', 'b', 'c', 'd']);
    await fixture.pass(300);
    expect(await Promise.all(writes)).to.deep.equal([[], [], [], []]);
    expect(fixture.clock.monotonic() - before).to.be.at.most(300);
  });

  it('of a driver with calls: one wait for their turn, writes first, then what somebody waits for, then polls', async () => {
    const script = new Script();
    const order: string[] = [];
    await using fixture = await DriverFixture.of(
      {
        read: (points, into, call) => {
          order.push(`${call.cause} ${points.length}`);
          return script.polling.read?.(points, into, call) as Promise<void>;
        },
        async write(writes, into) {
          order.push(`write ${writes[0]?.point.name}`);
          into.done(0);
        },
      },
      [group(1, 1000, plain), group(2, 1000, [tag('a', '')]), group(3, 1000, plain.slice(1))],
      { calls: 'one' },
    );
    await fixture.pass(1000);
    expect(order).to.have.length(1);
    const asked = fixture.node.test(tag('t', ''));
    const written = [fixture.node.write([writeOf('a')]), fixture.node.write([writeOf('b')])];
    await settled();
    const [first] = order;
    for (const at of [0, 1, 2, 3]) {
      script.reads[at]?.into.number(0, 5);
      script.reads[at]?.resolve();
      await settled();
    }
    expect(order.slice(0, 4)).to.deep.equal([first, 'write a', 'write b', 'test 1']);
    expect(order.slice(4).every((call) => call.startsWith('poll'))).to.equal(true);
    expect(await Promise.all(written)).to.deep.equal([[], []]);
    expect(await asked).to.equal(5);
  });

  it('of a driver with calls: one are not begun when nobody waits for them any more', async () => {
    const script = new Script();
    let begun = 0;
    await using fixture = await DriverFixture.of(
      {
        ...script.polling,
        write: async () => {
          begun++;
        },
      },
      [group(1, 1_000_000, plain)],
      { calls: 'one' },
    );
    await fixture.pass(1000);
    const written = fixture.node.write([writeOf('a')]);
    await fixture.pass(deadlines.write + 1000);
    script.reads[0]?.resolve();
    const [[, fault] = []] = await written;
    expect(fault).to.have.property('code', ErrorCode.BUSY);
    expect(begun).to.equal(0);
  });

  it('abort at their deadline', async () => {
    await using fixture = await DriverFixture.of({
      write: (_writes, _into, { signal }) => fixture.clock.sleep(1e9, signal),
    });
    const written = fixture.node.write([writeOf('a')]);
    await fixture.pass(deadlines.write + 1000);
    const [[, fault] = []] = await written;
    expect(fault).to.have.property('code', ErrorCode.NO_RESPONSE);
  });

  it('of a driver without write say so', async () => {
    await using fixture = await DriverFixture.of({});
    const [[, fault] = []] = await fixture.node.write([writeOf('a')]);
    expect(fault).to.have.property('code', ErrorCode.TAG_NOT_WRITABLE);
  });
});

describe('calls of a driver: browsing', () => {
  it('aborts at its deadline', async () => {
    await using fixture = await DriverFixture.of({
      browse: async (_request, { signal }) => {
        await fixture.clock.sleep(1e9, signal);
        throw new Error('This is not reached.');
      },
    });
    const asked = refusalOf(fixture.node.browse({ id: '' }));
    await fixture.pass(deadlines.browse + 1000);
    expect(await asked).to.have.property('code', ErrorCode.NO_RESPONSE);
  });
});

describe('calls of a driver: the end', () => {
  it('gives stop a signal that aborts at its deadline, while the wire is still open', async () => {
    let aborted = -1;
    let contextAborted: boolean | undefined;
    await using fixture = await DriverFixture.of({
      stop: async (signal) => {
        contextAborted = fixture.context.signal.aborted;
        const before = fixture.clock.monotonic();
        await fixture.clock.sleep(1e9, signal).catch(() => (aborted = fixture.clock.monotonic() - before));
      },
    });
    const stopped = fixture.node.stop();
    await fixture.pass(deadlines.stop + 1000, 100);
    await stopped;
    expect(aborted).to.be.within(deadlines.stop, deadlines.stop + 100);
    expect(contextAborted).to.equal(true);
  });

  it('disposes of watches in parallel and waits for them two seconds at most: a stop does not hang', async () => {
    const script = new Script();
    script.unwatch = () => new Promise(() => undefined);
    let stoppedAt = -1;
    await using fixture = await DriverFixture.of(
      {
        ...script.pushing,
        stop: async () => {
          stoppedAt = fixture.clock.monotonic();
        },
      },
      [1, 2, 3, 4, 5].map((id) => group(id, 1000, plain)),
    );
    const begin = fixture.clock.monotonic();
    const stopped = fixture.node.stop();
    await settled();
    expect(script.unwatched).to.equal(5);
    await fixture.pass(3000, 50);
    await stopped;
    expect(stoppedAt - begin).to.be.within(deadlines.unwatch, deadlines.unwatch + 100);
  });

  it('aborts what is under way, begins nothing that waits, and says nothing more of its groups', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(
      script.polling,
      [group(1, 1000, plain), group(2, 1000, plain)],
      {
        calls: 'one',
      },
    );
    await fixture.pass(1000);
    const asked = [fixture.node.poll(1), refusalOf(fixture.node.test(tag('t', '')))];
    await settled();
    expect(script.reads).to.have.length(1);
    const { signal } = script.reads[0]?.call ?? {};
    signal?.addEventListener('abort', () => script.reads[0]?.reject(signal.reason));
    fixture.samples();
    await fixture.node.stop();
    await Promise.all(asked);
    await fixture.pass(5000);
    expect(signal?.reason).to.have.property('code', ErrorCode.NOT_RUNNING);
    expect(script.reads).to.have.length(1);
    expect(fixture.samples()).to.deep.equal([]);
    expect(script.stops).to.equal(1);
    expect(fixture.clock.armed).to.equal(0);
  });

  it('is reached although a call hangs for ever', async () => {
    const script = new Script();
    await using fixture = await DriverFixture.of(script.polling, [group(1, 1000, plain)]);
    await fixture.pass(1000);
    const stopped = fixture.node.stop();
    await fixture.pass(deadlines.abort + 1000);
    await stopped;
    expect(script.stops).to.equal(1);
  });
});

describe('values of a driver', () => {
  it('are scaled and rounded once: 0.1 × 3 is 0.3 in apps, not 0.30000000000000004', async () => {
    const tags = [
      tag('a', '3', { decimal: 0.1 }),
      tag('b', '3', { decimal: 0.1, attribute: Attribute.SUBSCRIBE }),
      tag('c', '2', { type: DataType.DOUBLE, precision: 1, decimal: 0.333 }),
    ];
    await using fixture = await DriverFixture.of({ read: readAddresses }, [group(1, 1000, tags)]);
    await fixture.pass(1000);
    expect([...(fixture.samples()[0]?.numbers ?? [])]).to.deep.equal([0.3, 0.3, 0.7]);
  });
});

describe('wall clocks', () => {
  it('may be set forwards, backwards or to another season: schedules stay, and timestamps are UTC', async () => {
    const before = process.env['TZ'];
    process.env['TZ'] = 'Europe/Berlin';
    try {
      const source = Date.UTC(2024, 9, 27, 0, 30);
      await using fixture = await DriverFixture.of(
        {
          async read(_points, into) {
            into.number(0, 1);
            into.stamp(0, source + fixture.clock.monotonic());
          },
        },
        [group(1, 1000, plain.slice(0, 1))],
      );
      const hour = 3_600_000;
      // Summer time ends at 1:00 UTC: the local clock goes from 2:59 back to 2:00, once forwards and once backwards around it.
      fixture.clock.set(source - fixture.clock.now());
      const taken: [number, number | undefined][] = [];
      for (const step of [0, hour, -2 * hour, hour, 400 * 24 * hour]) {
        fixture.clock.set(step);
        await fixture.pass(10_000, 100);
        const samples = fixture.samples();
        expect(samples, `after a step of ${step} ms`).to.have.length(10);
        for (const { timestamp, timestamps } of samples) taken.push([timestamp, timestamps?.[0]]);
      }
      const gaps = taken.slice(1).map(([, time], index) => (time ?? 0) - (taken[index]?.[1] ?? 0));
      expect(new Set(gaps)).to.deep.equal(new Set([1000]));
      expect(taken[0]?.[0]).to.be.within(source, source + 1000);
      expect(taken[10]?.[0]).to.be.within(source + hour + 9000, source + hour + 12_000);
      expect(taken[20]?.[0]).to.be.within(source - hour + 19_000, source - hour + 22_000);
    } finally {
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    }
  });
});
