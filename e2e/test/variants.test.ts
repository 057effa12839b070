import { DataType, ErrorCode, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { connected } from '../kit/configure.ts';
import { usePlant } from '../world/plant.ts';

describe('older forms of requests', function () {
  this.timeout(60_000);

  const { device, gateway, client } = usePlant();

  before(async () => {
    await client.ok('POST', '/node', { name: 'plant', plugin: 'Modbus TCP' });
  });

  it('name a new group "group"', async () => {
    await client.ok('POST', '/group', { node: 'plant', group: 'line', interval: 1000 });
    await client.ok('POST', '/group', { node: 'plant', name: 'second', group: 'ignored', interval: 1000 });
    const { groups } = await client.ok<{ groups: { name: string }[] }>('GET', '/group', { node: 'plant' });
    expect(groups.map(({ name }) => name)).to.deep.equal(['line', 'second']);
  });

  it('spell the precision "precison", in nodes and in templates', async () => {
    const tag = {
      name: 'level',
      address: '1!400001',
      attribute: Attribute.READ,
      type: DataType.FLOAT,
      precison: 3,
    };
    await client.ok('POST', '/tags', { node: 'plant', group: 'line', tags: [tag] });
    const groups = [{ name: 'line', interval: 1000, tags: [tag] }];
    await client.ok('POST', '/template', { name: 'level', plugin: 'Modbus TCP', groups });
    for (const [path, query] of [
      ['/tags', { node: 'plant', group: 'line' }],
      ['/template/tag', { template: 'level', group: 'line' }],
    ] as const) {
      const { tags } = await client.ok<{ tags: { precision: number }[] }>('GET', path, query);
      expect(tags.map(({ precision }) => precision)).to.deep.equal([3]);
    }
  });

  it('ask for the schema of a plugin by its name', async () => {
    const wanted = await client.ok('GET', '/schema', { schema_name: 'modbus-tcp' });
    expect(await client.ok('GET', '/schema', { plugin_name: 'modbus-tcp' })).to.deep.equal(wanted);
    expect(await client.ok('GET', '/schema', { plugin_name: 'Modbus TCP' })).to.deep.equal(wanted);
  });

  it('update a node by its id: that is refused, and nothing changes', async () => {
    const reply = await client.call('PUT', '/node', { id: 1, name: 'plant' });
    expect([reply.status, reply.body]).to.deep.equal([
      400,
      { error: ErrorCode.NODE_NOT_UPDATABLE, message: 'A node is renamed: the member new_name is missing.' },
    ]);
    const { nodes } = await client.ok<{ nodes: object[] }>('GET', '/node', { type: 1 });
    expect(nodes).to.deep.equal([{ name: 'plant', plugin: 'Modbus TCP' }]);
  });

  it('set a Modbus TCP node up with the short form of its settings', async () => {
    const params = { connection_mode: 0, host: '127.0.0.1', port: device.port, timeout: 3000 };
    await client.ok('POST', '/node/setting', { node: 'plant', params });
    await connected(client, 'plant');
  });

  it('do not name the content type, or misspell its header', async () => {
    const { token } = client;
    for (const name of ['Content-Type', 'Content--Type']) {
      const response = await fetch(`${gateway.url}/api/v2/read`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, [name]: 'text/plain' },
        body: JSON.stringify({ node: 'plant', group: 'second' }),
      });
      expect(await response.json()).to.deep.include({ tags: [] });
    }
  });

  it('find both shapes in the state of one node', async () => {
    const state = await client.ok<{ states: object[]; running: number; link: number }>('GET', '/node/state', {
      node: 'plant',
    });
    expect(state).to.include({ running: 3, link: 2 });
    expect(state.states[0]).to.include({ node: 'plant', running: 3, link: 2 });
  });
});
