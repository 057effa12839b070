import { expect } from 'chai';
import { connectAsync } from 'mqtt';
import { get } from 'sparkplug-payload';
import { brokerKind } from '../world/brokers.ts';
import { addSparkplug, connected, modbusSettings, stateOf } from '../kit/configure.ts';
import { addGroups, useOutagePlant } from '../world/outage-plant.ts';
import { SampleTally, timeOf } from '../world/sample-tally.ts';
import { sleep, until } from '../kit/until.ts';

const groups = 10;
const tagsPerGroup = 200;

/** What the README of the app promises to a gateway that is killed, and what a busy machine may add. */
const flushWindow = 1000;
const slack = 1000;

/** Milliseconds between two samples of a group, and without a broker. */
const interval = 500;
const outage = 15_000;

const payloads = get('spBv1.0');

/** Samples as a host sees them, and the sequence numbers of the node's messages. */
class Tally extends SampleTally {
  /** The names of the groups of which something arrived. */
  readonly groups = new Set<string>();
  historical = 0;
  live = 0;
  readonly flaws: string[] = [];
  #seq = NaN;

  listen(port: number, node: string): Promise<void> {
    return this.connect(port, [`spBv1.0/plant/+/${node}`, `spBv1.0/plant/+/${node}/+`]);
  }

