import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LinkState } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { addModbus, mqttSettings, readValues, registerTags, stateOf } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { SmallDisk } from '../kit/small-disk.ts';
import { until } from '../kit/until.ts';
import { Collector } from '../world/collector.ts';
import { Device } from '../world/devices.ts';

const title = `stores that are away while the disk has no free byte${SmallDisk.isPossible ? '' : ' (skipped: only root may mount the small disk that it fills)'}`;

const waits =
  'Records wait in memory alone, because the disk does not take them: the disk is full. Free some';

describe(title, function () {
  this.timeout(120_000);
  let stack: AsyncDisposableStack;
  let disk: SmallDisk;
  let gateway: Gateway;
  let client: Client;
  /** When the disk became full, in milliseconds since the epoch. */
  let filled = 0;
  /** Of each app: where its store will be. */
  const ports = new Map<string, number>();

  before(async function () {
    if (!SmallDisk.isPossible) this.skip();
    stack = new AsyncDisposableStack();
    const device = await Device.start();
    stack.defer(() => device.stop());
    disk = await SmallDisk.make(32);
    stack.defer(() => disk.dispose());
    gateway = await Gateway.start({ parent: disk.folder, args: ['--log-print'] });
    stack.defer(() => gateway.dispose());
    client = await gateway.client();
    await addModbus(client, 'driver', {
      port: device.port,
      group: 'group',
      interval: 100,
      tags: registerTags(3),
    });
    for (const plugin of ['HTTP', 'InfluxDB', 'Kafka', 'PostgreSQL', 'MQTT']) {
      const port = await freePort();
      ports.set(plugin, port);
      const params = {
        HTTP: { url: `http://127.0.0.1:${port}/`, timeout: 1000 },
        InfluxDB: { url: `http://127.0.0.1:${port}`, store: 0, database: 'plant', timeout: 1000 },
        Kafka: { brokers: `127.0.0.1:${port}`, timeout: 1000 },
        PostgreSQL: { host: '127.0.0.1', port, database: 'plant', user: 'plant' },
        MQTT: mqttSettings(port, { 'cache-mem-size': 1, 'cache-disk-size': 10 }),
      }[plugin];
      await client.ok('POST', '/node', { name: plugin, plugin, params });
      await client.ok('POST', '/subscribe', { app: plugin, driver: 'driver', group: 'group' });
    }
  });
  after(() => stack?.disposeAsync());

  const waiting = async (name: string): Promise<number> => {
    const { cached_msgs: count = 0 } = (await stateOf(client, name)) as { cached_msgs?: number };
    return count;
  };

  const namedBy = (sentence: string): string[] =>
    gateway.output
      .split('\n')
      .filter((line) => line.includes(sentence))
      .map((line) => [...ports.keys()].find((name) => line.includes(`the node ${name} has`)) ?? line)
      .sort();

  /** Bytes in the spools of all nodes. */
  const spooled = async (): Promise<number> => {
    let bytes = 0;
    for (const entry of await readdir(gateway.data, { recursive: true, withFileTypes: true }))
      if (entry.name.endsWith('.spool')) bytes += (await stat(join(entry.parentPath, entry.name))).size;
    return bytes;
  };

  it('cost no app its samples, and each says so once; the driver and its values do not notice', async () => {
    for (const name of ports.keys())
      await until(`${name} is away`, async () => {
        const { link } = await stateOf(client, name);
        return link === LinkState.DISCONNECTED && (await waiting(name)) > 0;
      });
    filled = Date.now();
    await disk.fill();
    await until('all have said that the disk is full', () => new Set(namedBy(waits)).size === ports.size);
    await readValues(client, 'driver', 'group');
    for (const name of ports.keys()) {
      const before = await waiting(name);
      await until(`${name} keeps more in memory`, async () => (await waiting(name)) > before);
    }
    expect(namedBy(waits), 'each has said it once').to.deep.equal([...ports.keys()].sort());
  });

  it('go to the disk once there is space again, over a restart, and come in order with the store', async () => {
    await disk.free();
    const had = await spooled();
    await until('spools grow', async () => (await spooled()) > had + 1000);
    await gateway.restart();
    client = await gateway.client();
    for (const name of ports.keys())
      expect(await stateOf(client, name), name).not.to.have.property('dropped_msgs_total');
    const collector = await Collector.start(ports.get('HTTP'));
    const there = Date.now();
    const times = (): number[] =>
      collector.posted.flatMap(({ body }) =>
        [...body.matchAll(/"timestamp":(\d+)/g)].map(([, time]) => Number(time)),
      );
    try {
      await until('the present has come', () => times().some((time) => time > there), { within: 60_000 });
      const came = times();
      expect(came).to.deep.equal([...came].sort((one, other) => one - other));
      expect(came[0], 'what came first is what was read before the disk was full').to.be.lessThan(filled);
    } finally {
      await collector.stop();
    }
  });
});
