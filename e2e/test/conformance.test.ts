import { expect } from 'chai';
import { startBroker } from '../brokers.ts';
import type { Broker } from '../brokers.ts';
import type { Client, Data, Method } from '../client.ts';
import { addModbus, addMqtt, connected, modbusSettings, mqttSettings, readValues } from '../configure.ts';
import { Device } from '../devices.ts';
import { bodies, specification } from '../conformance/index.ts';
import { Gateway } from '../gateway.ts';
import { addLibrary } from '../libraries.ts';

describe('conformance', function () {
  this.timeout(60_000);
  let device: Device;
  let broker: Broker;
  let gateway: Gateway;
  let client: Client;

  /** The gateway that the table presupposes. */
  before(async () => {
    device = await Device.start();
    broker = await startBroker();
    gateway = await Gateway.start({
      prepare: async (data) => {
        await addLibrary(data, 'single', { manifest: { features: [] } });
      },
    });
    client = await gateway.client();
    const word = { name: 'word', address: '1!400001', attribute: 3, type: 4 };
    await addModbus(client, 'plant', {
      port: device.port,
      group: 'line',
      tags: [
        word,
        { name: 'short', address: '1!400002', attribute: 3, type: 3 },
        { name: 'long', address: '1!400003', attribute: 3, type: 8 },
        { name: 'float', address: '1!400007', attribute: 3, type: 9 },
        { name: 'text', address: '1!400010.20', attribute: 3, type: 13 },
        { name: 'bytes', address: '1!400030.4', attribute: 3, type: 14 },
        { name: 'coil', address: '1!000001', attribute: 3, type: 11 },
        { name: 'scaled', address: '1!400040', attribute: 3, type: 3, decimal: 0.1 },
        { name: 'read only', address: '1!400001', attribute: 1, type: 4 },
        { name: 'constant', address: '', attribute: 8, type: 3, value: 7 },
        { name: 'adjustable', address: '', attribute: 10, type: 3, value: 7 },
      ],
    });
    await client.ok('POST', '/group', { name: 'second', node: 'plant', interval: 1000 });
    await addModbus(client, 'dark', { port: 9, group: 'line', tags: [word] });
    await client.ok('POST', '/node', { name: 'idle', plugin: 'Modbus TCP' });
    await client.ok('POST', '/tags', {
      node: 'idle',
      group: 'line',
      tags: [word, { ...word, name: 'text', address: '1!400010.20', type: 13 }],
    });
    await client.ok('POST', '/node', { name: 'single', plugin: 'single', params: {} });
    await client.ok('POST', '/tags', {
      node: 'single',
      group: 'line',
      tags: [{ name: 'word', address: 'command', attribute: 3, type: 13 }],
    });
    await addMqtt(client, 'north', broker.port);
    await client.ok('POST', '/node', { name: 'bare', plugin: 'MQTT' });
    await client.ok('POST', '/subscribe', {
      app: 'north',
      driver: 'plant',
      group: 'line',
      params: { topic: 'a' },
    });
    await connected(client, 'plant');
    await readValues(client, 'plant', 'line');
  });

  after(async () => {
    await gateway?.dispose();
    await broker?.stop();
    await device?.stop();
  });

  for (const [endpoint, rows] of Object.entries(specification)) {
    const [method, path] = endpoint.split(' ') as [Method, string];
    describe(endpoint, () => {
      for (const [when, send, status, error, more = {}] of rows) {
        const { index } = typeof more === 'number' ? { index: more } : more;
        it(`${status} ${error}: ${when}`, async () => {
          const reply = await client.call(method, path, send);
          expect(
            { status: reply.status, error: reply.body.error ?? 0 },
            reply.text.slice(0, 300),
          ).to.deep.equal({ status, error });
          if (index !== undefined) expect(reply.body.index, 'index').to.equal(index);
        });
      }
    });
  }

  for (const [endpoint, body] of Object.entries(bodies)) {
    const [method, path] = endpoint.split(' ') as [Method, string];
    describe(`${endpoint} with a body that is wrong`, () => {
      const wrong: [what: string, data: Data][] = [
        ['no body', undefined],
        ['empty', ''],
        ['no JSON', '{'],
        ['an array', '[]'],
        ['a string', '"body"'],
        ['null', 'null'],
        ['a prototype', '{"__proto__": {"node": "plant"}}'],
        ...Object.keys(body).map((key): [string, Data] => [`without ${key}`, { ...body, [key]: undefined }]),
        ...Object.entries(body).map(([key, value]): [string, Data] => [
          `${key} of another type`,
          { ...body, [key]: typeof value === 'string' ? 1 : 'text' },
        ]),
        ...Object.keys(body)
          // Null is what some clients send for a value they do not have.
          .map((key): [string, Data] => [`${key} null`, { ...body, [key]: null }]),
      ];
      for (const [what, data] of wrong) {
        it(`400 1002: ${what}`, async () => {
          const reply = await client.call(method, path, data);
          expect({ status: reply.status, error: reply.body.error }, reply.text.slice(0, 300)).to.deep.equal({
            status: 400,
            error: 1002,
          });
        });
      }
    });
  }

  describe('tags in a read', () => {
    const read = async (node: string): Promise<(number | undefined)[]> => {
      const { tags } = await client.ok<{ tags: { error?: number }[] }>('POST', '/read', {
        node,
        group: 'line',
      });
      return tags.map(({ error }) => error);
    };

    it('3010 when the node does not run', async () => {
      expect(new Set(await read('idle'))).to.deep.equal(new Set([3010]));
    });

    it('3002 when the device is not connected', async () => {
      expect(await read('dark')).to.deep.equal([3002]);
    });

    it('no member "value" beside an error, no member "error" beside a value', async () => {
      const { tags } = await client.ok<{ tags: object[] }>('POST', '/read', { node: 'dark', group: 'line' });
      expect(tags).to.deep.equal([{ name: 'word', error: 3002 }]);
      const good = await client.ok<{ tags: object[] }>('POST', '/read', {
        node: 'plant',
        group: 'line',
        query: { name: 'constant' },
      });
      expect(good.tags).to.deep.equal([{ name: 'constant', value: 7 }]);
    });
  });

  describe('what a refused call leaves behind', () => {
    it('nothing of a node whose params were refused', async () => {
      await client.call('POST', '/node', { name: 'refused', plugin: 'Modbus TCP', params: { host: 1 } });
      expect((await client.call('GET', '/node/state', { node: 'refused' })).body.error).to.equal(2003);
    });

    it('the tags of a batch before the first bad one, and nothing after it', async () => {
      const tag = (name: string, address: string): object => ({ name, address, attribute: 1, type: 3 });
      const tags = [tag('a', '1!400001'), tag('b', '1!400002'), tag('c', 'nonsense'), tag('d', '1!400004')];
      const reply = await client.call('POST', '/tags', { node: 'idle', group: 'batch', tags });
      expect(reply.status).to.equal(206);
      expect(reply.body).to.deep.equal({ index: 2, error: 2205 });
      const listed = await client.ok<{ tags: { name: string }[] }>('GET', '/tags', {
        node: 'idle',
        group: 'batch',
      });
      expect(listed.tags.map(({ name }) => name)).to.deep.equal(['a', 'b']);
    });

    it('nothing on the device of a write of several tags of which one is refused', async () => {
      await device.setRegisters(0, [11]);
      const tags = [
        { tag: 'word', value: 12 },
        { tag: 'absent', value: 1 },
      ];
      await client.call('POST', '/write/tags', { node: 'plant', group: 'line', tags });
      expect(await device.registers(0, 1)).to.deep.equal([11]);
    });

    it('the subscriptions of a list before the first bad one', async () => {
      const groups = [
        { driver: 'dark', group: 'line', params: { topic: 'b' } },
        { driver: 'dark', group: 'absent', params: { topic: 'c' } },
        { driver: 'plant', group: 'second', params: { topic: 'd' } },
      ];
      const reply = await client.call('POST', '/subscribes', { app: 'bare', groups });
      expect({ status: reply.status, error: reply.body.error }).to.deep.equal({ status: 404, error: 2106 });
      const kept = await client.ok<{ groups: object[] }>('GET', '/subscribe', { app: 'bare' });
      expect(kept.groups).to.deep.equal([groups[0]]);
    });

    it('the gateway as usable as before', async () => {
      await readValues(client, 'plant', 'line');
      await client.ok('POST', '/node/setting', { node: 'plant', params: modbusSettings(device.port) });
      await client.ok('POST', '/node/setting', { node: 'north', params: mqttSettings(broker.port) });
    });
  });

  it('404 for a path that does not exist, 405 for a method that a path does not have', async () => {
    expect((await client.call('GET', '/nothing')).status).to.equal(404);
    expect((await client.call('GET', '/node/nothing')).status).to.equal(404);
    expect((await client.call('PUT', '/version')).status).to.equal(405);
    expect((await client.call('DELETE', '/read')).status).to.equal(405);
  });

  it('an answer to a body that is too big, and to a huge number of tags', async () => {
    const tags = Array.from({ length: 70_000 }, (_, index) => ({
      name: `t${index}`,
      address: 'x',
      attribute: 1,
      type: 3,
    }));
    const reply = await client
      .call('POST', '/tags', { node: 'idle', group: 'huge', tags })
      .catch(() => undefined);
    // A server may also close the connection on a body it will not read.
    if (reply !== undefined) expect(reply.status).to.be.within(400, 413);
    expect((await client.call('GET', '/version')).status).to.equal(200);
  });
});
