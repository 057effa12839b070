import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LinkState } from '@tagway/schemas';
import { type Followed, hasMockCluster, MockCluster } from '@tagway/testkit/kafka-cluster';
import { expect } from 'chai';
import { FastDevice } from '../bench/fast-device.ts';
import { connected, modbusSettings, stateOf } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { sleep, until } from '../kit/until.ts';
import { Collector } from '../world/collector.ts';
import { hasInfluxd, Influxd } from '../world/influxd.ts';
import { addGroups } from '../world/outage-plant.ts';
import { usePlantOf } from '../world/plant.ts';

/** Tags, as many as of the outage that the apps for stores are made for, in two groups that are read ten times a second. */
const groups = 2;
const tagsPerGroup = 1000;
const interval = 100;

/** Milliseconds of the outage; with `OUTAGE=600` seconds it is ten minutes. */
const outage = Number(process.env['OUTAGE'] ?? 6) * 1000;

/** Milliseconds: what the READMEs promise to a gateway that is killed, and what a busy machine may add. */
const mayLose = 1500;

async function start(stack: AsyncDisposableStack) {
  const device = stack.adopt(await FastDevice.start({ changing: groups * tagsPerGroup }), (it) => it.stop());
  const collector = stack.adopt(await Collector.start(), (it) => it.stop());
  const steady = stack.adopt(await Collector.start(), (it) => it.stop());
  const influxd = stack.adopt(await Influxd.start(), (it) => it.stop());
  const kafka = stack.use(await MockCluster.start());
  const gateway = stack.adopt(await Gateway.start(), (it) => it.dispose());
  return { device, collector, steady, influxd, kafka, gateway, client: await gateway.client() };
}

/** Times of the samples at a collector by group, in the order in which they came, each batch once. */
class PostedTimes {
  readonly #collector: Collector;
  readonly #keys = new Set<unknown>();
  readonly #times = new Map<string, number[]>();
  #looked = 0;

  constructor(collector: Collector) {
    this.#collector = collector;
  }

