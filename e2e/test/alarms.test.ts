import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, addMqtt, connected, readGroup, registerTags, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useNorthPlant } from '../world/plant.ts';

const { READ, SUBSCRIBE, WRITE } = Attribute;
const { BIT, STRING, UINT8 } = DataType;

const tag = (name: string, address: string, type: number, attribute: number = READ): TagBody => ({
  name,
  address,
  type,
  attribute,
});

const level = 'tag("plc/fast/tag0")';

const tags = [
  tag(
    'high',
    `high(${level}, 90, deadband: 5, text: "level " + string(${level}))`,
    STRING,
    READ | WRITE | SUBSCRIBE,
  ),
  tag('is high', 'alarm("high")', BIT),
  tag('code', 'alarm("high")', UINT8),
  tag('latched', `high(${level}, 90, latching: true, priority: high)`, STRING, READ | WRITE),
  tag('slow', `high(${level}, 90, on: 2, priority: low)`, STRING, READ | WRITE),
];

interface Transition {
  readonly sequence: number;
  readonly time: number;
  readonly tag: string;
  readonly from: string;
  readonly to: string;
  readonly cause: string;
  readonly user?: string;
  readonly kind?: string;
  readonly until?: number;
  readonly once?: boolean;
}

describe('Alarms', function () {
  this.timeout(180_000);
  const plant = useNorthPlant();
  const { gateway, client, device, subscriber } = plant;

  /** After a restart everything comes up again first, for which a busy machine takes its time. */
  const has = (name: string, value: unknown): Promise<unknown> =>
    until(
      `the alarm ${name} is ${String(value)}`,
      async () => (await readGroup(client, 'alarms', 'group')).get(name)?.value === value,
      { within: 60_000 },
    );

  const command = async (name: string, value: string): Promise<Record<string, unknown>> =>
    (await client.call('POST', '/write', { node: 'alarms', group: 'group', tag: name, value }))
      .body as Record<string, unknown>;

  const done = async (name: string, value: string): Promise<void> => {
    expect(await command(name, value)).to.deep.equal({ error: 0 });
  };

  const journal = async (query: Readonly<Record<string, string>> = {}): Promise<Transition[]> =>
    (
      await client.ok<{ transitions: Transition[] }>('GET', '/alarms/journal', {
        page_size: '1000',
        ...query,
      })
    ).transitions;

  const published = (): Transition[] =>
    subscriber.messages
      .filter(({ topic }) => topic === 'alarms/north/alarms/group')
      .map(({ text }) => JSON.parse(text) as Transition);

  before(async () => {
    await device.setRegisters(0, [5, 7]);
    await addModbus(client, 'plc', { port: device.port, group: 'fast', tags: registerTags(2, READ | WRITE) });
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
    await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 200 });
    await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags });
    await addMqtt(client, 'north', plant.broker.port, { 'alarm-topic': 'alarms/{app}/{driver}/{group}' });
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'alarms', group: 'group' });
    await connected(client, 'north');
  });

  it('follows a device, in every type', async () => {
    await has('high', 'normal');
    await device.setRegisters(0, [95]);
    await has('high', 'unacknowledged');
    await has('is high', 1);
    await has('code', 1);
    await has('latched', 'unacknowledged');
    await has('slow', 'normal');
    await has('slow', 'unacknowledged');
  });

  it('takes commands, and refuses what does not fit with a sentence', async () => {
    await done('high', 'acknowledge: seen at the panel');
    await has('code', 2);
    const again = await command('high', 'acknowledge');
    expect(again).to.include({ error: ErrorCode.WRITE_FAILED });
    expect(JSON.stringify(again)).to.include('The alarm is acknowledged: there is nothing to acknowledge.');
    expect(await command('high', 'ack')).to.include({ error: ErrorCode.VALUE_OUT_OF_RANGE });
    expect(await command('code', 'acknowledge')).to.include({ error: ErrorCode.TAG_NOT_WRITABLE });
  });

  it('each transition is in the journal, with what was known at its time and who gave the command', async () => {
    const [acknowledged, begun] = await journal({ tag: 'high' });
    expect(begun).to.deep.include({
      node: 'alarms',
      group: 'group',
      tag: 'high',
      from: 'normal',
      to: 'unacknowledged',
      cause: 'condition',
      value: 95,
      limit: 90,
      priority: 'medium',
      text: 'level 95',
    });
    expect(acknowledged).to.deep.include({
      from: 'unacknowledged',
      to: 'acknowledged',
      cause: 'acknowledge',
      user: 'admin',
      kind: 'user',
      comment: 'seen at the panel',
    });
    expect((await journal({ priority: 'low' })).map((one) => one.tag)).to.deep.equal(['slow']);
    expect(await journal({ state: 'shelved' })).to.deep.equal([]);
    const { text: table } = await client.call('GET', '/alarms/journal/csv', { tag: 'high' });
    expect(table.split('\r\n')).to.have.length(4);
    expect(table).to.include(
      ',alarms,group,high,unacknowledged,acknowledged,acknowledge,95,90,medium,level 95,admin,user,seen at the panel,',
    );
  });

  it('what is not normal is listed, the most urgent first', async () => {
    const list = await client.ok<{ alarms: Transition[]; counts: object; last_hour: number }>(
      'GET',
      '/alarms',
    );
    expect(list.alarms.map((one) => [one.tag, one.to])).to.deep.equal([
      ['latched', 'unacknowledged'],
      ['slow', 'unacknowledged'],
      ['high', 'acknowledged'],
    ]);
    expect(list).to.deep.include({ counts: { unacknowledged: 2, acknowledged: 1 }, last_hour: 3 });
  });

  it('those that were there most often are counted, in a stretch of time too', async () => {
    const ask = (query: Readonly<Record<string, string>> = {}) =>
      client.ok<{ alarms: { tag: string; count: number }[]; total: number }>(
        'GET',
        '/alarms/frequent',
        query,
      );
    const { alarms: found, total } = await ask();
    expect(total).to.equal(3);
    // All as often: the latest first.
    expect(found.map((one) => [one.tag, one.count]).at(0)).to.deep.equal(['slow', 1]);
    expect(found).to.have.length(3);
    expect((await ask({ count: '1' })).alarms).to.have.length(1);
    expect(await ask({ node: 'absent' })).to.deep.equal({ alarms: [], total: 0 });
    expect((await ask({ until: '1000000000' })).total).to.equal(0);
    expect((await ask({ priority: 'high' })).alarms.map((one) => one.tag)).to.deep.equal(['latched']);
  });

  it('apps get the same events, also of what another app writes', async () => {
    await subscriber.publish(
      '/neuron/north/write/req',
      JSON.stringify({ uuid: '1', node: 'alarms', group: 'group', tag: 'slow', value: 'acknowledge' }),
    );
    await until('the acknowledgement is published', () => published().some(({ kind }) => kind === 'app'));
    expect(published().at(-1)).to.include({ tag: 'slow', to: 'acknowledged', user: 'north', kind: 'app' });
    expect(published()).to.deep.equal((await journal()).reverse());
  });

  it('refuses a definition that is wrong, with the place', async () => {
    const { body } = await client.call('POST', '/tags', {
      node: 'alarms',
      group: 'group',
      tags: [tag('wrong', `high(${level} +, 90)`, STRING)],
    });
    expect(JSON.stringify(body)).to.include(`"error":${ErrorCode.TAG_ADDRESS_INVALID}`);
    expect(JSON.stringify(body)).to.include('Character 28: A value is missing here');
  });

  for (const [how, restart] of [
    ['a stop', () => gateway.restart()],
    ['kill -9', () => gateway.kill().then(() => gateway.start())],
  ] as const)
    it(`states, shelves and the journal go on after ${how} right after the answer to a command`, async () => {
      await done('latched', 'acknowledge');
      await done('slow', 'shelve 600: the sensor is being exchanged');
      const before = await journal();
      expect(before[0]).to.include({ tag: 'slow', to: 'shelved', user: 'admin' });
      await restart();
      await connected(client, 'plc', 60_000);
      await has('high', 'acknowledged');
      await has('latched', 'acknowledged');
      await has('slow', 'shelved');
      expect(await journal()).to.deep.equal(before);
      const { sequence, until: end = 0, once } = before[0]!;
      const { text: table } = await client.call('GET', '/alarms/journal/csv', { tag: 'slow' });
      expect(table).to.include(`,${sequence},${new Date(end).toISOString()},${once}\r\n`);
      await device.setRegisters(0, [5]);
      await has('high', 'normal');
      await has('latched', 'latched acknowledged');
      await restart();
      await connected(client, 'plc', 60_000);
      await has('latched', 'latched acknowledged');
      await done('latched', 'reset');
      await done('slow', 'unshelve');
      await device.setRegisters(0, [95]);
      await has('high', 'unacknowledged');
      await has('latched', 'unacknowledged');
      await done('high', 'acknowledge');
      const after = (await journal()).reverse();
      expect(after.map(({ sequence }) => sequence)).to.deep.equal(after.map((_, index) => index + 1));
      const states = new Map<string, string>();
      for (const { tag: name, from, to } of after) {
        expect(from).to.equal(states.get(name) ?? 'normal');
        states.set(name, to);
      }
    });

  it('goes on with another name of what it reads, and of itself', async () => {
    await client.ok('PUT', '/node', { name: 'plc', new_name: 'pump 1/2' });
    await has('high', 'acknowledged');
    await device.setRegisters(0, [5]);
    await has('high', 'normal');
    const values = await readGroup(client, 'alarms', 'group');
    expect(values.get('code')?.value).to.equal(0);
  });

  const addressOf = async (name: string): Promise<string | undefined> => {
    const { tags: all } = await client.ok<{ tags: TagBody[] }>('GET', '/tags', {
      node: 'alarms',
      group: 'group',
    });
    return all.find((one) => one.name === name)?.address;
  };

  /** The tag "code" shows the alarm that is called like this. */
  const follows = async (name: string, address: string): Promise<void> => {
    expect(await addressOf('code')).to.equal(address);
    for (const [value, state, code] of [
      [95, 'unacknowledged', 1],
      [5, 'returned', 3],
    ] as const) {
      await device.setRegisters(0, [value]);
      await has(name, state);
      await has('code', code);
    }
    await done(name, 'acknowledge');
    await has('code', 0);
  };

  it('tags that show an alarm follow it under other names, over restarts, an import and a restore', async () => {
    const rename = { node: 'alarms', group: 'group', old_name: 'high', new_name: '50 % "high"' };
    await client.ok('PUT', '/tag/rename', rename);
    const address = 'alarm("50 %25 %22high%22")';
    await follows('50 % "high"', address);
    await gateway.restart();
    await connected(client, 'pump 1/2', 60_000);
    await follows('50 % "high"', address);
    const config = await client.ok<Record<string, unknown>>('GET', '/global/config', { secrets: true });
    await client.ok('PUT', '/global/config', { ...config }, { within: 60_000 });
    await connected(client, 'pump 1/2', 60_000);
    await follows('50 % "high"', address);
    // The tag that shows it changes at the same time, and another one does not.
    const rows = [
      { ...(await tagOf('50 % "high"')), new_name: 'high' },
      { ...(await tagOf('code')), description: 'for the panel' },
    ];
    await client.ok('POST', '/tags/apply', { node: 'alarms', group: 'group', tags: rows });
    await follows('high', 'alarm("high")');
    expect(await addressOf('is high')).to.equal('alarm("high")');
    const { snapshots } = await client.ok<{ snapshots: { id: string }[] }>('GET', '/snapshots');
    await client.ok('POST', '/snapshots/restore', { id: snapshots[0]!.id }, { within: 60_000 });
    await connected(client, 'pump 1/2', 60_000);
    await follows('50 % "high"', address);
    await gateway.kill();
    await gateway.start();
    await connected(client, 'pump 1/2', 60_000);
    await follows('50 % "high"', address);
    await client.ok('PUT', '/tag/rename', { ...rename, old_name: '50 % "high"', new_name: 'high' });
  });

  const tagOf = async (name: string): Promise<TagBody> => {
    const { tags: all } = await client.ok<{ tags: TagBody[] }>('GET', '/tags', {
      node: 'alarms',
      group: 'group',
    });
    return all.find((one) => one.name === name)!;
  };

  it('an alarm that other tags show is deleted with them alone', async () => {
    const names = { node: 'alarms', group: 'group' };
    const refused = await client.call('DELETE', '/tags', { ...names, tags: ['high', 'code'] });
    expect(refused.body).to.include({ error: ErrorCode.GROUP_SUBSCRIBED });
    expect(JSON.stringify(refused.body)).to.include(
      'The tag \\"high\\" of the group \\"group\\" of \\"alarms\\" is read by the tag \\"is high\\"',
    );
    expect(await client.errorOf('POST', '/tags/apply', { ...names, tags: [], remove: ['high'] })).to.equal(
      ErrorCode.GROUP_SUBSCRIBED,
    );
    await has('code', 0);
    await client.ok('DELETE', '/tags', { ...names, tags: ['high', 'code', 'is high'] });
    expect(await addressOf('high')).to.equal(undefined);
  });
});
