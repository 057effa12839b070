import { Attribute, DataType } from '@tagway/schemas';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';
import { expect } from 'chai';
import { connected, holding, modbusSettings, mqttSettings, type TagBody } from '../kit/configure.ts';
import { Debugger } from '../kit/debugger.ts';
import { freePort } from '../kit/free-port.ts';
import { type Objects, objectsOf } from '../kit/objects.ts';
import { until } from '../kit/until.ts';
import { startBroker } from '../world/brokers.ts';
import { Collector } from '../world/collector.ts';
import { S7Plc } from '../world/s7-plc.ts';
import { startPlant, usePlantOf } from '../world/plant.ts';

/** Groups that are there at the same time, with tags of their own. */
const lanes = 10;
const tagsPerGroup = 20;

/** Times that all of them are made and deleted before what is there is counted, and between the two counts. */
const warmUp = 10;
const rounds = 30;

/** What is kept of a group would be several objects of each. */
const most = (lanes * rounds) / 4;

async function start(stack: AsyncDisposableStack) {
  const plant = await startPlant(stack);
  const plc = stack.adopt(await S7Plc.start(), (it) => it.stop());
  const broker = stack.adopt(await startBroker(), (it) => it.stop());
  const collector = stack.adopt(await Collector.start(), (it) => it.stop());
  const database = stack.use(await PostgresServer.start());
  return { ...plant, plc, broker, collector, database };
}

(hasPostgres ? describe : describe.skip)(`groups that come and go, with ${postgres}`, function () {
  this.timeout(300_000);
  const plant = usePlantOf(start, ['device', 'gateway', 'client', 'plc', 'broker', 'collector', 'database']);
  const drivers = ['plant', 'press'];
  const apps = ['north', 'hook', 'archive'];
  const ports = new Map<string, number>();

  const tagsOf = (driver: string, group: string): TagBody[] =>
    Array.from({ length: tagsPerGroup }, (_, index) => ({
      name: `${group} ${index}`,
      address: driver === 'plant' ? holding(1 + index) : `DB1.DBW${index * 2}`,
      attribute: Attribute.READ,
      type: DataType.INT16,
    }));

  const live = async (driver: string, group: string): Promise<void> => {
    const { client } = plant;
    await client.ok('POST', '/group', { node: driver, name: group, interval: 100 });
    await client.ok('POST', '/tags', { node: driver, group, tags: tagsOf(driver, group) });
    for (const app of apps) await client.ok('POST', '/subscribe', { app, driver, group });
    await until(`${group} is read`, async () => {
      const body = { node: driver, group, query: { currentPage: 1, pageSize: tagsPerGroup } };
      const { items } = await client.ok<{ items: { value?: unknown }[] }>('POST', '/read/paginate', body);
      return items.length > 0 && items.every(({ value }) => value !== undefined);
    });
    for (const app of apps) await client.ok('DELETE', '/subscribe', { app, driver, group });
    await client.ok('DELETE', '/group', { node: driver, group });
  };

  let last = 0;
  const comeAndGo = async (times: number): Promise<void> => {
    for (let round = 0; round < times; round++) {
      const names = Array.from({ length: lanes }, () => `group ${++last}`);
      await Promise.all(names.map((name, lane) => live(drivers[lane % drivers.length]!, name)));
    }
  };

  /** What still waits of a group that is gone has its table in the store. */
  const settle = async (): Promise<void> => {
    await until('everything is stored', async () => {
      const { states } = await plant.client.ok<{ states: { node: string; cached_msgs?: number }[] }>(
        'GET',
        '/node/state',
      );
      return states.every(({ cached_msgs: waiting = 0 }) => waiting === 0);
    });
  };

  const count = async (): Promise<Map<string, Objects>> => {
    await settle();
    const counts = new Map<string, Objects>();
    for (const [plugin, port] of ports) {
      await using attached = await until('a debugger attaches', () => Debugger.attach(port));
      counts.set(plugin, await objectsOf(attached));
    }
    return counts;
  };

  before(async () => {
    const { client, device, plc, broker, collector, database } = plant;
    const archive = { host: '127.0.0.1', port: database.port, database: 'plant', user: 'postgres', form: 1 };
    for (const [name, plugin, params] of [
      ['plant', 'Modbus TCP', modbusSettings(device.port)],
      ['press', 'Siemens S7 ISOTCP', plc.settings],
      ['north', 'MQTT', mqttSettings(broker.port, { qos: 1 })],
      ['hook', 'HTTP', { url: `http://127.0.0.1:${collector.port}/` }],
      ['archive', 'PostgreSQL', { ...archive, table: '{driver} {group}' }],
    ] as const) {
      await client.ok('POST', '/node', { name, plugin });
      await client.ok('POST', '/node/setting', { node: name, params });
      ports.set(plugin, await freePort());
      await client.ok('PUT', '/plugin/debug', { plugin, port: ports.get(plugin) });
    }
    for (const driver of drivers) await connected(client, driver);
  });

  it('leave nothing behind in the processes of drivers and apps', async () => {
    await comeAndGo(warmUp);
    const before = await count();
    await comeAndGo(rounds);
    const after = await count();
    for (const [plugin, objects] of after) {
      const more = [...objects].map(
        ([kind, there]) => [kind, there - (before.get(plugin)!.get(kind) ?? 0)] as const,
      );
      const kept = more.filter(([, grown]) => grown > most);
      expect(Object.fromEntries(kept), `${plugin} keeps of ${lanes * rounds} groups`).to.deep.equal({});
    }
  });
});
