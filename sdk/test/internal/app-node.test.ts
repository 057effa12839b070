import { expect } from 'chai';
import { ErrorCode, LinkState, RunningState } from '@tagway/schemas';
import { type App, Fault, isFault, type DriverState, type Layout, type Subscription } from '@tagway/sdk';
import { type GroupConfig, sampleOf, type SampleData, type SubscriptionsData } from '@tagway/sdk/internal';
import { group, refusalOf, settled, tag } from './harness.ts';
import { AppStand } from './stand.ts';

const configs = [1, 2, 3].map((id) => group(id, 100, [tag('a', ''), tag('b', '')])) as [
  GroupConfig,
  GroupConfig,
  GroupConfig,
];
const stateOf = (link: LinkState, driver = 'plant'): DriverState => ({
  driver,
  running: RunningState.RUNNING,
  link,
});

/** What an app is told, in order; its deliveries wait for the test if `isSlow`. */
class Told {
  readonly lines: string[] = [];
  readonly all: (readonly Subscription[])[] = [];
  readonly delivered: Subscription[] = [];
  isSlow = false;
  readonly waiting: (() => void)[] = [];

  readonly app: Partial<App> = {
    start: async () => void this.lines.push('start'),
    subscriptionsChanged: (all) => {
      this.all.push(all);
      this.lines.push(
        `subscriptions ${all.map(({ group: name, layout }) => `${name}/${layout.columns.length}`).join()}`,
      );
    },
    driversChanged: (states) => {
      this.lines.push(`drivers ${states.map(({ driver, link }) => `${driver}:${link}`).join()}`);
    },
    deliver: (sample, subscription) => {
      this.delivered.push(subscription);
      const due = sample.due === undefined ? '' : ` due ${sample.due.join('')}`;
      this.lines.push(
        `sample ${sample.timestamp} of ${sample.layout.group}/${sample.layout.columns.length}${due}`,
      );
      if (!this.isSlow) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      this.waiting.push(resolve);
      return promise;
    },
  };

  take(): string[] {
    return this.lines.splice(0);
  }
}

class Bench {
  readonly told = new Told();
  readonly stand = new AppStand(this.told.app);
  readonly #layouts = new Map<number, Layout>();

