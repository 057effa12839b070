import { expect } from 'chai';
import { ErrorCode, LinkState, RunningState } from '@tagway/schemas';
import {
  type AlarmEvent,
  type App,
  Fault,
  isFault,
  type DriverState,
  type Layout,
  type Subscription,
} from '@tagway/sdk';
import { sampleOf, type SampleData, type SubscriptionsData } from '@tagway/sdk/internal';
import { group, refusalOf, settled, tag, type TestGroup } from './harness.ts';
import { AppFixture } from './fixture.ts';

const configs = [1, 2, 3].map((id) => group(id, 100, [tag('a', ''), tag('b', '')])) as [
  TestGroup,
  TestGroup,
  TestGroup,
];
const stateOf = (link: LinkState, driver = 'plant'): DriverState => ({
  driver,
  running: RunningState.RUNNING,
  link,
});

const alarmEvent: AlarmEvent = {
  sequence: 1,
  time: 1000,
  recorded: 1001,
  tag: 'a',
  from: 'normal',
  to: 'unacknowledged',
  cause: 'condition',
  priority: 'low',
  text: '',
};

/** Records the calls of an app, in order; its deliveries wait for the test if `isSlow`. */
class Recorder {
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
    deliverAlarms: (events, { group: name }) => {
      if (events.some((event) => event.tag === 'bad')) throw new Error('It does not like this one.');
      this.lines.push(`alarms ${events.map((event) => event.tag).join()} of ${name}`);
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

class AppBench {
  readonly said = new Recorder();
  readonly fixture = new AppFixture(this.said.app);
  readonly #layouts = new Map<number, Layout>();

  /** As a host would say it: layouts that are not known yet go along. */
  subscribe(groups: readonly TestGroup[], drivers: readonly DriverState[] = [], params?: object): void {
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
    this.fixture.node.subscribe(data, {
      get: (id) => this.#layouts.get(id),
      readsOf: () => ({ layouts: new Map(), present: new Map() }),
    });
  }

  deliver({ group: id, layout }: TestGroup, timestamp: number, more: Partial<SampleData> = {}): void {
    const data: SampleData = {
      group: id,
      version: layout.version,
      timestamp,
      numbers: new Float64Array(2),
      integers: new BigInt64Array(0),
      objects: [],
      faults: new Int32Array(0),
      ...more,
    };
    this.fixture.node.deliver(sampleOf(data, layout), id);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.fixture[Symbol.asyncDispose]();
  }
}

describe('an app', () => {
  it('first gets all its subscriptions, then its drivers, then samples', async () => {
    await using bench = new AppBench();
    const [one, two] = configs;
    bench.subscribe([one, two], [stateOf(LinkState.CONNECTED)]);
    bench.deliver(one, 1);
    await bench.fixture.node.start();
    bench.deliver(one, 2);
    expect(bench.said.take()).to.deep.equal([
      ...['start', 'subscriptions group 1/2,group 2/2', `drivers plant:${LinkState.CONNECTED}`],
      'sample 2 of group 1/2',
    ]);
    expect(bench.fixture.sent).to.deep.equal([{ op: 'started', node: 1 }]);
  });

  it('gets what has happened to alarms of groups that it subscribes to, and a failure costs that alone', async () => {
    await using bench = new AppBench();
    const [one] = configs;
    bench.subscribe([one]);
    bench.fixture.node.deliverAlarms([alarmEvent], 1);
    await bench.fixture.node.start();
    bench.said.take();
    bench.fixture.node.deliverAlarms([alarmEvent], 1);
    bench.fixture.node.deliverAlarms([alarmEvent], 2);
    bench.fixture.node.deliverAlarms([{ ...alarmEvent, tag: 'bad' }], 1);
    bench.deliver(one, 2);
    expect(bench.said.take()).to.deep.equal(['alarms a of group 1', 'sample 2 of group 1/2']);
  });

  it('gets an empty list when it has no subscriptions', async () => {
    await using bench = new AppBench();
    await bench.fixture.node.start();
    expect(bench.said.take()).to.deep.equal(['start', 'subscriptions ', 'drivers ']);
  });

  it('is called once for a change of several groups, with the same objects for those that did not change', async () => {
    await using bench = new AppBench();
    const [one, two, three] = configs;
    bench.subscribe([one, two, three], [], { topic: 't' });
    await bench.fixture.node.start();
    bench.said.take();
    const changed = [group(1, 100, [tag('x', '')]), group(2, 100, [tag('y', '')]), three];
    bench.subscribe(changed, [], { topic: 't' });
    expect(bench.said.take()).to.deep.equal(['subscriptions group 1/1,group 2/1,group 3/2']);
    const [before, after] = bench.said.all;
    expect(after?.[2]).to.equal(before?.[2]);
    expect(after?.[0]).not.to.equal(before?.[0]);
    expect(after?.[0]).to.include({ id: 11, driver: 'plant', group: 'group 1' });
    bench.subscribe(changed, [], { topic: 't' });
    expect(bench.said.take()).to.deep.equal([]);
    bench.subscribe(changed, [], { topic: 'u' });
    expect(bench.said.take()).to.have.length(1);
    bench.subscribe(changed.slice(1), [], { topic: 'u' });
    expect(bench.said.take()).to.deep.equal(['subscriptions group 2/1,group 3/2']);
  });

  it('gets the sample of every reading, also when nothing in it is due', async () => {
    await using bench = new AppBench();
    const [one] = configs;
    bench.subscribe([one]);
    await bench.fixture.node.start();
    bench.said.take();
    bench.deliver(one, 1);
    bench.deliver(one, 2, { due: Uint8Array.of(0, 0) });
    expect(bench.said.take()).to.deep.equal(['sample 1 of group 1/2', 'sample 2 of group 1/2 due 00']);
  });

  it('gets late samples with the layout that they were made with, and the subscription of now', async () => {
    await using bench = new AppBench();
    const old = group(1, 100, [tag('a', '')]);
    const [now] = configs;
    bench.subscribe([now]);
    await bench.fixture.node.start();
    bench.said.take();
    bench.deliver(old, 1);
    expect(bench.said.take()).to.deep.equal(['sample 1 of group 1/1']);
    expect(bench.said.delivered[0]).to.equal(bench.said.all[0]?.[0]);
    expect(bench.said.delivered[0]?.layout).to.equal(now.layout);
  });

  it('gets no samples of groups that it does not subscribe to any more, not even those that wait', async () => {
    await using bench = new AppBench();
    const [one, two] = configs;
    bench.subscribe([one, two]);
    await bench.fixture.node.start();
    bench.said.isSlow = true;
    bench.deliver(one, 1);
    bench.deliver(two, 2);
    bench.deliver(one, 3);
    bench.said.take();
    bench.subscribe([one]);
    bench.said.isSlow = false;
    for (const go of bench.said.waiting.splice(0)) go();
    await settled();
    expect(bench.said.take()).to.deep.equal(['subscriptions group 1/2', 'sample 3 of group 1/2']);
  });

  it('gets the states of its drivers in order with the samples, and a flap is never merged away', async () => {
    await using bench = new AppBench();
    const [one] = configs;
    const { CONNECTED, DISCONNECTED } = LinkState;
    bench.subscribe([one], [stateOf(DISCONNECTED)]);
    await bench.fixture.node.start();
    bench.said.take();
    bench.said.isSlow = true;
    const say = (link: LinkState): void =>
      bench.fixture.node.driversChanged([stateOf(link), stateOf(link, 'other')]);
    say(CONNECTED);
    bench.deliver(one, 1);
    bench.deliver(one, 2);
    say(DISCONNECTED);
    bench.deliver(one, 3);
    say(CONNECTED);
    say(DISCONNECTED);
    say(DISCONNECTED);
    bench.said.isSlow = false;
    for (const go of bench.said.waiting.splice(0)) go();
    await settled();
    expect(bench.said.take()).to.deep.equal([
      ...[`drivers plant:${CONNECTED}`, 'sample 1 of group 1/2', 'sample 2 of group 1/2'],
      ...[`drivers plant:${DISCONNECTED}`, 'sample 3 of group 1/2'],
      ...[`drivers plant:${CONNECTED}`, `drivers plant:${DISCONNECTED}`],
    ]);
  });

  it('that is slow has the newest samples that can be held; drops are counted, and what was due is handed on', async () => {
    await using bench = new AppBench();
    const [one] = configs;
    bench.subscribe([one]);
    await bench.fixture.node.start();
    bench.said.isSlow = true;
    bench.deliver(one, 0);
    bench.said.take();
    const large = { numbers: new Float64Array(500_000) };
    bench.deliver(one, 1, { ...large, due: Uint8Array.of(1, 0) });
    bench.deliver(one, 2, { ...large, rows: Uint32Array.of(1, 1, 1) });
    for (let time = 3; time < 12; time++) bench.deliver(one, time, { ...large, due: Uint8Array.of(0, 0) });
    bench.said.isSlow = false;
    for (const go of bench.said.waiting.splice(0)) go();
    await settled();
    const meter = (name: string): number => bench.fixture.node.context.meter(name);
    const lines = bench.said.take();
    expect(lines).to.have.length(3);
    expect(lines[0]).to.equal('sample 9 of group 1/2 due 11');
    expect(meter('dropped_samples')).to.equal(8);
    expect(meter('dropped_events')).to.equal(3);
  });

  it('that fails to take something gets what follows', async () => {
    const lines: string[] = [];
    await using fixture = new AppFixture({
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
    const reads = { layouts: new Map(), present: new Map() };
    const layouts = { get: () => one.layout, readsOf: () => reads };
    fixture.node.subscribe({ subscriptions, layouts: [], drivers: [] }, layouts);
    await fixture.node.start();
    const plain = { numbers: new Float64Array(2), integers: new BigInt64Array(0), objects: [] };
    const put = (timestamp: number): void =>
      fixture.node.deliver({ layout: one.layout, timestamp, ...plain, faults: new Int32Array(0) }, 1);
    put(1);
    put(2);
    await settled();
    put(3);
    await settled();
    expect(lines).to.deep.equal(['1', '2', '3']);
    expect(fixture.logged).to.have.length(4);
  });
});

describe('an app that asks the gateway', () => {
  const write = (tagName: string) => ({ driver: 'plant', group: 'g', tag: tagName, value: 1 });

  it('writes with a result for each', async () => {
    await using fixture = new AppFixture({});
    await fixture.node.start();
    fixture.answer = () => [
      [1, { code: ErrorCode.TAG_NOT_FOUND, message: 'There is no tag "b".', retry: true }],
    ];
    const results = await fixture.context.write([write('a'), write('b'), write('c')]);
    expect(results).to.have.length(3);
    expect([results[0], results[2]]).to.deep.equal([undefined, undefined]);
    expect(results[1]).to.include({ code: ErrorCode.TAG_NOT_FOUND, message: 'There is no tag "b".' });
    expect(await fixture.context.write([])).to.deep.equal([]);
    expect(fixture.asked).to.have.length(1);
  });

  it('has a fault for each write when the gateway refuses all', async () => {
    await using fixture = new AppFixture({});
    await fixture.node.start();
    fixture.answer = () => {
      throw new Fault(ErrorCode.BUSY);
    };
    const results = await fixture.context.write([write('a'), write('b')]);
    expect(results.map((result) => isFault(result) && result.code)).to.deep.equal([
      ErrorCode.BUSY,
      ErrorCode.BUSY,
    ]);
  });

  it('passes its signal on, and a write that is given up rejects with the reason', async () => {
    await using fixture = new AppFixture({});
    await fixture.node.start();
    const controller = new AbortController();
    const reason = new Fault(ErrorCode.BUSY, 'enough');
    fixture.answer = () => {
      controller.abort(reason);
      throw reason;
    };
    const { signal } = controller;
    expect(await refusalOf(fixture.context.write([write('a')], { signal }))).to.equal(reason);
    expect(fixture.asked[0]?.signal).to.equal(signal);
    await refusalOf(fixture.context.read('plant', 'g', { signal, sync: true }));
    expect(fixture.asked[1]).to.deep.equal({
      request: { op: 'read', node: 1, driver: 'plant', group: 'g', sync: true },
      signal,
    });
  });

  it('reads the history of a tag, and no more than what it asks for', async () => {
    await using fixture = new AppFixture({});
    await fixture.node.start();
    const reading = { oldest: 1, before: undefined, points: [], buckets: [], next: undefined };
    fixture.answer = () => ({ ...reading, problem: undefined });
    const tag = { driver: 'plant', group: 'g', tag: 'level', password: 'secret' };
    const { signal } = new AbortController();
    const range = { from: 1, to: 2, step: 0.5, limit: 3 };
    expect(await fixture.context.history(tag, range, { signal })).to.include({ oldest: 1 });
    expect(fixture.asked[0]).to.deep.equal({
      request: { op: 'history', node: 1, driver: 'plant', group: 'g', tag: 'level', range },
      signal,
    });
  });
});
