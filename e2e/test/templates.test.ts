import { Attribute, DataType, RunningState, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { modbusSettings, readValues, stateOf } from '../kit/configure.ts';
import { words } from '../world/devices.ts';
import { usePlant } from '../world/plant.ts';

const rw = Attribute.READ | Attribute.WRITE;

/** A template as the API shows it. */
interface Template {
  readonly name: string;
  readonly plugin: string;
  readonly groups: { name: string; interval: number; tags: { name: string; value?: unknown }[] }[];
}

describe('a template', function () {
  this.timeout(60_000);

  const { device, gateway, client } = usePlant();

  before(async () => {
    await device.setRegisters(0, [42, ...words('Float', 1.5)]);
    await client.ok('POST', '/template', {
      name: 'pump',
      plugin: 'Modbus TCP',
      groups: [
        {
          name: 'fast',
          interval: 100,
          tags: [
            { name: 'speed', address: '1!400001', attribute: rw, type: DataType.UINT16 },
            {
              name: 'flow',
              address: '1!400002',
              attribute: Attribute.READ,
              type: DataType.FLOAT,
              decimal: 2,
            },
            {
              name: 'serial',
              address: '',
              attribute: Attribute.STATIC,
              type: DataType.UINT64,
              value: 18446744073709551615n,
            },
          ],
        },
        { name: 'slow', interval: 60_000, tags: [] },
      ],
    });
  });

  const template = (): Promise<Template> => client.ok<Template>('GET', '/template', { name: 'pump' });

  it('is shown as it was sent, with every member of its tags', async () => {
    const { templates } = await client.ok<{ templates: object[] }>('GET', '/template');
    expect(templates).to.deep.equal([{ name: 'pump', plugin: 'Modbus TCP' }]);
    const shown = await template();
    expect(shown.groups.map(({ name, interval }) => [name, interval])).to.deep.equal([
      ['fast', 100],
      ['slow', 60_000],
    ]);
    expect(shown.groups[0]?.tags[2]).to.deep.equal({
      name: 'serial',
      address: '',
      attribute: Attribute.STATIC,
      type: DataType.UINT64,
      precision: 0,
      decimal: 0,
      bias: 0,
      description: '',
      value: 18446744073709551615n,
    });
    const { groups } = await client.ok<{ groups: object[] }>('GET', '/template/group', { name: 'pump' });
    expect(groups).to.deep.equal([
      { name: 'fast', interval: 100, tag_count: 3 },
      { name: 'slow', interval: 60_000, tag_count: 0 },
    ]);
  });

  it('becomes nodes that poll once they are set up', async () => {
    const nodes = ['north', 'south'].map((node) => ({ name: 'pump', node }));
    await client.ok('POST', '/template/instances', { nodes });
    await client.ok('POST', '/template/inst', { name: 'pump', node: 'third' });
    for (const node of ['north', 'south', 'third']) {
      expect((await stateOf(client, node)).running).to.equal(RunningState.INIT);
      await client.ok('POST', '/node/setting', { node, params: modbusSettings(device.port) });
    }
    for (const node of ['north', 'south', 'third']) {
      const values = await readValues(client, node, 'fast');
      expect([...values.values()].map(({ name, value }) => [name, value])).to.deep.equal([
        ['speed', 42],
        ['flow', 3],
        ['serial', 18446744073709551615n],
      ]);
    }
    await client.ok('POST', '/write', { node: 'south', group: 'fast', tag: 'speed', value: 43 });
    expect(await device.registers(0, 1)).to.deep.equal([43]);
  });

  it('makes no node of a call of which one is refused', async () => {
    const nodes = [
      { name: 'pump', node: 'fourth' },
      { name: 'pump', node: 'north' },
    ];
    const reply = await client.call('POST', '/template/instances', { nodes });
    expect([reply.status, reply.body.error]).to.deep.equal([409, ErrorCode.NODE_EXISTS]);
    expect((await client.call('GET', '/node/state', { node: 'fourth' })).body.error).to.equal(
      ErrorCode.NODE_NOT_FOUND,
    );
  });

  it('changes without its nodes', async () => {
    const tag = { name: 'extra', address: '1!400005', attribute: Attribute.READ, type: DataType.INT16 };
    const added = await client.ok('POST', '/template/tag', { template: 'pump', group: 'slow', tags: [tag] });
    expect(added.index).to.equal(1);
    await client.ok('PUT', '/template/group', { template: 'pump', group: 'slow', new_name: 'slower' });
    await client.ok('DELETE', '/template/tag', { template: 'pump', group: 'fast', tags: ['flow'] });
    const { groups } = await client.ok<{ groups: object[] }>('GET', '/group', { node: 'north' });
    expect(groups).to.deep.equal([
      { name: 'fast', interval: 100, tag_count: 3 },
      { name: 'slow', interval: 60_000, tag_count: 0 },
    ]);
  });

  it('is there after a restart and after a crash, and so are its nodes', async () => {
    const kept = await template();
    expect(kept.groups.map(({ name, tags }) => [name, tags.map((tag) => tag.name)])).to.deep.equal([
      ['fast', ['speed', 'serial']],
      ['slower', ['extra']],
    ]);
    await gateway.restart();
    expect(await template()).to.deep.equal(kept);
    await gateway.kill();
    await gateway.start();
    expect(await template()).to.deep.equal(kept);
    expect((await readValues(client, 'north', 'fast')).get('speed')?.value).to.equal(43);
    await client.ok('POST', '/template/inst', { name: 'pump', node: 'later' });
    const { groups } = await client.ok<{ groups: { name: string }[] }>('GET', '/group', { node: 'later' });
    expect(groups.map(({ name }) => name)).to.deep.equal(['fast', 'slower']);
  });

  it('goes without its nodes', async () => {
    await client.ok('DELETE', '/template', { name: 'pump' });
    expect((await client.call('GET', '/template', { name: 'pump' })).body.error).to.equal(
      ErrorCode.TEMPLATE_NOT_FOUND,
    );
    await gateway.restart();
    expect((await client.ok<{ templates: object[] }>('GET', '/template')).templates).to.deep.equal([]);
    expect((await readValues(client, 'south', 'fast')).size).to.equal(3);
  });
});
