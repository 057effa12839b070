import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { hasValue } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { describePair } from './suite.ts';

const { READ, WRITE } = Attribute;

/** Alarms on a tag that is always below the limit. */
const definition =
  'low(tag("plant/watched/tag0"), 32767, text: "low: " + string(tag("plant/watched/tag1") < 32767))';

const journalOf = async (client: Client): Promise<unknown[]> =>
  (await client.ok<{ transitions: unknown[] }>('GET', '/alarms/journal')).transitions;

const activeOf = async (client: Client): Promise<unknown[]> =>
  (await client.ok<{ alarms: unknown[] }>('GET', '/alarms')).alarms;

describePair('alarms at two gateways', 31, false, ({ pair }) => {
  const has = async (tag: string, value: string): Promise<void> =>
    hasValue(await pair().client(), 'alarms', 'group', tag, value);

  const command = async (tag: string, value: string): Promise<void> => {
    await (await pair().client()).ok('POST', '/write', { node: 'alarms', group: 'group', tag, value });
  };

  before(async () => {
    const client = await pair().client();
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 200 });
    const attribute = READ | WRITE;
    const tags = ['first', 'second', 'third'].map((name) => ({
      name,
      address: definition,
      attribute,
      type: DataType.STRING,
    }));
    await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags });
    await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
  });

  it('states and the journal are at both, and a hand-over right after a confirmed command loses and repeats nothing', async () => {
    for (const tag of ['first', 'second', 'third']) await has(tag, 'unacknowledged');
    await command('first', 'acknowledge: seen');
    await command('second', 'shelve 600: under repair');
    const before = await pair().settled();
    const client = await before.active.client();
    const journal = await journalOf(client);
    const alarms = await activeOf(client);
    expect(journal).to.have.length(5);
    const follower = await before.standby.client();
    await until('the standby has the journal', async () => (await journalOf(follower)).length === 5);
    expect(await journalOf(follower)).to.deep.equal(journal);
    expect(await activeOf(follower)).to.deep.equal(alarms);
    await command('third', 'acknowledge');
    await pair().switch();
    const after = await pair().settled();
    expect(after.active.side).to.equal(before.standby.side);
    await has('first', 'acknowledged');
    await has('second', 'shelved');
    await has('third', 'acknowledged');
    const next = await after.active.client();
    const later = await journalOf(next);
    expect(later.slice(1)).to.deep.equal(journal);
    expect(later[0]).to.include({ sequence: 6, tag: 'third', to: 'acknowledged', user: 'admin' });
    await command('second', 'unshelve');
    expect((await journalOf(next))[0]).to.include({ sequence: 7, tag: 'second', to: 'unacknowledged' });
  });

  it('references follow new names, and a hand-over right after that', async () => {
    const client = await pair().client();
    const read = { attribute: READ, type: DataType.UINT8 };
    const code = { ...read, name: 'code', address: 'alarm("first")' };
    await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags: [code] });
    await client.ok('POST', '/node', { name: 'sums', plugin: 'Calculation' });
    await client.ok('POST', '/group', { name: 'group', node: 'sums', interval: 200 });
    const next = { ...read, name: 'next', address: 'tag("alarms/group/code") + 10' };
    await client.ok('POST', '/tags', { node: 'sums', group: 'group', tags: [next] });
    await client.ok('POST', '/node/setting', { node: 'sums', params: {} });
    await hasValue(client, 'sums', 'group', 'next', 12);
    const tag = { node: 'alarms', group: 'group' };
    await client.ok('PUT', '/tag/rename', { ...tag, old_name: 'first', new_name: '1 %' });
    await client.ok('PUT', '/tag/rename', { ...tag, old_name: 'code', new_name: 'a/b' });
    await client.ok('PUT', '/group', { ...tag, new_name: 'limits' });
    await client.ok('PUT', '/node', { name: 'alarms', new_name: 'horns' });
    await pair().switch();
    const { active } = await pair().settled();
    const there = await active.client();
    const addresses = async (node: string, group: string): Promise<Map<string, string>> => {
      const { tags } = await there.ok<{ tags: { name: string; address: string }[] }>('GET', '/tags', {
        node,
        group,
      });
      return new Map(tags.map(({ name, address }) => [name, address]));
    };
    expect((await addresses('horns', 'limits')).get('a/b')).to.equal('alarm("1 %25")');
    expect((await addresses('sums', 'group')).get('next')).to.equal('tag("horns/limits/a%2Fb") + 10');
    await hasValue(there, 'horns', 'limits', '1 %', 'acknowledged');
    await hasValue(there, 'sums', 'group', 'next', 12);
  });
});
