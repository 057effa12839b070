import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import type { TagBody } from '../kit/configure.ts';
import { addLibrary, runs } from '../kit/libraries.ts';
import { useGateway } from '../world/plant.ts';
import { Observation } from './figures.ts';

/** Takes ages for many letters "a" that something else follows. */
const pattern = '^(?!b)(a+)+$';
const attack = `${'a'.repeat(60)}!`;
const id = 'backtracker';

const tagOf = (name: string, address: string): TagBody => ({
  name,
  address,
  type: DataType.INT32,
  attribute: Attribute.READ,
});

describe("a plugin's regular expression that takes for ever", function () {
  this.timeout(30_000);
  let observation: Observation;
  const { gateway, client } = useGateway({
    prepare: async (data) => {
      const tags = { groupInterval: 1000, addresses: [{ type: DataType.INT32, pattern }] };
      await addLibrary(data, id, { manifest: { tags } });
      const path = join(data, 'libraries', id, 'settings.schema.json');
      const schema = JSON.parse(await readFile(path, 'utf8')) as { properties: Record<string, object> };
      schema.properties['while'] = { ...schema.properties['while'], pattern: `${pattern}|^$` };
      await writeFile(path, JSON.stringify(schema));
    },
  });

  before(async () => {
    await client.ok('POST', '/node', { name: id, plugin: id });
    await client.ok('POST', '/group', { name: 'group', node: id, interval: 1000 });
  });

  beforeEach(async () => {
    observation = await Observation.begin(gateway, client);
  });

  afterEach(async () => {
    expect((await observation.end()).pause, 'milliseconds of the slowest other answer').to.be.lessThan(1500);
  });

  const addTags = (tags: readonly TagBody[]): ReturnType<Client['call']> =>
    client.call('POST', '/tags', { node: id, group: 'group', tags });

  it('refuses the tag with its address and those after it; those before it are added', async () => {
    const { body } = await addTags([tagOf('good', 'aa'), tagOf('bad', attack), tagOf('next', 'aaa')]);
    expect(body).to.include({ index: 1, error: ErrorCode.TAG_ADDRESS_INVALID });
    expect(body).to.have.property('message').that.includes(pattern).and.includes(id).and.includes('"bad"');
  });

  it('does so every time, and goes on with what it understands', async () => {
    for (let round = 0; round < 3; round++)
      expect((await addTags([tagOf('bad', attack)])).body).to.include({ index: 0 });
    expect((await addTags([tagOf('bad', 'b')])).body).to.include({ error: ErrorCode.TAG_ADDRESS_INVALID });
    expect((await addTags([tagOf('fine', 'aaaa')])).body).to.include({ error: 0 });
  });

  it('refuses the setting, and takes one that fits', async () => {
    const { body } = await client.call('POST', '/node/setting', { node: id, params: { while: attack } });
    expect(body).to.include({ error: ErrorCode.NODE_SETTING_INVALID });
    expect(body).to.have.property('message').that.includes('"while"').and.includes(id);
    expect(body).to.have.property('message').that.does.not.include(pattern);
    const other = await client.call('POST', '/node/setting', { node: id, params: { while: 'ab' } });
    expect(other.body)
      .to.have.property('message')
      .that.matches(/^The field while does not have the form that is expected: /);
    await client.ok('POST', '/node/setting', { node: id, params: { while: '' } });
  });

  for (const [how, end] of [
    ['SIGTERM', () => gateway.stop()],
    ['kill -9', () => gateway.kill()],
  ] as const)
    it(`lets the gateway start again after ${how}, with the node and its settings`, async () => {
      await client.ok('POST', '/node/setting', { node: id, params: { while: 'aa' } });
      await observation.end();
      await end();
      await gateway.start();
      const { params } = await client.ok<{ params: object }>('GET', '/node/setting', { node: id });
      expect(params).to.deep.equal({ while: 'aa' });
      await runs(client, id);
      observation = await Observation.begin(gateway, client);
    });

  it('leaves ten thousand tags in a call as fast as they were', async () => {
    const begin = performance.now();
    const tags = Array.from({ length: 10_000 }, (_, index) => tagOf(`tag ${index}`, 'aaa'));
    expect((await addTags(tags)).body).to.include({ error: 0 });
    expect(performance.now() - begin, 'milliseconds').to.be.lessThan(5000);
  });
});
