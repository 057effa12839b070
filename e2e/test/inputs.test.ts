import { Attribute, type AuditReply, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client, Answer } from '../kit/client.ts';
import {
  addDriver,
  addModbus,
  hasValue,
  holding,
  readGroup,
  stateOf,
  type TagBody,
} from '../kit/configure.ts';
import { addLinked } from '../kit/libraries.ts';
import { sleep, until } from '../kit/until.ts';
import { usePlant } from '../world/plant.ts';

const computed = (name: string, address: string, attribute: number = Attribute.READ): TagBody => ({
  name,
  address,
  attribute,
  type: DataType.DOUBLE,
});

const register = (name: string, number: number): TagBody => ({
  name,
  address: holding(number),
  attribute: Attribute.READ | Attribute.WRITE,
  type: DataType.INT16,
});

const text = (name: string): TagBody => ({
  name,
  address: name,
  attribute: Attribute.READ | Attribute.WRITE,
  type: DataType.STRING,
});

const addLinkedNode = (client: Client, node: string, tags: readonly TagBody[]): Promise<void> =>
  addDriver(client, node, { plugin: 'Linked', interval: 200, tags, settings: {} });

const addTag = async (client: Client, node: string, tag: TagBody): Promise<Answer> =>
  (await client.call('POST', '/tags', { node, group: 'group', tags: [tag] })).body;

async function addressOf(client: Client, node: string, tag: string): Promise<string | undefined> {
  const { tags } = await client.ok<{ tags: TagBody[] }>('GET', '/tags', { node, group: 'group' });
  return tags.find(({ name }) => name === tag)?.address;
}

async function errorOf(client: Client, node: string, tag: string): Promise<number | undefined> {
  return (await readGroup(client, node, 'group')).get(tag)?.error;
}

const becomes = (client: Client, node: string, tag: string, error: number): Promise<unknown> =>
  until(`${node}/${tag} has the error ${error}`, async () => (await errorOf(client, node, tag)) === error);

