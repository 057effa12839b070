import { ErrorCode, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, addMqtt, modbusSettings, readValues, registerTags, stateOf } from '../kit/configure.ts';
import { configurationOf } from '../kit/configuration.ts';
import { Gateway } from '../kit/gateway.ts';
import { useNorthPlant } from '../world/plant.ts';

interface Config {
  readonly nodes: readonly { readonly name: string; readonly plugin: string; readonly running: number }[];
  readonly groups: readonly object[];
  readonly tags: readonly { readonly tags: readonly object[] }[];
  readonly subscriptions: readonly object[];
  readonly settings: readonly object[];
  readonly templates: readonly object[];
}

interface Drivers {
  readonly nodes: readonly {
    readonly name: string;
    readonly groups: readonly { readonly group: string }[];
  }[];
}

describe('export and import', function () {
  this.timeout(60_000);
  const { device, broker, gateway, client, subscriber } = useNorthPlant({}, 'test');

  beforeEach(async () => {
    const wide = {
      name: 'wide',
      address: '',
      attribute: Attribute.WRITE | Attribute.STATIC,
      type: 8,
      value: 18446744073709551615n,
    };
    await addModbus(client, 'plant', { port: device.port, tags: [...registerTags(3, 3), wide] });
    await client.ok('POST', '/group', { node: 'plant', name: 'empty', interval: 500 });
    await client.ok('POST', '/node', { name: 'bare', plugin: 'Modbus TCP' });
    await client.ok('POST', '/node', { name: 'halted', plugin: 'Modbus TCP', params: modbusSettings(9) });
    await client.ok('POST', '/node/ctl', { node: 'halted', cmd: 1 });
    await client.ok('POST', '/template', {
      name: 'pump',
      plugin: 'Modbus TCP',
      groups: [{ name: 'fast', interval: 500, tags: [...registerTags(2, 0), wide] }],
    });
    await addMqtt(client, 'north', broker.port);
    await client.ok('POST', '/subscribe', {
      app: 'north',
      driver: 'plant',
      group: 'group',
      params: { topic: 'data' },
    });
  });

  /** Waits until the app sends data from now on. */
  async function untilPublished(): Promise<void> {
    subscriber.clear();
    await subscriber.next('data');
  }

  it('brings a whole configuration to another gateway, which then does the same work', async () => {
    const config = await client.ok<Config>('GET', '/global/config');
    expect(config.nodes.map(({ name, running }) => [name, running])).to.deep.equal([
      ['plant', 3],
      ['bare', 1],
      ['halted', 4],
      ['north', 3],
    ]);
    const before = await configurationOf(client);
    const other = await Gateway.start();
    try {
      const there = await other.client();
      await there.ok('POST', '/node', { name: 'to be replaced', plugin: 'MQTT' });
      const own = { name: 'own', plugin: 'Modbus TCP', groups: [] };
      await there.ok('POST', '/template', own);
      const { templates, ...withoutTemplates } = config;
      await there.ok('PUT', '/global/config', withoutTemplates);
      expect((await there.ok<Config>('GET', '/global/config')).templates).to.deep.equal([own]);
      expect(templates).to.have.lengthOf(1);
      expect(await there.ok('PUT', '/global/config', { ...config })).to.deep.equal({ error: 0 });
      expect(await configurationOf(there)).to.deep.equal(before);
      expect(await there.ok('GET', '/global/config')).to.deep.equal(config);
      const values = await readValues(there, 'plant', 'group');
      expect(values.get('wide')?.value).to.equal(18446744073709551615n);
      await other.restart();
      expect(await configurationOf(there)).to.deep.equal(before);
      expect((await there.ok<Config>('GET', '/global/config')).templates).to.deep.equal(templates);
    } finally {
      await other.dispose();
    }
  });

  it('of its own configuration leaves a gateway that works as before', async () => {
    const config = await client.ok<Config>('GET', '/global/config');
    await client.ok('PUT', '/global/config', { ...config });
    await readValues(client, 'plant', 'group');
    await untilPublished();
    expect((await stateOf(client, 'halted')).running).to.equal(4);
  });

  it('changes nothing when one thing of many is wrong, on disk neither', async () => {
    const config = await client.ok<Config>('GET', '/global/config');
    const before = await configurationOf(client);
    const template = { name: 'new', plugin: 'Modbus TCP', groups: [] };
    const bad = { name: 'bad', address: 'nonsense', attribute: Attribute.READ, type: 3 };
    const wrong: readonly [change: Partial<Config>, status: number, error: number][] = [
      [{ nodes: config.nodes.slice(1) }, 404, ErrorCode.NODE_NOT_FOUND],
      [{ groups: config.groups.slice(1) }, 404, ErrorCode.GROUP_NOT_FOUND],
      [
        { tags: [...config.tags, { driver: 'plant', group: 'empty', tags: [bad] } as never] },
        400,
        ErrorCode.TAG_ADDRESS_INVALID,
      ],
      [
        { subscriptions: [...config.subscriptions, { app: 'north', driver: 'plant', group: 'x' }] },
        404,
        ErrorCode.GROUP_NOT_FOUND,
      ],
      [
        { settings: [...config.settings, { node: 'bare', params: { port: 'x' } }] },
        400,
        ErrorCode.NODE_SETTING_INVALID,
      ],
      [
        { nodes: [], groups: [], tags: [], subscriptions: [], settings: [], templates: [template, template] },
        409,
        ErrorCode.TEMPLATE_EXISTS,
      ],
    ];
    for (const [change, status, error] of wrong) {
      const reply = await client.call('PUT', '/global/config', { ...config, ...change });
      expect([reply.status, reply.body.error], Object.keys(change).join()).to.deep.equal([status, error]);
    }
    expect(await configurationOf(client)).to.deep.equal(before);
    await gateway.kill();
    await gateway.start();
    expect(await configurationOf(client)).to.deep.equal(before);
    expect((await client.ok<Config>('GET', '/global/config')).templates).to.deep.equal(config.templates);
  });

  it('of drivers replaces them, and what they sent before they go on sending', async () => {
    const { nodes } = await client.ok<Drivers>('GET', '/global/drivers', { name: 'plant,absent' });
    expect(nodes.map(({ name }) => name)).to.deep.equal(['plant']);
    expect(nodes[0]?.groups.map(({ group }) => group)).to.deep.equal(['group', 'empty']);
    const all = await client.ok<Drivers>('GET', '/global/drivers');
    expect(all.nodes.map(({ name }) => name)).to.deep.equal(['plant', 'bare', 'halted']);

    await client.ok('PUT', '/global/drivers', { nodes: [{ ...nodes[0], name: 'copy' }, ...nodes] });
    await readValues(client, 'copy', 'group');
    await readValues(client, 'plant', 'group');
    await untilPublished();
    const after = await client.ok<Drivers>('GET', '/global/drivers', { name: 'plant' });
    expect(after.nodes).to.deep.equal(nodes);
  });
});
