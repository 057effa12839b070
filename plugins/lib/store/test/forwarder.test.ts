import { execFileSync } from 'node:child_process';
import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { LinkState } from '@tagway/sdk';
import { until } from '@tagway/testkit';
import { type Batch, Refusal, type Store, type StoreSettings, Unavailable } from '../src/index.ts';
import { TestNode } from './kit/index.ts';
import { NumbersApp, numbersOf, sampleOf, settings, subscription } from './nodes.ts';

type Node = TestNode<StoreSettings, Record<string, unknown>>;

const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, index) => from + index);

/** A store that keeps what it takes, and fails with what `failure` gives. */
class TestStore {
  readonly taken: Batch[] = [];
  readonly seen: Batch[] = [];
  failure: (batch: Batch) => Error | undefined = () => undefined;

  readonly send: Store['send'] = async (batch) => {
    this.seen.push(batch);
    await sleep(1);
    const failure = this.failure(batch);
    if (failure !== undefined) throw failure;
    this.taken.push(batch);
    return undefined;
  };

  get numbers(): number[] {
    return this.taken.flatMap(numbersOf);
  }
}

function open(send: Store['send'], more: Partial<StoreSettings> = {}, speed = 1): Promise<Node> {
  return TestNode.open<StoreSettings, Record<string, unknown>>(
    { ...settings, ...more },
    { node: 'numbers', create: (context) => new NumbersApp(context, send), speed },
  );
}

function deliver(run: Node, from: number, count: number): void {
  for (const value of upTo(count, from)) run.deliver(sampleOf(value), subscription);
}