describe('nodes that read nodes', function () {
  this.timeout(120_000);
  const { device, gateway, client } = usePlant({ gateway: { prepare: addLinked } });

  before(async () => {
    await device.setRegisters(0, [1, 2, 3, 4]);
    await addModbus(client, 'boiler', {
      port: device.port,
      tags: [register('a', 1), register('b', 2), register('c', 3), register('d/%"', 4)],
    });
    await addLinkedNode(client, 'sums', [
      computed('ab', 'sum(tag("boiler/group/a"), tag("boiler/group/b"))'),
      computed('a', 'sum(tag("boiler/group/a"))', Attribute.READ | Attribute.WRITE),
      computed('odd', 'sum(tag("boiler/group/d%2F%25%22"))'),
      computed('count', 'count(tag("boiler/group/c"))', Attribute.READ | Attribute.SUBSCRIBE),
      text('writer'),
      text('note'),
    ]);
    await addLinkedNode(client, 'sums of sums', [
      computed('all', 'sum(tag("sums/group/ab"), tag("sums/group/a"))'),
    ]);
  });

  it('follow what they read, over a chain of nodes', async () => {
    await hasValue(client, 'sums', 'group', 'ab', 3);
    await hasValue(client, 'sums of sums', 'group', 'all', 4);
    await device.setRegisters(0, [10, 20]);
    await hasValue(client, 'sums of sums', 'group', 'all', 40);
    await hasValue(client, 'sums', 'group', 'odd', 4);
  });

  it('are called for every sample', async () => {
    const counted = async (): Promise<number> =>
      Number((await readGroup(client, 'sums', 'group')).get('count')?.value);
    const begin = await counted();
    const from = performance.now();
    await sleep(2000);
    const samples = (performance.now() - from) / 100;
    expect((await counted()) - begin).to.be.within(samples * 0.7, samples * 1.3);
  });

  it('read one address that need not be a tag', async () => {
    const test = {
      driver: 'sums',
      group: 'group',
      tag: 'x',
      attribute: Attribute.READ,
      type: DataType.DOUBLE,
      precision: 0,
      decimal: 0,
      bias: 0,
    };
    const read = async (address: string): Promise<{ value?: unknown; error?: number }> =>
      (await client.call<{ value?: unknown; error?: number }>('POST', '/read/test', { ...test, address }))
        .body;
    expect(await read('sum(tag("boiler/group/a"), tag("boiler/group/c"))')).to.deep.equal({ value: 13 });
    expect((await read('sum(tag("boiler/group/z"))')).error).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
  });

  const cases: readonly (readonly [what: string, node: string, address: string, message: string])[] = [
    ['with a node that is not there', 'sums', 'sum(tag("x/group/a"))', 'there is no node "x"'],
    [
      'with a group that is not there',
      'sums',
      'sum(tag("boiler/x/a"))',
      'the node "boiler" has no group "x"',
    ],
    [
      'with a tag that is not there',
      'sums',
      'sum(tag("boiler/group/x"))',
      'the group "group" of "boiler" has no tag "x"',
    ],
    [
      'with what is no reference',
      'sums',
      'sum(tag("boiler/a"))',
      'The tag "t" refers to "boiler/a", which names no tag',
    ],
    ['when they read themselves', 'sums', 'sum(tag("sums/group/a"))', '"sums" reads "sums"'],
    [
      'when they read themselves over another node',
      'sums',
      'sum(tag("sums of sums/group/all"))',
      '"sums" reads "sums of sums" reads "sums"',
    ],
  ];
  for (const [what, node, address, message] of cases)
    it(`are refused ${what}`, async () => {
      const { error, message: said, index } = await addTag(client, node, computed('t', address));
      expect(error).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
      expect(said).to.include(message);
      expect(index).to.equal(0);
      const rows = { node, group: 'group', tags: [computed('t', address)] };
      const plan = await client.ok<{ problems: { error: number; message: string }[] }>(
        'POST',
        '/tags/plan',
        rows,
      );
      expect(plan.problems.map(({ error: code }) => code)).to.deep.equal([ErrorCode.TAG_ADDRESS_INVALID]);
      expect(plan.problems[0]?.message).to.include(message);
      expect(
        await client.errorOf('POST', '/gtags', {
          node,
          groups: [{ group: 'group', interval: 1000, tags: rows.tags }],
        }),
      ).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    });

  it('are refused with an address that is longer than their plugin takes, as no other plugin takes it', async () => {
    const long = (most: number): string =>
      `sum(tag("boiler/group/a"))${' '.repeat(most)})`.slice(0, most) + ')';
    expect((await addTag(client, 'sums', computed('t', long(1000)))).error).to.equal(
      ErrorCode.TAG_ADDRESS_TOO_LONG,
    );
    expect((await addTag(client, 'sums', computed('t', long(999)))).error ?? 0).to.equal(0);
    expect(await client.errorOf('DELETE', '/tags', { node: 'sums', group: 'group', tags: ['t'] })).to.equal(
      0,
    );
    const plain = { ...register('t', 1), address: holding(1).padEnd(128, ' ') };
    expect((await addTag(client, 'boiler', plain)).error).to.equal(ErrorCode.TAG_ADDRESS_TOO_LONG);
  });

  it('keep what they read from being deleted', async () => {
    const group = await client.call('DELETE', '/group', { node: 'boiler', group: 'group' });
    expect(group.status).to.equal(412);
    expect(group.body.error).to.equal(ErrorCode.GROUP_SUBSCRIBED);
    expect(group.body.message).to.include('is read by the tag "ab" of "sums"');
    const tags = await client.call('DELETE', '/tags', { node: 'boiler', group: 'group', tags: ['c'] });
    expect(tags.body.error).to.equal(ErrorCode.GROUP_SUBSCRIBED);
    expect(tags.body.message).to.include(
      'The tag "c" of the group "group" of "boiler" is read by the tag "count"',
    );
    const rows = { node: 'boiler', group: 'group', tags: [], remove: ['c'] };
    expect(await client.errorOf('POST', '/tags/apply', rows)).to.equal(ErrorCode.GROUP_SUBSCRIBED);
  });

  it('keep what they read under other names, also over restarts', async () => {
    const renames: readonly (readonly [string, object])[] = [
      ['/tag/rename', { node: 'boiler', group: 'group', old_name: 'a', new_name: 'a/1 "x"' }],
      ['/group', { node: 'boiler', group: 'group', new_name: '1 s/%' }],
      ['/node', { name: 'boiler', new_name: 'kiln \\ 2' }],
      ['/node', { name: 'sums', new_name: 'totals' }],
    ];
    for (const [path, body] of renames) await client.ok('PUT', path, { ...body });
    const reference = 'kiln %5C 2/1 s%2F%25/a%2F1 %22x%22';
    expect(await addressOf(client, 'totals', 'a')).to.equal(`sum(tag("${reference}"))`);
    expect(await addressOf(client, 'sums of sums', 'all')).to.equal(
      'sum(tag("totals/group/ab"), tag("totals/group/a"))',
    );
    const follows = async (value: number): Promise<void> => {
      await device.setRegisters(0, [value, 20]);
      await hasValue(client, 'sums of sums', 'group', 'all', 2 * value + 20);
    };
    await follows(11);
    await gateway.restart();
    await follows(12);
    await gateway.kill();
    await gateway.start();
    await follows(13);
    await client.ok('PUT', '/node', { name: 'kiln \\ 2', new_name: 'boiler' });
    await client.ok('PUT', '/group', { node: 'boiler', group: '1 s/%', new_name: 'group' });
    const rows = [{ ...register('a/1 "x"', 1), new_name: 'a' }];
    await client.ok('POST', '/tags/apply', { node: 'boiler', group: 'group', tags: rows });
    await client.ok('PUT', '/node', { name: 'totals', new_name: 'sums' });
    expect(await addressOf(client, 'sums', 'a')).to.equal('sum(tag("boiler/group/a"))');
    await follows(14);
  });

  it('carry the fault of a node that is stopped, with its sentence', async () => {
    await client.ok('POST', '/node/ctl', { node: 'boiler', cmd: 1 });
    await becomes(client, 'sums', 'ab', ErrorCode.NOT_RUNNING);
    await becomes(client, 'sums of sums', 'all', ErrorCode.NOT_RUNNING);
    const { last_error: last } = await stateOf(client, 'sums of sums');
    expect(last?.text).to.equal(
      '"sums/group/ab" has no value: "boiler/group/a" has no value: The node "boiler" was stopped.',
    );
    await gateway.restart();
    await becomes(client, 'sums of sums', 'all', ErrorCode.NOT_RUNNING);
    await client.ok('POST', '/node/ctl', { node: 'boiler', cmd: 0 });
    await hasValue(client, 'sums of sums', 'group', 'all', 48);
  });

  it('have an error while what they read is deleted, and go on once it is there again', async () => {
    const config = await client.ok<{ nodes: { name: string }[] }>('GET', '/global/drivers', {
      name: 'boiler',
    });
    await client.ok('DELETE', '/node', { name: 'boiler' });
    await becomes(client, 'sums', 'ab', ErrorCode.TAG_NOT_FOUND);
    await gateway.restart();
    await becomes(client, 'sums', 'ab', ErrorCode.TAG_NOT_FOUND);
    // What stands stays, and may be changed as long as it refers to the same.
    const again = {
      ...computed('ab', 'sum(tag("boiler/group/a"), tag("boiler/group/b"))'),
      description: 'x',
    };
    await client.ok('PUT', '/tags', { node: 'sums', group: 'group', tags: [again] });
    await client.ok('PUT', '/global/drivers', { ...config });
    await hasValue(client, 'sums of sums', 'group', 'all', 48);
  });

  it('may not read themselves under a new name, or by an import or a template', async () => {
    await addLinkedNode(client, 'waiting', [computed('x', 'sum(tag("sums/group/a"))')]);
    await client.ok('PUT', '/node', { name: 'waiting', new_name: 'later' });
    const { nodes } = await client.ok<{ nodes: object[] }>('GET', '/global/drivers', { name: 'later' });
    const circular = JSON.parse(
      JSON.stringify(nodes).replaceAll('sums/group/a', 'later/group/x'),
    ) as object[];
    const imported = await client.call('PUT', '/global/drivers', { nodes: circular });
    expect(imported.body.error).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    expect(imported.body.message).to.include('"later" reads "later"');
    const dangling = JSON.parse(JSON.stringify(nodes).replaceAll('sums/group/a', 'soon/group/x')) as object[];
    await client.ok('PUT', '/global/drivers', { nodes: dangling });
    await becomes(client, 'later', 'x', ErrorCode.TAG_NOT_FOUND);
    const renamed = await client.call('PUT', '/node', { name: 'later', new_name: 'soon' });
    expect(renamed.body.error).to.equal(ErrorCode.TAG_ADDRESS_INVALID);
    const template = {
      name: 'circle',
      plugin: 'Linked',
      groups: [{ name: 'group', interval: 1000, tags: [computed('x', 'sum(tag("soon/group/x"))')] }],
    };
    await client.ok('POST', '/template', template);
    expect(await client.errorOf('POST', '/template/inst', { name: 'circle', node: 'soon' })).to.equal(
      ErrorCode.TAG_ADDRESS_INVALID,
    );
    await client.ok('POST', '/template/inst', { name: 'circle', node: 'another' });
    for (const name of ['later', 'another']) await client.ok('DELETE', '/node', { name });
  });

  it('are as they were after an export, an import and the restore of a snapshot', async () => {
    const config = await client.ok<Record<string, unknown>>('GET', '/global/config', { secrets: true });
    await client.ok('PUT', '/global/config', { ...config }, { within: 60_000 });
    await hasValue(client, 'sums of sums', 'group', 'all', 48);
    expect(await client.ok('GET', '/global/config', { secrets: true })).to.deep.equal(config);
    const { snapshots } = await client.ok<{ snapshots: { id: string }[] }>('GET', '/snapshots');
    await client.ok('POST', '/snapshots/restore', { id: snapshots[0]!.id }, { within: 60_000 });
    await hasValue(client, 'sums of sums', 'group', 'all', 48);
  });

  it('write what they read, for whoever writes', async () => {
    await client.ok('POST', '/write', { node: 'sums', group: 'group', tag: 'a', value: 7 });
    expect(await device.registers(0, 1)).to.deep.equal([7]);
    await hasValue(client, 'sums', 'group', 'writer', 'user admin');
    await hasValue(client, 'sums of sums', 'group', 'all', 34);
    const { entries } = await client.ok<AuditReply>('GET', '/audit');
    expect(entries.find(({ text: said }) => said.includes('through "sums"'))).to.include({
      user: 'admin',
      text: 'wrote to the node "boiler" through "sums": "a" = 7',
    });
  });

  it('keep what they store', async () => {
    await client.ok('POST', '/write', { node: 'sums', group: 'group', tag: 'note', value: 'kept' });
    await gateway.kill();
    await gateway.start();
    await hasValue(client, 'sums', 'group', 'note', 'kept');
    await client.ok('DELETE', '/node', { name: 'sums' });
    await addLinkedNode(client, 'sums', [text('note')]);
    await hasValue(client, 'sums', 'group', 'note', '');
  });
});

describe('nodes that read nodes, in the dialect of the family', function () {
  this.timeout(60_000);
  const { client, device } = usePlant({ gateway: { prepare: addLinked, args: ['--compat', 'family'] } });

  it('have an error when a group is deleted that they read, and addresses of 127 bytes', async () => {
    await device.setRegisters(0, [1]);
    await addModbus(client, 'boiler', { port: device.port, tags: [register('a', 1)] });
    await addLinkedNode(client, 'sums', [computed('a', 'sum(tag("boiler/group/a"))')]);
    await hasValue(client, 'sums', 'group', 'a', 1);
    const long = computed('b', `sum(tag("boiler/group/a")${' '.repeat(102)})`);
    expect((await addTag(client, 'sums', long)).error).to.equal(ErrorCode.TAG_ADDRESS_TOO_LONG);
    await client.ok('DELETE', '/group', { node: 'boiler', group: 'group' });
    await becomes(client, 'sums', 'a', ErrorCode.TAG_NOT_FOUND);
    await client.ok('POST', '/tags', { node: 'boiler', group: 'group', tags: [register('a', 1)] });
    await hasValue(client, 'sums', 'group', 'a', 1);
  });
});
