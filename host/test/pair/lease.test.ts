import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { EtcdCluster, etcdSkipped, hasEtcd } from '@tagway/testkit/etcd-cluster';
import { Etcd } from '../../src/pair/etcd/etcd.ts';
import { EtcdLease, leaseSeconds } from '../../src/pair/etcd/lease.ts';
import { Unreachable } from '../../src/pair/ports.ts';

const west = { name: 'west', url: 'http://10.0.0.5:7000' };
const east = { name: 'east', url: 'http://10.0.0.6:7000' };

/** What every lease promises. `open` gives one that nobody has had yet. */
function conforms(open: () => EtcdLease): void {
  it('is free until it is taken, and then says who has it', async () => {
    const lease = open();
    expect(await lease.holder()).to.equal(undefined);
    expect(await lease.renew()).to.equal(false);
    const held = await lease.take(west);
    expect(held?.fence).to.match(/^\d+$/);
    expect(await lease.holder()).to.deep.equal({ ...west, fence: held?.fence });
    expect(await lease.renew()).to.equal(true);
    expect(await lease.take(west)).to.equal(undefined);
    expect(await lease.renew()).to.equal(true);
  });

  it('is free again once it was given back, which may be said twice', async () => {
    const lease = open();
    await lease.take(west);
    await lease.release('It is night.');
    await lease.release('It is night.');
    expect(await lease.holder()).to.equal(undefined);
    expect(await lease.renew()).to.equal(false);
  });

  it('has a fence that grows with every holder', async () => {
    const lease = open();
    const fences: bigint[] = [];
    for (const holder of [west, east, west]) {
      const held = await lease.take(holder);
      fences.push(BigInt(held?.fence ?? 0));
      await lease.release('The next one wants it.');
    }
    expect(fences[1]! > fences[0]! && fences[2]! > fences[1]!).to.equal(true);
  });
}

describe(`the lease of a pair in etcd${etcdSkipped}`, function () {
  this.timeout(30_000);
  let cluster: EtcdCluster;
  let etcd: Etcd;
  let count = 0;

  before(async function () {
    if (!hasEtcd) return this.skip();
    cluster = await EtcdCluster.start(3);
    etcd = new Etcd({ endpoints: cluster.endpoints });
  });

  after(async () => {
    etcd?.close();
    await cluster?.[Symbol.asyncDispose]();
  });

  const pairOf = (): string => `plant${++count}`;

  conforms(() => new EtcdLease(etcd, pairOf()));

  it('is had by one of two that want it at the same time', async () => {
    const pair = pairOf();
    const both = [west, east].map((holder) => ({ holder, lease: new EtcdLease(etcd, pair) }));
    for (let round = 0; round < 10; round++) {
      const held = await Promise.all(both.map(({ lease, holder }) => lease.take(holder)));
      expect(held.filter((one) => one !== undefined)).to.have.length(1);
      const winner = both[held.findIndex((one) => one !== undefined)]!;
      expect((await winner.lease.holder())?.name).to.equal(winner.holder.name);
      await winner.lease.release('The next round begins.');
    }
  });

  it('ends when it is not renewed, and lives as long as it is', async () => {
    const pair = pairOf();
    const kept = new EtcdLease(etcd, pair);
    const left = new EtcdLease(etcd, `${pair}-left`);
    await kept.take(west);
    await left.take(west);
    const begun = performance.now();
    while ((await left.holder()) !== undefined) {
      expect(await kept.renew()).to.equal(true);
      expect(performance.now() - begun).to.be.below(15_000);
      await sleep(100);
    }
    expect(performance.now() - begun).to.be.at.least(leaseSeconds * 1000 - 100);
    expect(await left.renew()).to.equal(false);
    expect((await kept.holder())?.name).to.equal('west');
    const other = new EtcdLease(etcd, `${pair}-left`);
    await other.take(east);
    // Whoever lost it gives nothing back.
    await left.release('It is late.');
    expect((await other.holder())?.name).to.equal('east');
    const { lastSwitch, givenBack } = await other.look();
    expect(lastSwitch).to.include({ from: 'west', to: 'east' });
    expect(lastSwitch?.reason).to.include('did not renew');
    expect(givenBack).to.equal(undefined);
  });

  it('tells the other gateway why it was given back, and both what the last switch was', async () => {
    const pair = pairOf();
    const one = new EtcdLease(etcd, pair);
    const other = new EtcdLease(etcd, pair);
    await one.take(west);
    await one.release('Its host crashed.');
    expect((await other.look()).givenBack).to.deep.equal({ name: 'west', reason: 'Its host crashed.' });
    await other.take(east);
    const { givenBack, lastSwitch } = await one.look();
    expect(givenBack).to.equal(undefined);
    expect(lastSwitch).to.deep.include({ from: 'west', to: 'east', reason: 'Its host crashed.' });
    expect(Date.now() - (lastSwitch?.time ?? 0)).to.be.within(0, 5000);
    await other.release('It ends.');
    await other.take(east);
    expect((await one.look()).lastSwitch).to.deep.equal(lastSwitch);
  });

  it('is lost when its key is deleted, and can be given back from elsewhere', async () => {
    const pair = pairOf();
    const lease = new EtcdLease(etcd, pair);
    const held = await lease.take(west);
    await new EtcdLease(etcd, pair).releaseOf({ ...west, fence: held!.fence }, 'Its agent died.');
    expect(await lease.renew()).to.equal(false);
    expect((await lease.look()).givenBack?.reason).to.equal('Its agent died.');
  });

  it('outlives the loss of the leader of etcd, and says when nobody answers', async () => {
    const own = await EtcdCluster.start(3);
    const client = new Etcd({ endpoints: own.endpoints });
    try {
      const lease = new EtcdLease(client, 'plant');
      const held = await lease.take(west);
      await own.kill((await own.leader()) ?? 0);
      const begun = performance.now();
      let isRenewed = false;
      while (!isRenewed && performance.now() - begun < 10_000)
        isRenewed = await lease.renew().catch((error: unknown) => {
          expect(error).to.be.instanceOf(Unreachable);
          return false;
        });
      expect(isRenewed).to.equal(true);
      expect((await lease.holder())?.fence).to.equal(held?.fence);
      await own.kill((await own.leader()) ?? 0);
      for (const work of [lease.renew(), lease.holder(), lease.release('It ends.')])
        expect(
          await work.then(
            () => undefined,
            (error: unknown) => error,
          ),
        ).to.be.instanceOf(Unreachable);
    } finally {
      client.close();
      await own[Symbol.asyncDispose]();
    }
  });
});
