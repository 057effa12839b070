import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addModbus, connected, hasValue, readGroup, registerTags, type TagBody } from '../kit/configure.ts';
import { usePlant } from '../world/plant.ts';

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
  tag('high', `high(${level}, 90, deadband: 5)`, STRING, READ | WRITE | SUBSCRIBE),
  tag('is high', 'alarm("high")', BIT),
  tag('code', 'alarm("high")', UINT8),
  tag('latched', `high(${level}, 90, latching: true)`, STRING, READ | WRITE),
  tag('slow', `high(${level}, 90, on: 2)`, STRING, READ | WRITE),
];

describe('Alarms', function () {
  this.timeout(120_000);
  const { gateway, client, device } = usePlant();

  const has = (name: string, value: unknown): Promise<unknown> =>
    hasValue(client, 'alarms', 'group', name, value);

  const command = async (name: string, value: string): Promise<Record<string, unknown>> =>
    (await client.call('POST', '/write', { node: 'alarms', group: 'group', tag: name, value }))
      .body as Record<string, unknown>;

  const done = async (name: string, value: string): Promise<void> => {
    expect(await command(name, value)).to.deep.equal({ error: 0 });
  };

  before(async () => {
    await device.setRegisters(0, [5, 7]);
    await addModbus(client, 'plc', { port: device.port, group: 'fast', tags: registerTags(2, READ | WRITE) });
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
    await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 200 });
    await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags });
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
    it(`states and shelves go on after ${how} right after the answer to a command`, async () => {
      await done('latched', 'acknowledge');
      await done('slow', 'shelve 600: the sensor is being exchanged');
      await restart();
      await connected(client, 'plc');
      await has('high', 'acknowledged');
      await has('latched', 'acknowledged');
      await has('slow', 'shelved');
      await device.setRegisters(0, [5]);
      await has('high', 'normal');
      await has('latched', 'latched acknowledged');
      await restart();
      await connected(client, 'plc');
      await has('latched', 'latched acknowledged');
      await done('latched', 'reset');
      await done('slow', 'unshelve');
      await device.setRegisters(0, [95]);
      await has('high', 'unacknowledged');
      await has('latched', 'unacknowledged');
      await done('high', 'acknowledge');
    });

  it('goes on with another name of what it reads, and of itself', async () => {
    await client.ok('PUT', '/node', { name: 'plc', new_name: 'pump 1/2' });
    await has('high', 'acknowledged');
    await device.setRegisters(0, [5]);
    await has('high', 'normal');
    const values = await readGroup(client, 'alarms', 'group');
    expect(values.get('code')?.value).to.equal(0);
  });
});