  protected take(topic: string, bytes: Buffer): void {
    const type = topic.split('/')[2] ?? '';
    if (type.endsWith('CMD') || type === 'NDEATH') return;
    const payload = payloads?.decodePayload(bytes);
    const seq = Number(payload?.seq);
    const isFirst = Number.isNaN(this.#seq) && type !== 'NBIRTH';
    if (!isFirst && seq !== (type === 'NBIRTH' ? 0 : (this.#seq + 1) % 256))
      this.flaws.push(`${type} with ${seq} after ${this.#seq}`);
    this.#seq = seq;
    const samples = new Set<string>();
    for (const { name, timestamp, isHistorical } of payload?.metrics ?? []) {
      const [group, tag] = name?.split('/') ?? [];
      if (group === undefined || tag === undefined || group === 'Node Control') continue;
      this.groups.add(group);
      samples.add(`${group} ${Number(timestamp)}`);
      if (isHistorical === true) this.historical++;
      else this.live++;
    }
    for (const sample of samples) this.note(sample);
  }
}

describe(`an edge node with ${groups * tagsPerGroup} metrics at ${interval} ms, on ${brokerKind}`, function () {
  this.timeout(240_000);
  const truth = new Tally();
  const plant = useOutagePlant(truth);
  const { device, steady, broker, proxy, gateway, client, metric } = plant;

  before(async () => {
    await truth.listen(steady.port, 'truth');
    await addGroups(client, 'modbus', { groups, tagsPerGroup, interval });
    const cache = {
      'offline-cache': true,
      'cache-mem-size': 1,
      'cache-disk-size': 100,
      'cache-sync-interval': 10,
    };
    await addSparkplug(client, 'truth', steady.port);
    await addSparkplug(client, 'cached', proxy.port, cache);
    for (const app of ['truth', 'cached']) {
      for (let group = 0; group < groups; group += 1)
        await client.ok('POST', '/subscribe', { app, driver: 'modbus', group: `group ${group}` });
    }
  });

  async function listen(): Promise<Tally> {
    const tally = new Tally();
    await tally.listen(broker.port, 'cached');
    return tally;
  }

  it(`loses no sample to ${outage / 1000} s without the broker`, async () => {
    const before = await listen();
    const params = modbusSettings(device.port);
    await client.ok('POST', '/node/setting', { node: 'modbus', params });
    for (const app of ['truth', 'cached']) await connected(client, app);
    await until('all groups arrive', () => [truth, before].every((tally) => tally.groups.size === groups));
    await sleep(3 * interval);

    await proxy.shut();
    await broker.stop();
    await before.close();
    await sleep(outage);
    const state = await stateOf(client, 'cached');
    expect(state.link).not.to.equal(2);

    await broker.replace();
    const after = await listen();
    await proxy.reopen(broker.port);
    await connected(client, 'cached', 30_000);
    await until('the cache is empty', async () => (await metric('cached_msgs', 'cached')) === 0, {
      within: 60_000,
    });
    await sleep(2000);
    const judged = truth.last - 2000;
    const [first = 0] = [...before.counts.keys()].map(timeOf);
    const missing = after
      .missing(truth)
      .filter((sample) => !before.counts.has(sample) && timeOf(sample) <= judged && timeOf(sample) > first);
    expect(missing).to.deep.equal([]);
    expect(truth.counts.size).to.be.greaterThan((groups * outage) / (1.1 * interval));
    expect(after.historical).to.be.greaterThan((groups * tagsPerGroup * outage) / (1.5 * interval));
    expect(after.live).to.be.greaterThan(groups * tagsPerGroup);
    expect(await metric('dropped_msgs_total', 'cached')).to.equal(0);
    for (const tally of [truth, before, after]) expect(tally.flaws).to.deep.equal([]);
    await after.close();
  });

  it('loses at most the flush window when the gateway is killed in an outage', async () => {
    const before = await listen();
    await until('all groups arrive', () => before.groups.size === groups);
    await proxy.shut();
    const enough = truth.last + flushWindow + slack + 4 * interval;
    await until('there is more to keep than the flush window', () => truth.last > enough);
    await gateway.kill();
    // What the steady broker has at this moment is all that there was.
    await sleep(500);
    const { last } = truth;
    const { first: begun } = before;
    await before.close();
    await gateway.start();
    const after = await listen();
    await proxy.reopen(broker.port);
    await connected(client, 'cached', 30_000);
    await until('the cache is empty', async () => (await metric('cached_msgs', 'cached')) === 0, {
      within: 30_000,
    });
    await sleep(1000);
    const missing = after
      .missing(truth)
      .filter((sample) => !before.counts.has(sample) && timeOf(sample) > begun && timeOf(sample) <= last);
    expect(missing.filter((sample) => timeOf(sample) < last - flushWindow - slack)).to.deep.equal([]);
    const kept = [...after.counts.keys()].filter((sample) => timeOf(sample) <= last);
    expect(kept.length, 'what the killed gateway left was sent').to.be.greaterThan(groups * 2);
    expect(after.flaws).to.deep.equal([]);
    await after.close();
  });

  it('carries out commands of a host', async () => {
    const host = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
    try {
      await client.ok('POST', '/group', { name: 'valves', node: 'modbus', interval: 100 });
      const tags = [{ name: 'setpoint', address: '2!400001', attribute: 3, type: 3 }];
      await client.ok('POST', '/tags', { node: 'modbus', group: 'valves', tags });
      let value: unknown;
      let isBorn = false;
      host.on('message', (topic, bytes) => {
        const found = payloads?.decodePayload(bytes).metrics?.find(({ name }) => name === 'valves/setpoint');
        if (found === undefined) return;
        if (topic.includes('/DBIRTH/')) isBorn = true;
        else value = found;
      });
      await host.subscribeAsync('spBv1.0/plant/+/cached/modbus');
      await client.ok('POST', '/subscribe', { app: 'cached', driver: 'modbus', group: 'valves' });
      await until('the device is born with the tag', () => isBorn);
      let written: number | undefined;
      device.onWrite = (write) => (written = write.value);
      const payload = payloads?.encodePayload({
        timestamp: Date.now(),
        metrics: [{ name: 'valves/setpoint', type: 'Int16', value: -7 }],
      });
      value = undefined;
      await host.publishAsync('spBv1.0/plant/DCMD/cached/modbus', Buffer.from(payload ?? []));
      await until('the device is written', () => written === 0xfff9);
      await until('the value comes back', () => value !== undefined);
    } finally {
      await host.endAsync(true);
    }
  });
});
