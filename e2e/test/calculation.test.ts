import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, hasValue, readGroup, registerTags, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { usePlant } from '../world/plant.ts';

const { READ, SUBSCRIBE, WRITE } = Attribute;
const { BIT, DOUBLE, INT16, INT64, STRING } = DataType;

const tag = (name: string, address: string, type: number, attribute: number = READ): TagBody => ({
  name,
  address,
  type,
  attribute,
});

const flow = 'tag("plc/fast/tag0")';

/** Tags of one node over a device, and of another one over these. */
const sums = [
  tag('doubled', `${flow} * 2`, INT16, READ | SUBSCRIBE),
  tag('litres', `scale(${flow}, 0, 1000, 0.0, 50.0)`, DOUBLE, READ | WRITE),
  tag('high', `${flow} > 100`, BIT),
  tag('word', `${flow} > 100 ? "high" : "low"`, STRING),
  tag('safe', `good(${flow}) ? ${flow} : -1`, INT16),
  tag('rises', `count(${flow} > 100)`, INT64),
  tag('sum', `total(${flow})`, DOUBLE),
];

describe('Calculation', function () {
  this.timeout(120_000);
  const { gateway, client, device } = usePlant();

  const valueOf = async (node: string, name: string): Promise<unknown> =>
    (await readGroup(client, node, 'group')).get(name)?.value;

  const test = (address: string, type: number): ReturnType<typeof client.call> =>
    client.call('POST', '/read/test', {
      driver: 'sums',
      group: 'group',
      tag: 'test',
      address,
      attribute: READ,
      type,
      precision: 0,
      decimal: 0,
      bias: 0,
    });

  before(async () => {
    await device.setRegisters(0, [5, 7]);
    await addModbus(client, 'plc', { port: device.port, group: 'fast', tags: registerTags(2, READ | WRITE) });
    for (const [node, tags] of [
      ['sums', sums],
      ['further', [tag('again', 'tag("sums/group/doubled") + 1', INT16)]],
    ] as const) {
      await client.ok('POST', '/node', { name: node, plugin: 'Calculation' });
      await client.ok('POST', '/node/setting', { node, params: { save_interval: 1 } });
      await client.ok('POST', '/group', { name: 'group', node, interval: 500 });
      await client.ok('POST', '/tags', { node, group: 'group', tags });
    }
  });

  it('calculates from a device, and from calculated tags', async () => {
    await hasValue(client, 'further', 'group', 'again', 11);
    const values = await readGroup(client, 'sums', 'group');
    expect(values.get('doubled')?.value).to.equal(10);
    expect(values.get('litres')?.value).to.equal(0.25);
    expect(values.get('high')?.value).to.equal(0);
    expect(values.get('word')?.value).to.equal('low');
  });

  it('writes the tag that a calculated one stands for', async () => {
    await client.ok('POST', '/write', { node: 'sums', group: 'group', tag: 'litres', value: 10 });
    expect(await device.registers(0, 1)).to.deep.equal([200]);
    await hasValue(client, 'sums', 'group', 'word', 'high');
    const { body } = await client.call('POST', '/write', {
      node: 'sums',
      group: 'group',
      tag: 'litres',
      value: 1e9,
    });
    expect(body).to.include({ error: ErrorCode.VALUE_OUT_OF_RANGE });
  });

  it('refuses what is wrong, with the place, and a reference to nothing', async () => {
    const wrong = (address: string, attribute: number = READ): ReturnType<typeof client.call> =>
      client.call('POST', '/tags', {
        node: 'sums',
        group: 'group',
        tags: [tag('wrong', address, DOUBLE, attribute)],
      });
    expect(JSON.stringify((await wrong(`${flow} +`)).body)).to.include(
      `"error":${ErrorCode.TAG_ADDRESS_INVALID}`,
    );
    expect(JSON.stringify((await wrong(`${flow} +`)).body)).to.include(
      'Character 23: A value is missing here',
    );
    expect(JSON.stringify((await wrong('tag("plc/fast/nothing") + 1')).body)).to.include('plc/fast/nothing');
    expect(JSON.stringify((await wrong(`${flow} + 1`, READ | WRITE)).body)).to.include(
      `"error":${ErrorCode.TAG_ATTRIBUTE_UNSUPPORTED}`,
    );
    expect(JSON.stringify((await wrong(`${flow}${' '.repeat(4096)}`)).body)).to.include(
      `"error":${ErrorCode.TAG_ADDRESS_TOO_LONG}`,
    );
  });

  it('a test read calculates without adding', async () => {
    expect((await test(`${flow} + 0.5`, DOUBLE)).body).to.deep.equal({ value: 200.5 });
    expect((await test('1 / 0', INT16)).body).to.include({ error: 12001 });
  });

  for (const [how, restart] of [
    ['a stop', () => gateway.restart()],
    ['kill -9', () => gateway.kill().then(() => gateway.start())],
  ] as const)
    it(`totals and counts go on after ${how}`, async () => {
      for (const value of [5, 300, 5, 300]) {
        await device.setRegisters(0, [value]);
        await hasValue(client, 'plc', 'fast', 'tag0', value);
        await hasValue(client, 'sums', 'group', 'safe', value);
      }
      const rises = Number(await valueOf('sums', 'rises'));
      const sum = Number(await valueOf('sums', 'sum'));
      expect(rises).to.be.at.least(2);
      expect(sum).to.be.above(0);
      // With the setting of these nodes, what is a second old is saved.
      await until('the sum went on for long enough to be saved', async () => {
        return Number(await valueOf('sums', 'sum')) > sum + 300 * 2.5;
      });
      await restart();
      const fresh = await until('the sum is there again', async () => {
        const value = await valueOf('sums', 'sum');
        return value === undefined ? undefined : Number(value);
      });
      expect(fresh).to.be.above(sum);
      expect(Number(await valueOf('sums', 'rises'))).to.equal(rises);
      await connected(client, 'plc');
    });

  it('goes on with another name of what it reads', async () => {
    const sum = Number(await valueOf('sums', 'sum'));
    await client.ok('PUT', '/node', { name: 'plc', new_name: 'pump 1/2' });
    await device.setRegisters(0, [42]);
    await hasValue(client, 'sums', 'group', 'doubled', 84);
    expect(Number(await valueOf('sums', 'sum'))).to.be.at.least(sum);
    const { tags } = await client.ok<{ tags: TagBody[] }>('GET', '/tags', { node: 'sums', group: 'group' });
    expect(tags[0]?.address).to.equal('tag("pump 1%2F2/fast/tag0") * 2');
    await client.ok('PUT', '/node', { name: 'pump 1/2', new_name: 'plc' });
  });

  it('the fault of an input names it, and costs nothing else', async () => {
    await client.ok('POST', '/node/ctl', { node: 'plc', cmd: 1 });
    await hasValue(client, 'sums', 'group', 'safe', -1);
    const { tags } = await client.ok<{ tags: { name: string; error?: number }[] }>('POST', '/read', {
      node: 'sums',
      group: 'group',
      sync: true,
    });
    expect(tags.find(({ name }) => name === 'doubled')?.error).to.be.a('number');
    const { body } = await test(`${flow} + 1`, INT16);
    expect(JSON.stringify(body)).to.include('plc/fast/tag0');
    await client.ok('POST', '/node/ctl', { node: 'plc', cmd: 0 });
    await hasValue(client, 'sums', 'group', 'safe', 42);
  });
});
