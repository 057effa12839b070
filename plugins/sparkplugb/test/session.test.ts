import { aedesBroker, type Broker, brokers, Gate, layoutOf, sampleWith } from '@tagway/mqtt-client/test';
import { expect } from 'chai';
import { DataType, ErrorCode, LinkState } from '@tagway/sdk';
import type { Sample } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { shows } from './assertions.ts';
import { Host } from './host.ts';
import { plain } from './oracle.ts';
import { feed, launchNode, settingsAt, startNode, stateOf, subscriptionTo } from './nodes.ts';

const layout = layoutOf([
  { name: 'level', type: DataType.INT16 },
  { name: 'valve', type: DataType.BOOL },
]);

function sampleOf(level: number, valve = false): Sample {
  return sampleWith(layout, [level, valve], { timestamp: Date.now() });
}

const failed = sampleWith(layout, [{ fault: ErrorCode.DISCONNECTED }, { fault: ErrorCode.DISCONNECTED }]);

/** A node whose broker is behind a gate, and a host that has seen its birth. */
async function bornBehindGate(open: () => Promise<Broker>, version: number) {
  await using stack = new AsyncDisposableStack();
  const broker = stack.use(await open());
  const gate = stack.use(await Gate.before(broker));
  await gate.open();
  const host = stack.use(await Host.connect(broker.port));
  const run = stack.use(await startNode(gate.port, { version }));
  const subscription = feed(run, sampleOf(0));
  await host.wait('DBIRTH');
  const all = stack.move();
  return { gate, host, run, subscription, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

for (const [name, present, open] of brokers) {
  for (const version of name === 'aedes' ? [4] : [4, 5]) {
    (present ? describe : describe.skip)(`a session on ${name}, MQTT level ${version}`, () => {
      it('is born, reports what changes, and dies with the number of its birth', async () => {
        await using broker = await open();
        await using host = await Host.connect(broker.port);
        await using run = await startNode(broker.port, { version });
        const subscription = feed(run, sampleOf(1));
        await host.wait('DBIRTH');
        const birth = host.of('NBIRTH')[0]?.payload.metrics ?? [];
        expect(birth.map(({ name: metric, datatype }) => [metric, datatype])).to.deep.equal([
          ['bdSeq', 4],
          ['Node Control/Rebirth', 11],
        ]);
        expect(plain(birth[0] ?? {})).to.equal(0n);
        expect([host.value('level'), host.value('valve')]).to.deep.equal([1, false]);
        for (const level of [1, 2, 2, 3]) run.deliver(sampleOf(level), subscription);
        const data = await host.wait('DDATA', 2);
        expect(data.payload.metrics.map(({ name: metric }) => metric)).to.deep.equal(['level']);
        expect(host.value('level')).to.equal(3);
        await run.stop();
        await host.wait('NDEATH', version === 5 ? 2 : 1);
        expect(host.order.slice(0, 5)).to.deep.equal([
          'NBIRTH',
          'DBIRTH modbus',
          'DDATA modbus',
          'DDATA modbus',
          'NDEATH',
        ]);
        shows('birth, data and death');
      });

      it('counts its messages beyond 255, and its connections beyond a restart', async () => {
        await using scene = await bornBehindGate(open, version);
        const { gate, host, run, subscription } = scene;
        for (let level = 1; level <= 600; level++) run.deliver(sampleOf(level), subscription);
        await host.wait('DDATA', 600);
        gate.drop();
        await host.wait('NDEATH');
        await host.wait('NBIRTH', 2);
        await run.restart(settingsAt(gate.port, { version }));
        await host.wait('NBIRTH', 3);
        const numbers = host.of('NBIRTH').map(({ payload }) => plain(payload.metrics[0] ?? {}));
        expect(numbers).to.deep.equal([0n, 1n, 2n]);
        shows('sequence numbers');
      });

      it('is born again, with all devices, when a host asks for it', async () => {
        await using broker = await open();
        await using host = await Host.connect(broker.port);
        await using run = await startNode(broker.port, { version });
        feed(run, sampleOf(1));
        await host.wait('DBIRTH');
        await host.rebirth();
        await host.wait('DBIRTH', 2);
        // Requests in a row are one.
        for (let count = 0; count < 5; count++) await host.rebirth();
        await host.wait('DBIRTH', 3);
        await host.rebirth();
        await host.wait('DBIRTH', 4);
        expect(host.order).to.deep.equal(new Array(4).fill(['NBIRTH', 'DBIRTH modbus']).flat());
        const numbers = host.of('NBIRTH').map(({ payload }) => plain(payload.metrics[0] ?? {}));
        expect(numbers).to.deep.equal([0n, 0n, 0n, 0n]);
        shows('rebirth');
      });

      it('sends what an outage kept as historical, after the births, none lost', async () => {
        await using scene = await bornBehindGate(open, version);
        const { gate, host, run, subscription } = scene;
        await gate.shut();
        await until('the node notices', () => run.link !== LinkState.CONNECTED);
        for (let level = 1; level <= 30; level++) run.deliver(sampleOf(level), subscription);
        await gate.open();
        const levels = () => host.of('DDATA').map(({ payload }) => payload.metrics[0] ?? {});
        await until('all that was kept arrives', () => levels().some((metric) => plain(metric) === 30));
        run.deliver(sampleOf(99), subscription);
        await until('live data arrive', () => host.value('level') === 99);
        // What the first birth told comes once more when the outage was quicker than the proof that the broker had it.
        const data = levels().filter((metric) => plain(metric) !== 0);
        expect(data.map(plain)).to.deep.equal([...Array.from({ length: 30 }, (_, index) => index + 1), 99]);
        expect(data.map((metric) => metric.isHistorical === true)).to.deep.equal([
          ...new Array<boolean>(30).fill(true),
          false,
        ]);
        expect(host.of('DBIRTH')[1]?.payload.metrics.map(plain)).to.deep.equal([30, false]);
      });
    });
  }
}

describe('devices', () => {
  it('keep the values of a birth before those that were queued ahead of it', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port, { 'rebirth-debounce': 1000 });
    const subscription = feed(run, sampleOf(1));
    await host.wait('DBIRTH');
    // A birth is put off now, and data with it. That the node knows is told by the command that follows on the same connection.
    await host.rebirth();
    await host.command([{ name: 'valve', type: 'Boolean', value: true }], 'modbus');
    await until('the commands are taken', () => run.written.length === 1);
    for (const level of [2, 3]) run.deliver(sampleOf(level), subscription);
    await host.wait('DBIRTH', 2);
    expect(host.value('level')).to.equal(3);
    await host.wait('DDATA', 2);
    expect(host.value('level')).to.equal(3);
    const queued = host.of('DDATA').map(({ payload }) => payload.metrics[0] ?? {});
    expect(queued.map((metric) => [plain(metric), metric.isHistorical])).to.deep.equal([
      [2, true],
      [3, true],
    ]);
    run.deliver(sampleOf(4), subscription);
    await until('live data go on', () => host.value('level') === 4);
  });

  it('die when their link goes and are born with their values when it returns', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port, { 'rebirth-debounce': 5000 });
    const subscription = feed(run, sampleOf(1));
    await host.wait('DBIRTH');
    run.app.driversChanged?.([stateOf('modbus', LinkState.DISCONNECTED)]);
    run.deliver(failed, subscription);
    await host.wait('DDEATH');
    run.app.driversChanged?.([stateOf('modbus', LinkState.CONNECTED)]);
    run.deliver(sampleOf(5), subscription);
    await host.wait('DBIRTH', 2);
    expect(host.value('level')).to.equal(5);
    expect(host.of('DDATA')).to.deep.equal([]);
    shows('death of a device');
  });

  it('come and go with the subscriptions, one by one', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port);
    const first = feed(run, sampleOf(1));
    await host.wait('DBIRTH');
    const other = layoutOf([{ name: 'speed', type: DataType.DOUBLE }], { driver: 'pump' });
    const second = subscriptionTo(other, 2);
    run.app.subscriptionsChanged([first, second]);
    run.app.driversChanged?.(['modbus', 'pump'].map((driver) => stateOf(driver, LinkState.CONNECTED)));
    run.deliver(sampleWith(other, [0.5]), second);
    await host.wait('DBIRTH', 2);
    expect(host.value('speed', 'pump')).to.equal(0.5);
    run.app.subscriptionsChanged([second]);
    await host.wait('DDEATH');
    expect(host.order).to.deep.equal(['NBIRTH', 'DBIRTH modbus', 'DBIRTH pump', 'DDEATH modbus']);
    shows('devices follow subscriptions');
  });

  it('are born again when tags, their types or the names change', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port, { 'group-path': true });
    feed(run, sampleOf(1));
    await host.wait('DBIRTH');
    const changes = [
      layoutOf([{ name: 'level', type: DataType.INT16 }]),
      layoutOf([{ name: 'level', type: DataType.DOUBLE }]),
      layoutOf([{ name: 'height', type: DataType.DOUBLE }]),
      layoutOf([{ name: 'height', type: DataType.DOUBLE }], { group: 'tank' }),
    ];
    let births = 1;
    for (const changed of changes) {
      const subscription = subscriptionTo(changed);
      run.app.subscriptionsChanged([subscription]);
      run.deliver(sampleWith(changed, [births + 1]), subscription);
      run.deliver(sampleWith(changed, [births + 2]), subscription);
      await host.wait('DBIRTH', ++births);
    }
    const born = host
      .of('DBIRTH')
      .map(({ payload }) => payload.metrics.map(({ name, datatype }) => `${name} ${datatype}`));
    expect(born).to.deep.equal([
      ['grp/level 2', 'grp/valve 11'],
      ['grp/level 2'],
      ['grp/level 10'],
      ['grp/height 10'],
      ['tank/height 10'],
    ]);
    await until('the last value is known', () => host.value('tank/height') === births + 1);
    shows('new birth after a change');
  });

  it('are born without values that do not come in time, and report them when they come', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port);
    const subscription = subscriptionTo(layout);
    run.app.subscriptionsChanged([subscription]);
    run.app.driversChanged?.([stateOf('modbus', LinkState.CONNECTED)]);
    const birth = await host.wait('DBIRTH');
    expect(birth.payload.metrics.map(({ isNull }) => isNull)).to.deep.equal([true, true]);
    run.deliver(sampleOf(3), subscription);
    await until('the values arrive', () => host.value('level') === 3);
    shows('birth without values');
  });

  it('that are away are born for what they reported before an outage, and die after it', async () => {
    await using broker = await aedesBroker();
    await using gate = await Gate.before(broker);
    await using host = await Host.connect(broker.port);
    await using run = await launchNode(gate.port);
    const subscription = feed(run, sampleOf(1));
    for (const level of [2, 3]) run.deliver(sampleOf(level), subscription);
    run.app.driversChanged?.([stateOf('modbus', LinkState.DISCONNECTED)]);
    run.deliver(failed, subscription);
    await gate.open();
    await host.wait('DDATA', 4);
    run.deliver(failed, subscription);
    await host.wait('DDEATH');
    const levels = host.of('DDATA').map(({ payload }) => plain(payload.metrics[0] ?? {}));
    expect(levels).to.deep.equal([1, 2, 3, undefined]);
    expect(host.order[1]).to.equal('DBIRTH modbus');
  });

  it('leave out of an outage what has no metric any more', async () => {
    await using broker = await aedesBroker();
    await using gate = await Gate.before(broker);
    await using host = await Host.connect(broker.port);
    await using run = await launchNode(gate.port);
    feed(run, sampleOf(1));
    const changed = layoutOf([
      { name: 'level', type: DataType.STRING },
      { name: 'valve', type: DataType.BOOL },
    ]);
    const subscription = subscriptionTo(changed);
    run.app.subscriptionsChanged([subscription]);
    run.deliver(sampleWith(changed, ['high', true]), subscription);
    await gate.open();
    await host.wait('DDATA', 2);
    const told = host
      .of('DDATA')
      .map(({ payload }) => payload.metrics.map((metric) => [metric.name, plain(metric)]));
    expect(told).to.deep.equal([
      [['valve', false]],
      [
        ['level', 'high'],
        ['valve', true],
      ],
    ]);
  });

  it('with names that Sparkplug does not allow are refused, and left out when they are renamed to one', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port);
    feed(run, sampleWith({ ...layout, driver: 'a/b' }, [1, true]));
    await host.wait('NBIRTH');
    expect(run.lines.join()).to.contain(
      'the driver a/b: as the id of a Sparkplug device its name holds "+", "/", "#" or NUL',
    );
    expect(host.of('DBIRTH')).to.deep.equal([]);
  });
});