  of(group: string): readonly number[] {
    const { posted } = this.#collector;
    for (; this.#looked < posted.length; this.#looked++) {
      const { headers, body } = posted[this.#looked]!;
      const key = headers['idempotency-key'];
      if (this.#keys.has(key)) continue;
      this.#keys.add(key);
      for (const [, name = '', time] of body.matchAll(/"group":"([^"]+)","timestamp":(\d+)/g)) {
        const times = this.#times.get(name) ?? [];
        this.#times.set(name, times);
        times.push(Number(time));
      }
    }
    return this.#times.get(group) ?? [];
  }
}

const missing = [
  hasInfluxd ? '' : 'influxdb',
  hasMockCluster ? '' : 'python3-confluent-kafka with kcat',
].filter((name) => name !== '');
const suite = missing.length === 0 ? describe : describe.skip;

const why = missing.length === 0 ? '' : ` (skipped: there is no ${missing.join(', no ')})`;

suite(`stores that are away${why}`, function () {
  this.timeout(240_000 + 3 * outage);
  const plant = usePlantOf(start, ['device', 'collector', 'steady', 'influxd', 'kafka', 'gateway', 'client']);
  const { device, collector, steady, influxd, kafka, gateway } = plant;

  const posted = new PostedTimes(collector);
  /** What there was to send: its server is always there. */
  const truth = new PostedTimes(steady);

  /** The topic of each group. */
  let topics: readonly Followed[] = [];

  const cacheBytes = async (): Promise<number> => {
    let bytes = 0;
    for (const entry of await readdir(gateway.data, { recursive: true, withFileTypes: true }))
      if (entry.name.endsWith('.spool')) bytes += (await stat(join(entry.parentPath, entry.name))).size;
    return bytes;
  };

  before(async () => {
    const { client } = plant;
    await influxd.query('CREATE DATABASE plant');
    await addGroups(client, 'plant', { groups, tagsPerGroup, interval });
    const hook = { url: `http://127.0.0.1:${collector.port}/samples`, timeout: 2000 };
    topics = Array.from({ length: groups }, (_, group) => kafka.follow(`tagway.plant.group_${group}`));
    const stream = { brokers: `127.0.0.1:${kafka.port}`, timeout: 2000, create_topics: true, compression: 1 };
    const history = { url: `http://127.0.0.1:${influxd.port}`, store: 0, database: 'plant', timeout: 5000 };
    for (const [name, plugin, params] of [
      ['truth', 'HTTP', { url: `http://127.0.0.1:${steady.port}/samples`, 'batch-age': 0 }],
      ['hook', 'HTTP', hook],
      ['history', 'InfluxDB', history],
      ['stream', 'Kafka', stream],
    ] as const) {
      await client.ok('POST', '/node', { name, plugin, params });
      for (let group = 0; group < groups; group++)
        await client.ok('POST', '/subscribe', { app: name, driver: 'plant', group: `group ${group}` });
    }
    await client.ok('POST', '/node/setting', { node: 'plant', params: modbusSettings(device.port) });
    await connected(client, 'plant');
    await until('all are written to', async () => {
      const rows = await influxd.query('SELECT * FROM "group 0" LIMIT 1');
      return rows.length > 0 && topics[0]!.times.length > 0 && collector.posted.length > 0;
    });
  });
  after(() => {
    for (const topic of topics) topic[Symbol.dispose]();
  });

  it('get everything that was sampled meanwhile, in order, over a kill of the gateway', async () => {
    const tag = 'clock';
    collector.status = 503;
    await influxd.kill();
    kafka.pause();
    await until('all are seen to be away', async () => {
      const states = await Promise.all(
        ['hook', 'history', 'stream'].map((node) => stateOf(plant.client, node)),
      );
      return states.every(({ link }) => link === LinkState.DISCONNECTED);
    });
    const state = await stateOf(plant.client, 'hook');
    expect(JSON.stringify(state)).to.include('it answers 503');
    await sleep(outage / 2);
    expect(await cacheBytes()).to.be.greaterThan(0);
    await gateway.kill();
    const killed = Date.now();
    await gateway.start();
    await plant.renew();
    await connected(plant.client, 'plant');
    await until('all apps run again', async () => {
      const states = await Promise.all(
        ['hook', 'history', 'stream'].map((node) => stateOf(plant.client, node)),
      );
      return states.every((one) => /takes no records|Nothing was sent/.test(JSON.stringify(one)));
    });
    await sleep(outage / 2);
    const end = Date.now();
    const metrics = await (await fetch(new URL('/api/v2/metrics', gateway.url))).text();
    const disk = metrics.match(/^.*cache_disk_bytes\{.*$/gm) ?? [];
    collector.status = 204;
    await influxd.begin();
    kafka.goOn();
    const last = (): number => posted.of('group 0').at(-1) ?? 0;
    await until('the collector has the present', () => last() > end, { within: 60_000 + outage });
    await until(
      'the database has the present',
      async () => Number((await influxd.query(`SELECT last("${tag}") FROM "group 0"`))[0]?.[0] ?? 0) > end,
      { within: 60_000 + outage },
    );
    await until('the topics have the present', () => topics.every(({ times }) => (times.at(-1) ?? 0) > end), {
      within: 60_000 + outage,
    });
    const late = ((Date.now() - end) / 1000).toFixed(0);
    process.stdout.write(`      ${disk.join('\n      ')}\n      all had the present ${late} s later\n`);
    for (let group = 0; group < groups; group++) {
      const name = `group ${group}`;
      const own = posted.of(name);
      expect(own, 'are in order').to.deep.equal([...own].sort((one, other) => one - other));
      // What was read in the last second before the kill may be lost.
      const wanted = truth
        .of(name)
        .filter((time) => time <= end && !(time > killed - mayLose && time <= killed));
      const missingIn = (times: Iterable<number>): string[] => {
        const there = new Set(times);
        return wanted.filter((time) => !there.has(time)).map((time) => `${time - killed} ms after the kill`);
      };
      expect(wanted.length).to.be.greaterThan((0.3 * outage) / interval);
      expect(missingIn(own), 'the collector has everything').to.deep.equal([]);
      const rows = await influxd.query(
        `SELECT * FROM "${name}" WHERE time >= ${wanted[0]}ms AND time <= ${end}ms`,
      );
      const found = rows.map(([time]) => Number(time));
      expect(missingIn(found), 'the database has everything').to.deep.equal([]);
      const streamed = topics[group]!.times;
      expect(streamed, 'are in order').to.deep.equal([...streamed].sort((one, other) => one - other));
      expect(missingIn(streamed), 'the topic has everything').to.deep.equal([]);
    }
    await until('the caches are empty', async () => (await cacheBytes()) === 0, { within: 30_000 });
  });

  it('are tried before a node is saved, step by step', async () => {
    const params = { url: `http://127.0.0.1:${influxd.port}`, store: 0, database: 'plant' };
    const steps = async (plugin: string, settings: object): Promise<string[]> => {
      const reply = await plant.client.ok('POST', '/node/test', { plugin, params: settings });
      return (reply as { steps: { step: string; ok: boolean }[] }).steps.map(
        ({ step, ok }) => `${step} ${ok}`,
      );
    };
    expect(await steps('InfluxDB', params)).to.deep.equal([
      'connect true',
      'login true',
      'rights true',
      'write true',
    ]);
    expect((await steps('InfluxDB', { ...params, database: 'nowhere' })).at(-1)).to.equal('write false');
    expect(await steps('InfluxDB', { ...params, url: 'http://127.0.0.1:1' })).to.deep.equal([
      'connect false',
    ]);
    const url = `http://127.0.0.1:${collector.port}/samples`;
    expect(await steps('Kafka', { brokers: `127.0.0.1:${kafka.port}` })).to.deep.equal([
      'connect true',
      'login true',
      'rights true',
    ]);
    expect((await steps('HTTP', { url })).at(-1)).to.equal('write true');
    collector.status = 401;
    expect((await steps('HTTP', { url })).at(-1)).to.equal('login false');
    collector.status = 204;
  });

  it('are shown what they would be sent, and what was sent and kept', async () => {
    const preview = async (app: string): Promise<string> => {
      const reply = await plant.client.ok('POST', '/subscribe/preview', {
        app,
        driver: 'plant',
        group: 'group 0',
      });
      const [{ topic, payload }] = (reply as { messages: [{ topic: string; payload: string }] }).messages;
      return `${topic} ${payload.slice(0, 60)}`;
    };
    expect(await preview('hook')).to.include('/samples [{"node":"plant","group":"group 0","timestamp":');
    expect(await preview('history')).to.match(
      /POST http:.*\/write\?db=plant&precision=ns group\\ 0,node=plant clock=-?\d+i,/,
    );
    const metrics = await (await fetch(new URL('/api/v2/metrics', gateway.url))).text();
    for (const name of ['send_msgs', 'send_bytes', 'cached_msgs', 'cache_disk_bytes', 'cache_oldest_ms'])
      for (const node of ['hook', 'history', 'stream'])
        expect(metrics, name).to.match(new RegExp(`${name}[a-z_]*\\{[^}]*node="${node}"[^}]*\\} `));
  });
});
