import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { brokerKind } from '../world/brokers.ts';
import { addMqtt, connected, modbusSettings, stateOf } from '../kit/configure.ts';
import { addGroups, useOutagePlant } from '../world/outage-plant.ts';
import { SampleTally, timeOf } from '../world/sample-tally.ts';
import { sleep, until } from '../kit/until.ts';

const groups = 10;
const tagsPerGroup = 1000;
/** Milliseconds between two samples of a group, and of the outage: as many samples as a minute holds at one a second. */
const interval = 250;
const outage = 15_000;

/** What the README of the MQTT app promises to a gateway that is killed, and what a busy machine may add. */
const flushWindow = 1000;
const slack = 500;

/** Samples of the MQTT app in its JSON. */
class Tally extends SampleTally {
  /** Timestamps in the order of their arrival, by group. */
  readonly order = new Map<string, number[]>();

  protected take(_topic: string, payload: Buffer): void {
    const head = payload.toString('latin1', 0, 300);
    const { group, timestamp } =
      /"group":"(?<group>[^"]+)","timestamp":(?<timestamp>\d+)/.exec(head)?.groups ?? {};
    if (group === undefined || timestamp === undefined) throw new Error(`This is no sample: ${head}`);
    this.note(`${group} ${timestamp}`);
    const order = this.order.get(group) ?? [];
    this.order.set(group, order);
    order.push(Number(timestamp));
  }
}

/** Bytes of the caches of all nodes, the largest first. */
async function cacheSizes(data: string): Promise<number[]> {
  const sizes = new Map<string, number>();
  for (const entry of await readdir(data, { recursive: true, withFileTypes: true })) {
    if (!entry.name.endsWith('.spool')) continue;
    // The gateway may have removed a file since the folder was read.
    const { size } = await stat(join(entry.parentPath, entry.name)).catch(() => ({ size: 0 }));
    sizes.set(entry.parentPath, (sizes.get(entry.parentPath) ?? 0) + size);
  }
  return [...sizes.values()].sort((one, other) => other - one);
}

describe(`an outage of ${brokerKind} under ${groups * tagsPerGroup} tags at ${interval} ms`, function () {
  this.timeout(240_000);
  const truth = new Tally();
  const plant = useOutagePlant(truth);
  const { device, steady, broker, proxy, gateway, client, metric } = plant;

  before(async () => {
    await truth.connect(steady.port, 'truth/#');
    await addGroups(client, 'plant', { groups, tagsPerGroup, interval });
    await addMqtt(client, 'truth', steady.port, { qos: 1 });
    const cache = { qos: 1, 'offline-cache': true, 'cache-mem-size': 1, 'cache-sync-interval': 10 };
    await addMqtt(client, 'large', proxy.port, { ...cache, 'cache-disk-size': 100 });
    await addMqtt(client, 'small', proxy.port, { ...cache, 'cache-disk-size': 1 });
    for (const app of ['truth', 'large', 'small']) {
      for (let group = 0; group < groups; group += 1) {
        const params = { topic: `${app}/${group}` };
        await client.ok('POST', '/subscribe', { app, driver: 'plant', group: `group ${group}`, params });
      }
    }
  });

  async function listen(topic: string): Promise<Tally> {
    const tally = new Tally();
    await tally.connect(broker.port, topic);
    return tally;
  }

  it(`of ${outage / 1000} s costs no sample where the cache is large enough, and exactly the counted ones where it is not`, async () => {
    let large = await listen('large/#');
    let small = await listen('small/#');
    await client.ok('POST', '/node/setting', { node: 'plant', params: modbusSettings(device.port) });
    for (const app of ['truth', 'large', 'small']) await connected(client, app);
    await until('all groups arrive', () => [truth, large, small].every(({ order }) => order.size === groups));
    const before = { large, small };

    await proxy.shut();
    await broker.stop();
    for (const tally of [large, small]) await tally.close();
    await sleep(outage);
    const [largest, second, ...others] = await cacheSizes(gateway.data);
    expect(others, 'the node that has its broker stores nothing').to.deep.equal([]);
    expect(largest, 'the large cache has the outage on the disk').to.be.greaterThan(5_000_000);
    // Files of this cap have 65536 bytes.
    expect(second, 'the small cache is full').to.be.within(1_000_000 - 2 * 65_536, 1_000_000);

    await broker.replace();
    [large, small] = [await listen('large/#'), await listen('small/#')];
    await proxy.reopen(broker.port);
    for (const app of ['large', 'small'])
      await until(
        `the cache of ${app} is empty`,
        async () => (await metric('cached_msgs', app)) === 0 && (await metric('link_state', app)) === 2,
        { within: 60_000 },
      );
    await sleep(2000);
    // What is on its way at this moment is not judged.
    const judged = Math.min(...[...truth.order.values()].map((times) => times.at(-2) as number));
    const missing = (after: Tally, first: Tally): string[] =>
      after.missing(truth).filter((sample) => !first.counts.has(sample) && timeOf(sample) <= judged);

    expect(truth.counts.size).to.be.greaterThan(groups * 55);
    expect(missing(large, before.large)).to.deep.equal([]);
    const dropped = missing(small, before.small);
    expect(dropped.length).to.be.greaterThan(100);
    const counted = await metric('dropped_msgs_total', 'small');
    // What the broker had taken when its confirmation was cut off is resent, so it is in the cache and may be dropped there.
    expect(counted - dropped.length, 'messages that were counted and had arrived').to.be.within(0, groups);
    expect(await metric('dropped_msgs_total', 'large')).to.equal(0);
    expect(await stateOf(client, 'small')).to.include({ dropped_msgs_total: counted });
    expect(await stateOf(client, 'large')).not.to.have.property('dropped_msgs_total');
    for (const [group, times] of large.order) {
      const backlog = times.filter((time) => time < (times[0] as number) + outage);
      expect(new Set(times).size, `${group}: the backlog and live samples come together`).to.be.greaterThan(
        50,
      );
      expect(backlog.length).to.be.greaterThan(40);
    }
    for (const tally of [large, small]) await tally.close();
  });

  it('in which the gateway is killed costs at most the flush window', async () => {
    const before = await listen('large/#');
    await until('all groups arrive', () => before.order.size === groups);
    await proxy.shut();
    const enough = truth.last + flushWindow + slack + 4 * interval;
    await until('there is more to keep than the flush window', () => truth.last > enough);
    await gateway.kill();
    // What the steady broker has at this moment is all that there was.
    await sleep(500);
    const { last } = truth;
    await before.close();
    await gateway.start();
    const after = await listen('large/#');
    await proxy.reopen(broker.port);
    await connected(client, 'large', 30_000);
    // The gauge is 0 too before the node has looked into its cache.
    const ofBefore = (): number => [...after.counts.keys()].filter((sample) => timeOf(sample) <= last).length;
    let seen = -1;
    for (let count = ofBefore(); count !== seen; count = ofBefore()) {
      seen = count;
      await sleep(2000);
    }
    expect(await metric('cached_msgs', 'large')).to.equal(0);
    const { first: begun } = before;
    const missing = after
      .missing(truth)
      .filter((sample) => !before.counts.has(sample) && timeOf(sample) >= begun && timeOf(sample) <= last);
    const old = missing.filter((sample) => timeOf(sample) < last - flushWindow - slack);
    expect(old).to.deep.equal([]);
    expect(ofBefore(), 'what the killed gateway left was sent').to.be.greaterThan(groups * 2);
    await after.close();
  });
});