describe('metrics', () => {
  it('have the path of the group when it is set, and when two tags want one name', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port);
    const other = layoutOf([{ name: 'level', type: DataType.INT16 }], { group: 'second' });
    const subscriptions = [subscriptionTo(layout), subscriptionTo(other, 2)];
    run.app.subscriptionsChanged(subscriptions);
    run.app.driversChanged?.([stateOf('modbus', LinkState.CONNECTED)]);
    run.deliver(sampleOf(1), subscriptions[0] as (typeof subscriptions)[number]);
    run.deliver(sampleWith(other, [2]), subscriptions[1] as (typeof subscriptions)[number]);
    await host.wait('DBIRTH');
    expect([host.value('level'), host.value('second/level')]).to.deep.equal([1, 2]);
    expect(run.lines.join()).to.contain('Two tags of the driver modbus want the metric name level');
  });

  it('that differ in case alone are logged for the operator', async () => {
    await using broker = await aedesBroker();
    await using run = await startNode(broker.port);
    const odd = layoutOf([
      { name: 'level', type: DataType.INT16 },
      { name: 'Level', type: DataType.INT16 },
    ]);
    run.app.subscriptionsChanged([subscriptionTo(odd)]);
    expect(run.lines.join()).to.contain('names that differ in case alone');
    shows('names that differ in case alone');
  });

  it('go by aliases in data, the same after a restart, and never two the same', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port, { alias: true });
    const tags = Array.from({ length: 2000 }, (_, index) => ({ name: `tag${index}`, type: DataType.INT16 }));
    const large = layoutOf(tags);
    const subscription = feed(run, sampleWith(large, new Array<number>(2000).fill(1)));
    const first = await host.wait('DBIRTH');
    run.deliver(sampleWith(large, new Array<number>(2000).fill(2)), subscription);
    const data = await host.wait('DDATA');
    expect(data.payload.metrics.some((metric) => Object.hasOwn(metric, 'name'))).to.equal(false);
    expect(host.value('tag1999')).to.equal(2);
    await run.restart(settingsAt(broker.port, { alias: true }));
    feed(run, sampleWith(large, new Array<number>(2000).fill(3)));
    const second = await host.wait('DBIRTH', 2);
    const aliases = (birth: typeof first): number[] =>
      birth.payload.metrics.map(({ alias }) => alias?.toNumber() ?? 0);
    expect(aliases(second)).to.deep.equal(aliases(first));
    expect(new Set(aliases(first)).size).to.equal(2000);
    shows('aliases');
  });

  it('are reported at every reading when that is set', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await using run = await startNode(broker.port, { 'report-all': true });
    const subscription = feed(run, sampleOf(1));
    await host.wait('DBIRTH');
    for (let count = 0; count < 3; count++) run.deliver(sampleOf(1), subscription);
    const data = await host.wait('DDATA', 3);
    expect(data.payload.metrics).to.have.length(2);
  });
});