  /** As a host would say it: layouts that are not known yet go along. */
  subscribe(groups: readonly GroupConfig[], drivers: readonly DriverState[] = [], params?: object): void {
    for (const { group: id, layout } of groups) this.#layouts.set(id, layout);
    const data: SubscriptionsData = {
      subscriptions: groups.map(({ group: id }) => ({
        id: 10 + id,
        group: id,
        params: params && { ...params },
      })),
      layouts: [],
      drivers,
    };
    this.stand.node.subscribe(data, (id) => this.#layouts.get(id));
  }

  deliver({ group: id, layout }: GroupConfig, timestamp: number, more: Partial<SampleData> = {}): void {
    const data: SampleData = {
      ...{ group: id, version: layout.version, timestamp, numbers: new Float64Array(2) },
      ...{ integers: new BigInt64Array(0), objects: [], faults: new Int32Array(0), ...more },
    };
    this.stand.node.deliver(sampleOf(data, layout), id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stand[Symbol.asyncDispose]();
  }
}

describe('an app', () => {
  it('is first told of all its subscriptions, then of its drivers, then given samples', async () => {
    await using bench = new Bench();
    const [one, two] = configs;
    bench.subscribe([one, two], [stateOf(LinkState.CONNECTED)]);
    bench.deliver(one, 1);
    await bench.stand.node.start();
    bench.deliver(one, 2);
    expect(bench.told.take()).to.deep.equal([
      ...['start', 'subscriptions group 1/2,group 2/2', `drivers plant:${LinkState.CONNECTED}`],
      'sample 2 of group 1/2',
    ]);
    expect(bench.stand.sent).to.deep.equal([{ op: 'started', node: 1 }]);
  });

  it('is told of no subscriptions when it has none', async () => {
    await using bench = new Bench();
    await bench.stand.node.start();
    expect(bench.told.take()).to.deep.equal(['start', 'subscriptions ', 'drivers ']);
  });

  it('is told once of a change of several groups, and what did not change is the same object', async () => {
    await using bench = new Bench();
    const [one, two, three] = configs;
    bench.subscribe([one, two, three], [], { topic: 't' });
    await bench.stand.node.start();
    bench.told.take();
    const changed = [group(1, 100, [tag('x', '')]), group(2, 100, [tag('y', '')]), three];
    bench.subscribe(changed, [], { topic: 't' });
    expect(bench.told.take()).to.deep.equal(['subscriptions group 1/1,group 2/1,group 3/2']);
    const [before, after] = bench.told.all;
    expect(after?.[2]).to.equal(before?.[2]);
    expect(after?.[0]).not.to.equal(before?.[0]);
    expect(after?.[0]).to.include({ id: 11, driver: 'plant', group: 'group 1' });
    bench.subscribe(changed, [], { topic: 't' });
    expect(bench.told.take()).to.deep.equal([]);
    bench.subscribe(changed, [], { topic: 'u' });
    expect(bench.told.take()).to.have.length(1);
    bench.subscribe(changed.slice(1), [], { topic: 'u' });
    expect(bench.told.take()).to.deep.equal(['subscriptions group 2/1,group 3/2']);
  });

  it('gets late samples with the layout that they were made with, and the subscription of now', async () => {
    await using bench = new Bench();
    const old = group(1, 100, [tag('a', '')]);
    const [now] = configs;
    bench.subscribe([now]);
    await bench.stand.node.start();
    bench.told.take();
    bench.deliver(old, 1);
    expect(bench.told.take()).to.deep.equal(['sample 1 of group 1/1']);
    expect(bench.told.delivered[0]).to.equal(bench.told.all[0]?.[0]);
    expect(bench.told.delivered[0]?.layout).to.equal(now.layout);
  });

  it('gets no samples of groups that it does not subscribe to any more, not even those that wait', async () => {
    await using bench = new Bench();
    const [one, two] = configs;
    bench.subscribe([one, two]);
    await bench.stand.node.start();
    bench.told.isSlow = true;
    bench.deliver(one, 1);
    bench.deliver(two, 2);
    bench.deliver(one, 3);
    bench.told.take();
    bench.subscribe([one]);
    bench.told.isSlow = false;
    for (const go of bench.told.waiting.splice(0)) go();
    await settled();
    expect(bench.told.take()).to.deep.equal(['subscriptions group 1/2', 'sample 3 of group 1/2']);
  });

  it('is told how its drivers are in order with the samples, and a flap is never merged away', async () => {
    await using bench = new Bench();
    const [one] = configs;
    const { CONNECTED, DISCONNECTED } = LinkState;
    bench.subscribe([one], [stateOf(DISCONNECTED)]);
    await bench.stand.node.start();
    bench.told.take();
    bench.told.isSlow = true;
    const say = (link: LinkState): void =>
      bench.stand.node.driversChanged([stateOf(link), stateOf(link, 'other')]);
    say(CONNECTED);
    bench.deliver(one, 1);
    bench.deliver(one, 2);
    say(DISCONNECTED);
    bench.deliver(one, 3);
    say(CONNECTED);
    say(DISCONNECTED);
    say(DISCONNECTED);
    bench.told.isSlow = false;
    for (const go of bench.told.waiting.splice(0)) go();
    await settled();
    expect(bench.told.take()).to.deep.equal([
      ...[`drivers plant:${CONNECTED}`, 'sample 1 of group 1/2', 'sample 2 of group 1/2'],
      ...[`drivers plant:${DISCONNECTED}`, 'sample 3 of group 1/2'],
      ...[`drivers plant:${CONNECTED}`, `drivers plant:${DISCONNECTED}`],
    ]);
  });

  it('that is slow has the newest samples that can be held; drops are counted, and what was due is handed on', async () => {
    await using bench = new Bench();
    const [one] = configs;
    bench.subscribe([one]);
    await bench.stand.node.start();
    bench.told.isSlow = true;
    bench.deliver(one, 0);
    bench.told.take();
    const large = { numbers: new Float64Array(500_000) };
    bench.deliver(one, 1, { ...large, due: Uint8Array.of(1, 0) });
    bench.deliver(one, 2, { ...large, rows: Uint32Array.of(1, 1, 1) });
    for (let time = 3; time < 12; time++) bench.deliver(one, time, { ...large, due: Uint8Array.of(0, 0) });
    bench.told.isSlow = false;
    for (const go of bench.told.waiting.splice(0)) go();
    await settled();
    const meter = (name: string): number => bench.stand.node.context.meter(name);
    const lines = bench.told.take();
    expect(lines).to.have.length(3);
    expect(lines[0]).to.equal('sample 9 of group 1/2 due 11');
    expect(meter('dropped_samples')).to.equal(8);
    expect(meter('dropped_events')).to.equal(3);
  });

  it('that fails to take something gets what follows', async () => {
    const lines: string[] = [];
    await using stand = new AppStand({
      subscriptionsChanged: () => {
        throw new Error('no');
      },
      deliver: async ({ timestamp }) => {
        lines.push(String(timestamp));
        throw new Error('no');
      },
    });
    const [one] = configs;
    const subscriptions = [{ id: 1, group: 1, params: undefined }];
    stand.node.subscribe({ subscriptions, layouts: [], drivers: [] }, () => one.layout);
    await stand.node.start();
    const plain = { numbers: new Float64Array(2), integers: new BigInt64Array(0), objects: [] };
    const put = (timestamp: number): void =>
      stand.node.deliver({ layout: one.layout, timestamp, ...plain, faults: new Int32Array(0) }, 1);
    put(1);
    put(2);
    await settled();
    put(3);
    await settled();
    expect(lines).to.deep.equal(['1', '2', '3']);
    expect(stand.logged).to.have.length(4);
  });
});

describe('an app that asks the gateway', () => {
  const write = (tagName: string) => ({ driver: 'plant', group: 'g', tag: tagName, value: 1 });

  it('writes with a result for each', async () => {
    await using stand = new AppStand({});
    await stand.node.start();
    stand.answer = () => [
      [1, { code: ErrorCode.TAG_NOT_FOUND, message: 'There is no tag "b".', retry: true }],
    ];
    const results = await stand.context.write([write('a'), write('b'), write('c')]);
    expect(results).to.have.length(3);
    expect([results[0], results[2]]).to.deep.equal([undefined, undefined]);
    expect(results[1]).to.include({ code: ErrorCode.TAG_NOT_FOUND, message: 'There is no tag "b".' });
    expect(await stand.context.write([])).to.deep.equal([]);
    expect(stand.asked).to.have.length(1);
  });

  it('has a fault for each write when the gateway refuses all', async () => {
    await using stand = new AppStand({});
    await stand.node.start();
    stand.answer = () => {
      throw new Fault(ErrorCode.BUSY);
    };
    const results = await stand.context.write([write('a'), write('b')]);
    expect(results.map((result) => isFault(result) && result.code)).to.deep.equal([
      ErrorCode.BUSY,
      ErrorCode.BUSY,
    ]);
  });

  it('passes its signal on, and a write that is given up rejects with the reason', async () => {
    await using stand = new AppStand({});
    await stand.node.start();
    const controller = new AbortController();
    const reason = new Fault(ErrorCode.BUSY, 'enough');
    stand.answer = () => {
      controller.abort(reason);
      throw reason;
    };
    const { signal } = controller;
    expect(await refusalOf(stand.context.write([write('a')], { signal }))).to.equal(reason);
    expect(stand.asked[0]?.signal).to.equal(signal);
    await refusalOf(stand.context.read('plant', 'g', { signal, sync: true }));
    expect(stand.asked[1]).to.deep.equal({
      request: { op: 'read', driver: 'plant', group: 'g', sync: true },
      signal,
    });
  });
});
