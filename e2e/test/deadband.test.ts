import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { addBoiler, addMqtt, hasValue, holding, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useNorthPlant } from '../world/plant.ts';

const ofBoiler = { node: 'boiler', group: 'group' };
const span = { deadband: '10%', unit: 'Cel', low: 0, high: 50 };

/** `pulse` changes with every step, so that a message shows that it was read. */
const tags: readonly TagBody[] = [
  { name: 'absolute', type: DataType.INT16, attribute: Attribute.READ, deadband: 5 },
  { name: 'percentage', type: DataType.INT16, attribute: Attribute.READ, ...span },
  { name: 'pulse', type: DataType.INT16, attribute: Attribute.READ },
].map((tag, index) => ({ ...tag, address: holding(index + 1) }));

describe('A deadband', function () {
  this.timeout(60_000);
  const plant = useNorthPlant();
  const { device, broker, gateway, client, subscriber } = plant;

  /** What the app publishes of the first reading that has this pulse. */
  async function published(pulse: number, value: number): Promise<Readonly<Record<string, unknown>>> {
    await device.setRegisters(0, [value, value, pulse]);
    return until(`the pulse ${pulse} is published`, () => {
      const values = subscriber.messages
        .filter(({ topic }) => topic === 'deadband')
        .map(({ text }) => (JSON.parse(text) as { values: Record<string, unknown> }).values);
      return values.find((one) => one['pulse'] === pulse);
    });
  }

  const reported = async (pulse: number, value: number): Promise<readonly string[]> =>
    Object.keys(await published(pulse, value)).sort();

  before(async () => {
    await device.setRegisters(0, [100, 100, 0]);
    await addBoiler(plant, 'group', tags);
    await addMqtt(client, 'north', broker.port);
    await client.ok('POST', '/subscribe', {
      app: 'north',
      driver: 'boiler',
      group: 'group',
      params: { topic: 'deadband' },
    });
    await published(1, 100);
  });

  for (const [when, first] of [
    ['as it was set', 10],
    ['after the gateway was killed and started again', 20],
  ] as const) {
    it(`decides what an app publishes and not what is read, ${when}`, async () => {
      if (first === 20) {
        await gateway.kill();
        await gateway.start();
        await plant.renew();
        await published(2, 100);
      }
      await published(first, 100);
      expect(await reported(first + 1, 105)).to.deep.equal(['pulse']);
      await hasValue(client, 'boiler', 'group', 'absolute', 105);
      await hasValue(client, 'boiler', 'group', 'percentage', 105);
      expect(await reported(first + 2, 106)).to.deep.equal(['absolute', 'percentage', 'pulse']);
      expect(await reported(first + 3, 104)).to.deep.equal(['pulse']);
      expect(await reported(first + 4, 100)).to.deep.equal(['absolute', 'percentage', 'pulse']);
      const kept = await client.ok<{ tags: TagBody[] }>('GET', '/tags?node=boiler&group=group');
      expect(kept.tags[0]).to.include({ deadband: 5 }).and.not.have.any.keys('unit', 'low', 'high');
      expect(kept.tags[1]).to.include(span);
    });
  }

  it('keeps nothing from the inputs of other nodes, which follow at once', async () => {
    const level = { type: DataType.INT16, deadband: 5, attribute: Attribute.READ | Attribute.SUBSCRIBE };
    for (const [node, tag] of [
      ['level', { ...level, name: 'level', address: 'tag("boiler/group/absolute")' }],
      ['next', { ...tags[0]!, name: 'next', address: 'tag("level/group/level") + 1' }],
    ] as const) {
      const { deadband: _none, ...plain } = tag;
      await client.ok('POST', '/node', { name: node, plugin: 'Calculation' });
      await client.ok('POST', '/node/setting', { node, params: {} });
      await client.ok('POST', '/group', { node, name: 'group', interval: 600_000 });
      await client.ok('POST', '/tags', { node, group: 'group', tags: [node === 'level' ? tag : plain] });
    }
    await device.setRegisters(0, [200]);
    await hasValue(client, 'next', 'group', 'next', 201);
    const params = { topic: 'level' };
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'level', group: 'group', params });
    for (const value of [203, 205, 206, 208]) {
      await device.setRegisters(0, [value]);
      await hasValue(client, 'next', 'group', 'next', value + 1);
      await hasValue(client, 'level', 'group', 'level', value);
    }
    const published = subscriber.messages.filter(({ topic }) => topic === 'level');
    expect(published.map(({ text }) => (JSON.parse(text) as { values: object }).values)).to.deep.equal([
      { level: 200 },
      { level: 206 },
    ]);
  });

  it('is refused where it cannot be, and nothing changes', async () => {
    const wrong = { ...tags[0], deadband: '2%' };
    const { body } = await client.call('PUT', '/tags', { ...ofBoiler, tags: [wrong] });
    expect(body).to.deep.equal({
      index: 0,
      error: ErrorCode.TAG_DEADBAND_INVALID,
      message:
        'The tag "absolute" has a deadband of "2%" and no span that it is a part of; give it low and high. (tags[0])',
    });
    const kept = await client.ok<{ tags: TagBody[] }>('GET', '/tags?node=boiler&group=group');
    expect(kept.tags[0]).to.include({ deadband: 5 });
  });
});
