import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import type { Store, StoreChanges } from '../../src/core/ports/ports.ts';
import { appliedKey } from '../../src/pair/config/local-copy.ts';
import { conformsToStore } from '../store/conformance.ts';
import { PairFixture, until } from './pair-fixture.ts';

const shared: { cluster?: EtcdCluster } = {};

const open = (): Promise<PairFixture> => PairFixture.open(shared.cluster?.endpoints ?? []);

async function faultOf(work: Promise<unknown>): Promise<{ code: number; message: string }> {
  try {
    await work;
  } catch (error) {
    if (isFault(error)) return error;
    throw error;
  }
  return { code: 0, message: '' };
}

describe(`the store of a pair${etcdSkipped}`, function () {
  this.timeout(60_000);

  before(async function () {
    if (!hasEtcd) return this.skip();
    shared.cluster = await EtcdCluster.start(3);
  });

  after(() => shared.cluster?.[Symbol.asyncDispose]());

  describe('is a store', () => {
    conformsToStore(async () => {
      const fixture = await open();
      const west = fixture.side('west');
      await west.promote(await fixture.grant('west'));
      return {
        store: west.store,
        async reopened() {
          await west.close();
          return fixture.side('west').store;
        },
        [Symbol.asyncDispose]: () => fixture[Symbol.asyncDispose](),
      };
    });
  });

  it('is begun by the first holder with what it has, and followed by the other one', async () => {
    await using fixture = await open();
    const west = fixture.side('west');
    await west.sqlite.commit({ set: [['node/1', { name: 'pump' }]] });
    await west.promote(await fixture.grant('west'));
    const east = await fixture.side('east').begin();
    await until('the other has it', () => east.isCaughtUp);
    expect(east.picture()).to.deep.equal([['node/1', { name: 'pump' }]]);
    await west.store.commit({ set: [['node/2', { name: 'fan' }]], delete: ['node/1'] });
    await until('the change is there', () => east.shown.has('node/2'));
    expect(await east.store.load()).to.deep.equal([['node/2', { name: 'fan' }]]);
    expect(east.picture()).to.deep.equal([['node/2', { name: 'fan' }]]);
    expect(east.follow.lag?.entries).to.equal(0);
    expect([west.kept, east.kept]).to.deep.equal([0, 0]);
  });

  it('takes nothing while another gateway is the active one, and says where that is', async () => {
    await using fixture = await open();
    const west = fixture.side('west');
    expect(await faultOf(west.store.commit({ set: [['a', 1]] }))).to.include({ code: ErrorCode.STANDBY });
    await west.promote(await fixture.grant('west'));
    await west.store.commit({ set: [['a', 1]] });
    // The lease is gone, and nobody has told this gateway.
    const east = fixture.side('east');
    await east.promote(await fixture.grant('east'));
    const { code, message } = await faultOf(west.store.commit({ set: [['a', 2]] }));
    expect(code).to.equal(ErrorCode.STANDBY);
    expect(message).to.contain('The other is active.');
    await east.store.commit({ set: [['b', 3]] });
    expect(await west.log.head()).to.deep.include({ n: 2 });
    expect(await east.store.load()).to.deep.equal([
      ['a', 1],
      ['b', 3],
    ]);
    expect(await west.store.load()).to.deep.equal([['a', 1]]);
  });

  it('keeps what a gateway had that joins, and takes that of the pair', async () => {
    await using fixture = await open();
    const west = fixture.side('west');
    await west.promote(await fixture.grant('west'));
    await west.store.commit({ set: [['node/1', 'of the pair']] });
    const east = fixture.side('east');
    await east.sqlite.commit({
      set: [
        ['node/1', 'my own'],
        ['node/2', 'my own, too'],
      ],
    });
    await east.begin();
    await until('it has joined', () => east.isCaughtUp);
    expect(east.kept).to.equal(1);
    expect(east.said.join()).to.contain('takes over the configuration of its pair');
    expect(await east.store.load()).to.deep.equal([['node/1', 'of the pair']]);
    expect(east.picture()).to.deep.equal([['node/1', 'of the pair']]);
    await east.close();
    const again = await fixture.side('east').begin();
    await until('it is there again', () => again.isCaughtUp);
    expect(again.kept).to.equal(0);
  });

  it('catches a gateway up that was away for so long that its changes are not kept one by one', async () => {
    await using fixture = await open();
    const west = fixture.side('west');
    await west.promote(await fixture.grant('west'));
    await west.store.commit({ set: [['gone', 1]] });
    const east = await fixture.side('east').begin();
    await until('it is there', () => east.shown.has('gone'));
    await east.close();
    await west.store.commit({ delete: ['gone'] });
    for (let n = 0; n < 1100; n++) await west.store.commit({ set: [[`key/${n % 20}`, n]] });
    const prefix = `/tagway/${fixture.id}/`;
    const counted = async (): Promise<number> =>
      (await fixture.etcd.range({ key: `${prefix}log/`, end: `${prefix}log0`, keysOnly: true })).kvs.length;
    await until('the log is short again', async () => (await counted()) < 700);
    expect(await east.log.read(1)).to.equal(undefined);
    const again = await fixture.side('east').begin();
    await until('it has all', () => again.isCaughtUp && again.follow.lag?.entries === 0);
    expect(again.kept).to.equal(0);
    expect(again.picture()).to.deep.equal(await west.store.load());
    // Only the parts of the snapshot that is in force are left.
    const { kvs } = await fixture.etcd.range({
      key: `${prefix}stage/`,
      end: `${prefix}stage0`,
      keysOnly: true,
    });
    expect(kvs.length).to.equal(1);
  });

  it('carries a change of more than etcd takes in one request as one change', async () => {
    await using fixture = await open();
    const west = fixture.side('west');
    await west.promote(await fixture.grant('west'));
    const east = await fixture.side('east').begin();
    await until('it follows', () => east.isCaughtUp);
    // What cannot be made smaller: 6 MB.
    const large = Array.from({ length: 60 }, (_, index) => [`key/${index}`, noise(100_000)] as const);
    await west.store.commit({ set: large });
    const seen = new Set<number>();
    await until('it is there', () => {
      seen.add(east.shown.size);
      return east.shown.size === 60;
    });
    expect([...seen].every((count) => count === 0 || count === 60)).to.equal(true);
    expect(east.picture()).to.deep.equal(await west.store.load());
  });

  it('does not let a gateway in that has another key of secrets, and says so once', async () => {
    await using fixture = await open();
    const west = fixture.side('west');
    await west.promote(await fixture.grant('west'));
    const east = await fixture.side('east', { mark: 'another key' }).begin();
    await until('it says so', () => east.said.length > 0);
    await west.store.commit({ set: [['a', 1]] });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(east.said).to.have.length(1);
    expect(east.said[0]).to.contain('--secrets-key');
    expect(east.isCaughtUp).to.equal(false);
    expect(await east.store.load()).to.deep.equal([]);
  });

  it('is behind at a standby by what its disk refuses', async () => {
    await using fixture = await open();
    const disk = { isFull: false };
    const west = fixture.side('west');
    await west.promote(await fixture.grant('west'));
    const east = await fixture
      .side('east', {
        wrap: (sqlite): Store => ({
          load: () => sqlite.load(),
          commit: (changes: StoreChanges) =>
            disk.isFull ? Promise.reject(new Error('the disk is full.')) : sqlite.commit(changes),
        }),
      })
      .begin();
    await until('east has caught up', () => east.isCaughtUp);
    disk.isFull = true;
    await west.store.commit({ set: [['a', 1]] });
    await until('east is behind', () => east.local.isBehind);
    expect(east.follow.lag?.entries).to.equal(1);
    const ms = east.follow.lag?.ms ?? 0;
    await until('it is so for longer', () => (east.follow.lag?.ms ?? 0) > ms);
    disk.isFull = false;
    await until('it is stored', () => east.follow.lag?.ms === 0);
    expect(east.follow.lag).to.deep.equal({ entries: 0, ms: 0 });
  });

  it('of an active gateway is not behind by what is just being written', async () => {
    await using fixture = await open();
    const disk = { written: Promise.resolve(), isAsked: false };
    const west = await fixture
      .side('west', {
        wrap: (sqlite): Store => ({
          load: () => sqlite.load(),
          commit: async (changes: StoreChanges) => {
            disk.isAsked = true;
            await disk.written;
            await sqlite.commit(changes);
          },
        }),
      })
      .begin();
    await until('west has caught up', () => west.isCaughtUp);
    await west.promote(await fixture.grant('west'));
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(disk, { written: promise, isAsked: false });
    const change = west.store.commit({ set: [['a', 1]] });
    await until('it is being written', () => disk.isAsked);
    expect(west.local.isBehind).to.equal(false);
    expect(west.follow.lag).to.deep.equal({ entries: 0, ms: 0 });
    resolve();
    await change;
    expect(west.follow.lag).to.deep.equal({ entries: 0, ms: 0 });
  });

  it('says that the disk refuses what the pair has, takes no more, and has it once there is space', async () => {
    await using fixture = await open();
    const disk = { isFull: false };
    const west = fixture.side('west', {
      wrap: (sqlite): Store => ({
        load: () => sqlite.load(),
        commit: (changes: StoreChanges) =>
          disk.isFull ? Promise.reject(new Error('the disk is full.')) : sqlite.commit(changes),
      }),
    });
    await west.promote(await fixture.grant('west'));
    await west.store.commit({ set: [['a', 1]] });
    disk.isFull = true;
    // The pair has it, so it is made.
    await west.store.commit({ set: [['a', 2]] });
    expect(west.said.filter((sentence) => sentence.includes('the disk is full'))).to.have.length(1);
    let error: unknown;
    await west.store.commit({ set: [['a', 3]] }).catch((thrown: unknown) => (error = thrown));
    expect(String(error)).to.contain('the disk is full');
    expect((await west.log.head())?.n).to.equal(2);
    disk.isFull = false;
    await until('it is stored', () => !west.local.isBehind);
    expect(await west.store.load()).to.deep.equal([['a', 2]]);
    await west.store.commit({ set: [['a', 4]] });
    expect((await west.sqlite.load()).find(([key]) => key === appliedKey)?.[1]).to.deep.include({ n: 3 });
  });
});

/** Text that does not get smaller. */
function noise(length: number): string {
  let text = '';
  while (text.length < length) text += Math.random().toString(36).slice(2);
  return text.slice(0, length);
}