describe('the forwarder', () => {
  it('sends what came within the age of a batch together', async () => {
    const store = new TestStore();
    await using run = await open(store.send);
    deliver(run, 0, 10);
    await until('all are there', () => store.numbers.length === 10);
    expect(store.taken).to.have.length(1);
    expect(run.link).to.equal(LinkState.CONNECTED);
    expect(run.count('send_msgs_total')).to.equal(10);
  });

  it('waits for nothing more with a batch of a fifth of the size', async () => {
    const store = new TestStore();
    await using run = await open(store.send, { 'batch-size': 1, 'batch-age': 60_000 });
    deliver(run, 1000, 1);
    await sleep(50);
    expect(store.numbers).to.deep.equal([]);
    deliver(run, 1001, 49);
    await until('all are there', () => store.numbers.length === 50);
    expect(store.taken).to.have.length(1);
  });

  it('ends a batch at its size, and keeps the order', async () => {
    const store = new TestStore();
    await using run = await open(store.send, { 'batch-size': 1 });
    deliver(run, 1000, 1000);
    await until('all are there', () => store.numbers.length === 1000);
    expect(store.taken).to.have.length(4);
    expect(store.numbers).to.deep.equal(upTo(1000, 1000));
    expect(new Set(store.taken.map(({ id }) => id)).size).to.equal(4);
  });

  it('sends a batch that failed again as it was, before all others, and says why once', async () => {
    const store = new TestStore();
    store.failure = () => new Unavailable('It is closed.', { step: 'connect' });
    await using run = await open(store.send, { 'batch-size': 1 }, 20);
    deliver(run, 1000, 300);
    await until('it was tried', () => store.seen.length >= 2);
    deliver(run, 1300, 300);
    await until('it was tried again', () => store.seen.length >= 4);
    expect(new Set(store.seen.map(({ id }) => id)).size).to.equal(1);
    expect(run.link).to.equal(LinkState.DISCONNECTED);
    expect(run.reports.at(-1)).to.deep.equal({
      step: 'connect',
      reason: 'The store takes no records: It is closed.',
    });
    store.failure = () => undefined;
    await until('all are there', () => store.numbers.length >= 600);
    expect(store.numbers).to.deep.equal(upTo(600, 1000));
    expect(store.taken[0]?.id).to.equal(store.seen[0]?.id);
    expect(run.lines.filter((line) => line.includes('It is closed.'))).to.have.length(1);
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  it('leaves a store alone for as long as it asks', async () => {
    const store = new TestStore();
    const times: number[] = [];
    store.failure = () => {
      times.push(performance.now());
      return times.length === 1 ? new Unavailable('Too much.', { retryAfter: 2000 }) : undefined;
    };
    await using run = await open(store.send);
    deliver(run, 0, 1);
    await until('it is there', () => store.numbers.length === 1);
    expect(times[1]! - times[0]!).to.be.within(1990, 4000);
  });

  it('gives up what the store will never take, counts it, and goes on', async () => {
    const store = new TestStore();
    store.failure = (batch) => (numbersOf(batch).includes(3) ? new Refusal('it is a 3.') : undefined);
    await using run = await open(store.send, { 'batch-age': 0 });
    for (const value of upTo(6)) {
      deliver(run, value, 1);
      await until('it was sent', () => store.seen.flatMap(numbersOf).includes(value));
    }
    await until('the rest is there', () => store.numbers.includes(5));
    expect(store.numbers).to.not.include(3);
    expect(run.count('dropped_msgs_total')).to.equal(6 - store.numbers.length);
    expect(run.lines.join('\n')).to.contain('gave up').and.to.contain('it is a 3.');
  });

  it('is not stuck with a store that never answers', async () => {
    let calls = 0;
    const send: Store['send'] = (_, signal) => {
      calls++;
      return calls < 2
        ? new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => reject(new Error('aborted'))),
          )
        : Promise.resolve(undefined);
    };
    await using run = await open(send, { timeout: 200 });
    deliver(run, 0, 5);
    await until('the second attempt works', () => run.count('send_msgs_total') === 5);
    expect(run.reports.some(({ reason }) => reason?.includes('no answer within 200 ms') === true)).to.equal(
      true,
    );
  });

  it('keeps over a stop what the store does not take, with the ids of its batches', async () => {
    const store = new TestStore();
    store.failure = () => new Unavailable('It is closed.');
    await using run = await open(store.send, { 'batch-size': 1 });
    deliver(run, 1000, 600);
    await until('it was tried', () => store.seen.length === 1);
    await run.stop();
    store.failure = () => undefined;
    await run.restart({ ...settings, 'batch-size': 1 });
    deliver(run, 1600, 10);
    await until('all are there', () => store.numbers.length === 610);
    expect(store.numbers).to.deep.equal(upTo(610, 1000));
    expect(store.taken[0]?.id).to.equal(store.seen[0]?.id);
    await until('nothing is shown as kept', () => run.gauges.get('cached_msgs') === 0);
  });

  it('sends what is left when it stops, without waiting for the age of the batch', async () => {
    const store = new TestStore();
    await using run = await open(store.send, { 'batch-age': 60_000, 'batch-size': 1 });
    deliver(run, 1000, 300);
    await until('the first batch is there', () => store.taken.length > 0);
    await run.stop();
    expect(store.numbers).to.deep.equal(upTo(300, 1000));
  });

  it('keeps the newest within its bounds, and counts the others', async () => {
    const store = new TestStore();
    store.failure = () => new Unavailable('It is closed.');
    const small = { 'batch-size': 1, 'cache-disk-size': 1 };
    await using run = await open(store.send, small, 1000);
    for (const value of upTo(60_000)) await run.app.deliver(sampleOf(value), subscription);
    const dropped = run.count('dropped_msgs_total');
    expect(dropped).to.be.greaterThan(10_000);
    await run.stop();
    const folder = join(run.folder, 'cache');
    let bytes = 0;
    for (const name of await readdir(folder)) bytes += (await stat(join(folder, name))).size;
    expect(bytes).to.be.within(800_000, 1_000_000);
    store.failure = () => undefined;
    await run.restart({ ...settings, ...small });
    await until('the newest are there', () => store.numbers.at(-1) === 59_999);
    expect(store.numbers).to.deep.equal(
      upTo(60_000 - run.count('dropped_msgs_total'), run.count('dropped_msgs_total')),
    );
  });

  it('lives in memory when its disk takes nothing, and says so', async () => {
    const store = new TestStore();
    store.failure = () => new Unavailable('It is closed.');
    await using run = await open(store.send);
    await run.stop();
    await writeFile(join(run.folder, 'cache'), 'no folder');
    await run.restart(settings);
    deliver(run, 0, 100);
    await until('it says so', () => run.lines.some((line) => line.includes('has a problem')));
    store.failure = () => undefined;
    await until('all are there', () => store.numbers.length === 100);
    expect(run.count('dropped_msgs_total')).to.equal(0);
  });

  (process.getuid?.() === 0 ? it : it.skip)(
    `keeps in memory what a full disk does not take, and says so${process.getuid?.() === 0 ? '' : ' (skipped: only root may mount the small disk that it fills)'}`,
    async () => {
      const store = new TestStore();
      store.failure = () => new Unavailable('It is closed.');
      await using run = await open(store.send);
      await run.stop();
      const cache = join(run.folder, 'cache');
      await mkdir(cache, { recursive: true });
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tagway', cache]);
      try {
        await run.restart(settings);
        deliver(run, 0, 5000);
        await until('it says so', () =>
          run.lines.some((line) =>
            /has a problem.*because the disk does not take them: the disk is full\. Free some of its space\./.test(
              line,
            ),
          ),
        );
        deliver(run, 5000, 100);
        store.failure = () => undefined;
        await until('all are there', () => store.numbers.length === 5100);
        expect(store.numbers).to.deep.equal(upTo(5100));
        expect(run.count('dropped_msgs_total')).to.equal(0);
        await run.stop();
      } finally {
        execFileSync('umount', ['-l', cache]);
      }
    },
  );

  it('has a tail that sends what an earlier run has left', async () => {
    const store = new TestStore();
    store.failure = () => new Unavailable('It is closed.');
    await using run = await open(store.send);
    deliver(run, 0, 50);
    await run.stop();
    store.failure = () => undefined;
    store.seen.length = 0;
    await run.tail(settings);
    expect(store.numbers).to.deep.equal(upTo(50));
    await run.tail(settings);
    expect(store.taken.length, 'the second tail finds nothing').to.equal(store.seen.length);
  });
});