describe('a primary host', () => {
  it('is waited for, and data is kept while it is away', async () => {
    await using broker = await aedesBroker();
    await using host = await Host.connect(broker.port);
    await host.state('scada', false, 100);
    await using run = await launchNode(broker.port, { 'primary-host-id': 'scada' });
    const subscription = feed(run, sampleOf(1));
    await until('the node waits', () =>
      run.reports.some(({ reason }) => reason?.includes('the primary host scada is not')),
    );
    expect(run.links).not.to.include(LinkState.CONNECTED);
    await host.state('another', true, 200);
    // Older than what is known: the will of a connection that was replaced.
    await host.state('scada', true, 50);
    run.deliver(sampleOf(2), subscription);
    await host.state('scada', true, 200);
    await host.wait('DDATA', 2);
    expect(host.order).to.deep.equal(['NBIRTH', 'DBIRTH modbus', 'DDATA modbus', 'DDATA modbus']);
    expect(
      host.of('DDATA').every(({ payload }) => payload.metrics.every(({ isHistorical }) => isHistorical)),
    ).to.equal(true);
    expect(run.link).to.equal(LinkState.CONNECTED);
    run.deliver(sampleOf(3), subscription);
    await until('live data arrive', () => host.value('level') === 3);

    // The will of an earlier connection says nothing about this one.
    await host.state('scada', false, 150);
    run.deliver(sampleOf(4), subscription);
    await until('live data arrive', () => host.value('level') === 4);
    await host.state('scada', false, 300);
    await host.wait('NDEATH');
    run.deliver(sampleOf(5), subscription);
    await until(
      'the node waits again',
      () => run.links.filter((link) => link === LinkState.CONNECTING).length >= 3,
    );
    const before = host.messages.length;
    await host.state('scada', true, 400);
    await host.wait('DDATA', 5);
    expect(host.order.slice(before)).to.deep.equal(['NBIRTH', 'DBIRTH modbus', 'DDATA modbus']);
    const [first, second] = host.of('NBIRTH').map(({ payload }) => Number(plain(payload.metrics[0] ?? {})));
    expect(second).to.equal((first ?? NaN) + 1);
    shows('primary host');
  });
});
