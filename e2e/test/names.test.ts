import { ErrorCode, Attribute } from '@tagway/schemas';
import { expect } from 'chai';
import { addMqtt, modbusSettings, readValues, stateOf, type TagBody } from '../kit/configure.ts';
import { configurationOf, nodeNames } from '../kit/configuration.ts';
import { useNorthPlant } from '../world/plant.ts';
import type { Upload } from '../world/subscriber.ts';

const rw = Attribute.READ | Attribute.WRITE;

const names: readonly (readonly [what: string, name: string])[] = [
  ['letters of many scripts', 'Pumpe Nº 1 – 泵 – насос – 🏭'],
  ['a slash', 'hall 1/line 2'],
  ['only a slash', '/'],
  ['dots of a path', '../../etc/passwd'],
  ['a dot', '.'],
  ['a blank', ' '],
  ['blanks around it', ' padded '],
  ['quotes and a backslash', `"quoted" 'and' \\ back`],
  ['braces', '{"name":"x"}'],
  ['a line break and a tab', 'two\nlines\tand a tab'],
  ['a character of zero', 'zero\u0000inside'],
  ['characters of a query', 'a=b&c=d?e#f%20+g'],
  ['127 bytes', 'x'.repeat(127)],
  ['127 bytes of wide characters', `${'泵'.repeat(42)}x`],
  ['a separator of keys', 'a:b::c'],
  ['SQL', "'; DROP TABLE node; --"],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['toString', 'toString'],
  ['hasOwnProperty', 'hasOwnProperty'],
  ['a number', '0'],
  ['another number', '1'],
  ['composed', 'é'],
  ['decomposed', 'e\u0301'],
];

describe('names', function () {
  this.timeout(60_000);

  const { device, broker, gateway, client, subscriber } = useNorthPlant();

  before(async () => {
    await addMqtt(client, 'values', broker.port, { format: 0 });
    await addMqtt(client, 'tags', broker.port, { format: 1 });
  });

  for (const [index, [what, name]] of names.entries()) {
    it(`${what}: as node, group and tag, read, written and uploaded`, async () => {
      await device.setRegisters(0, [index]);
      await client.ok('POST', '/node', { name, plugin: 'Modbus TCP' });
      await client.ok('POST', '/group', { name, node: name, interval: 100 });
      await client.ok('POST', '/tags', {
        node: name,
        group: name,
        tags: [
          { name: 'first', address: '1!400002', attribute: Attribute.READ, type: 4 },
          { name, address: '1!400001', attribute: rw, type: 4, description: name },
        ],
      });
      await client.ok('POST', '/node/setting', { node: name, params: modbusSettings(device.port) });
      for (const app of ['values', 'tags']) {
        const params = { topic: `${app}/${index}` };
        await client.ok('POST', '/subscribe', { app, driver: name, group: name, params });
      }

      const values = await readValues(client, name, name);
      expect([...values.keys()]).to.deep.equal(['first', name]);
      expect(values.get(name)?.value).to.equal(index);
      expect(await stateOf(client, name)).to.include({ running: 3 });
      const query = { type: 1, node: name };
      const { nodes } = await client.ok<{ nodes: { name: string }[] }>('GET', '/node', query);
      expect(nodes.map((node) => node.name)).to.include(name);
      const filter = { node: name, group: name, name };
      const { tags } = await client.ok<{ tags: TagBody[] }>('GET', '/tags', filter);
      expect(tags.some((tag) => tag.name === name && tag.description === name)).to.equal(true);

      await client.ok('POST', '/write', { node: name, group: name, tag: name, value: 1000 + index });
      expect(await device.registers(0, 1)).to.deep.equal([1000 + index]);

      // What a parser makes of a key __proto__ is an own member like any other.
      const written = ({ values: sample = {} }: Upload): boolean =>
        Object.entries(sample).some(([key, value]) => key === name && value === 1000 + index);
      expect(await subscriber.upload(`values/${index}`, written)).to.include({ node: name, group: name });
      const listed = ({ tags: sample = [] }: Upload): boolean =>
        sample.some((tag) => tag.name === name && tag.value === 1000 + index);
      expect(await subscriber.upload(`tags/${index}`, listed)).to.include({ node: name, group: name });
    });
  }

  it('all of them together survive a restart', async () => {
    const before = await configurationOf(client);
    expect(await nodeNames(client, 1)).to.deep.equal(names.map(([, name]) => name));
    await gateway.restart();
    expect(await configurationOf(client)).to.deep.equal(before);
    for (const [, name] of names) await readValues(client, name, name);
  });

  it('all of them can be renamed and deleted', async () => {
    for (const [, name] of names) {
      await client.ok('PUT', '/node', { name, new_name: 'renamed' });
      await client.ok('PUT', '/node', { name: 'renamed', new_name: name });
      await client.ok('DELETE', '/tags', { node: name, group: name, tags: [name] });
      await client.ok('DELETE', '/node', { name });
      const error = await client.errorOf('GET', '/node/state', { node: name });
      expect(error).to.equal(ErrorCode.NODE_NOT_FOUND);
    }
    expect((await configurationOf(client)).drivers).to.deep.equal([]);
  });

  it('128 bytes are too long, also of fewer characters', async () => {
    for (const name of ['x'.repeat(128), '泵'.repeat(43)]) {
      const error = await client.errorOf('POST', '/node', { name, plugin: 'Modbus TCP' });
      expect(error).to.equal(ErrorCode.NODE_NAME_TOO_LONG);
    }
  });
});
