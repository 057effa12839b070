import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { tag } from '../core/harness.ts';
import { PairFixture, until } from './pair-fixture.ts';

/** The value that a share of the others is not above. */
function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

describe(`the log of a pair on three members of etcd${etcdSkipped}`, function () {
  this.timeout(120_000);
  let cluster: EtcdCluster;
  let writer: ChildProcess | undefined;

  before(async function () {
    if (!hasEtcd) return this.skip();
    cluster = await EtcdCluster.start(3);
  });

  afterEach(() => {
    writer?.kill('SIGKILL');
    writer = undefined;
  });

  after(() => cluster?.[Symbol.asyncDispose]());

  it('loses none of 1000 acknowledged changes while members are killed one after the other', async () => {
    await using fixture = await PairFixture.open(cluster.endpoints);
    const west = fixture.side('west');
    await west.promote(await fixture.grant('west'));
    const east = await fixture.side('east').begin();
    let made = 0;
    let isOver = false;
    const kills = (async () => {
      for (let round = 0; !isOver; round++) {
        // The leader among them.
        await cluster.kill(round % 3);
        await until('some changes were made', () => isOver || made >= 100 * (round + 1), 30_000);
        cluster.begin(round % 3);
        await until('it leads or follows again', async () => (await cluster.leader()) !== undefined);
        await delay(300);
      }
    })();
    try {
      for (; made < 1000; made++) await west.store.commit({ set: [[`key/${made}`, made]] });
    } finally {
      isOver = true;
      await kills;
    }
    expect((await west.log.head())?.n).to.equal(1000);
    await until('the other has them', () => east.shown.size === 1000);
    expect(east.picture()).to.deep.equal(await west.store.load());
    // And a third one that was never there before.
    const north = await fixture.side('north').begin();
    await until('it is there', () => north.isCaughtUp);
    expect(north.picture()).to.deep.equal(east.picture());
  });

  it('is applied by the standby within two seconds: single changes and a batch of 10 000 tags', async () => {
    await using fixture = await PairFixture.open(cluster.endpoints);
    const west = fixture.side('west');
    await west.promote(await fixture.grant('west'));
    const east = await fixture.side('east').begin();
    await until('it follows', () => east.isCaughtUp);
    const times: number[] = [];
    for (let index = 0; index < 100; index++) {
      await west.store.commit({ set: [[`key/${index}`, index]] });
      const acknowledged = performance.now();
      await until('it is there', () => east.shown.has(`key/${index}`));
      times.push(east.shownAt - acknowledged);
    }
    const batches: number[] = [];
    for (let round = 0; round < 5; round++) {
      const set = Array.from(
        { length: 10_000 },
        (_, index) =>
          [`tag/000000000001/${round}${String(index).padStart(11, '0')}`, tag(`t${index}`)] as const,
      );
      await west.store.commit({ set });
      const acknowledged = performance.now();
      await until('it is there', () => east.shown.has(set.at(-1)?.[0] ?? ''));
      batches.push(east.shownAt - acknowledged);
    }
    expect(quantile(times, 0.99)).to.be.below(2000);
    expect(quantile(batches, 0.99)).to.be.below(2000);
  });

  it('gives a gateway that was killed after etcd had a change this change at its next start', async () => {
    await using fixture = await PairFixture.open(cluster.endpoints);
    const fence = await fixture.grant('west');
    writer = spawn(
      process.execPath,
      [
        ...process.execArgv,
        fileURLToPath(new URL('killed-writer.ts', import.meta.url)),
        ...[fixture.folder, fixture.id, fence, ...cluster.endpoints],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    if (writer.stdout === null) throw new Error('It has an output.');
    const lines = createInterface({ input: writer.stdout });
    await once(lines, 'line');
    // Its own store takes no more changes; etcd has one more.
    const head = async (): Promise<number | undefined> => (await side.log.head())?.n;
    const exited = once(writer, 'exit');
    const side = fixture.side('onlooker');
    await until('etcd has it', async () => (await head()) === 2);
    writer.kill('SIGKILL');
    await exited;
    const west = await fixture.side('west').begin();
    await until('it has caught up', () => west.isCaughtUp);
    expect(await west.store.load()).to.deep.equal([
      ['a', 1],
      ['b', 2],
    ]);
  });
});
