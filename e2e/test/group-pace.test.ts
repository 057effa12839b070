import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { addBoiler, addMqtt, hasValue, holding, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useNorthPlant } from '../world/plant.ts';

const pace = { report: 'change', min_interval: 600, max_interval: 2500 } as const;

const tags: readonly TagBody[] = ['slow', 'pulse'].map((name, index) => ({
  name,
  type: DataType.INT16,
  attribute: Attribute.READ,
  address: holding(index + 1),
  ...(index === 0 && { unit: 'Cel', low: -40, high: 125.5 }),
}));

interface Message {
  readonly timestamp: number;
  readonly values: Readonly<Record<string, unknown>>;
  readonly metas: Readonly<Record<string, unknown>>;
}

describe('The pace of a group', function () {
  this.timeout(90_000);
  const plant = useNorthPlant();
  const { device, broker, gateway, client, subscriber } = plant;

  const published = (): Message[] =>
    subscriber.messages
      .filter(({ topic }) => topic === 'pace')
      .map(({ text }) => JSON.parse(text) as Message);
  const isComplete = ({ values }: Message): boolean => 'slow' in values && 'pulse' in values;

  /** What is published while the pulse goes on by one several times within the least distance, until one more complete message. */
  async function record(first: number): Promise<readonly Message[]> {
    // The first one may be what every new subscriber gets at once.
    const before = published().length;
    await until('two complete messages', () => published().slice(before).filter(isComplete).length > 1);
    const from = published().length;
    for (let pulse = first; pulse < first + 20; pulse++) {
      await device.setRegisters(1, [pulse]);
      await hasValue(client, 'boiler', 'group', 'pulse', pulse);
    }
    await until('the next complete message', () => published().slice(from).some(isComplete), {
      within: 20_000,
    });
    const all = published().slice(from - 1);
    return all.slice(0, all.findIndex((message, index) => index > 0 && isComplete(message)) + 1);
  }

  before(async () => {
    await device.setRegisters(0, [7, 0]);
    await addBoiler(plant, 'group', tags);
    await client.ok('PUT', '/group', { node: 'boiler', group: 'group', ...pace });
    await addMqtt(client, 'north', broker.port, { upload_meta: true });
    await client.ok('POST', '/subscribe', {
      app: 'north',
      driver: 'boiler',
      group: 'group',
      params: { topic: 'pace' },
    });
  });

  for (const [when, first] of [
    ['as it was set', 100],
    ['after the gateway was killed and started again', 200],
  ] as const) {
    it(`decides what is published when, and not what is read, ${when}`, async () => {
      if (first === 200) {
        await gateway.kill();
        await gateway.start();
        await plant.renew();
      }
      const messages = await record(first);
      const changes = messages.filter((message) => !isComplete(message));
      expect(changes.map(({ values }) => Object.keys(values))).to.deep.equal(changes.map(() => ['pulse']));
      expect(changes.length).to.be.greaterThan(0);
      const gaps = messages.slice(1).map(({ timestamp }, index) => timestamp - messages[index]!.timestamp);
      // A tick may come a tenth of the interval early.
      for (const gap of gaps) expect(gap).to.be.at.least(pace.min_interval - 100);
      const earlier = messages[0]!;
      const later = messages.at(-1)!;
      expect(later.timestamp - earlier.timestamp).to.be.at.least(pace.max_interval - 100);
      expect(later.metas).to.deep.equal({ slow: { unit: 'Cel', low: -40, high: 125.5 } });
    });
  }

  it('is in exports beside the history, and comes with an import and with a template that is made of them', async () => {
    interface Config {
      readonly groups: readonly object[];
    }
    const both = { ...pace, history: 2 };
    await client.ok('PUT', '/group', { node: 'boiler', group: 'group', history: 2 });
    const config = await client.ok<Config>('GET', '/global/config');
    expect(config.groups[0]).to.include({ driver: 'boiler', group: 'group', ...both });
    const { nodes } = await client.ok<{ nodes: { groups: object[] }[] }>('GET', '/global/drivers', {
      name: 'boiler',
    });
    expect(nodes[0]?.groups[0]).to.include(both);
    await client.ok('PUT', '/group', {
      node: 'boiler',
      group: 'group',
      report: 'default',
      min_interval: 0,
      max_interval: 0,
    });
    const listed = async (node: string): Promise<object | undefined> =>
      (await client.ok<{ groups: object[] }>('GET', '/group', { node })).groups[0];
    expect(await listed('boiler')).to.not.have.any.keys(...Object.keys(pace));
    expect(await listed('boiler')).to.include({ history: 2 });
    await client.ok('PUT', '/global/drivers', { nodes });
    expect(await listed('boiler')).to.include(both);
    const groups = [{ name: 'group', interval: 100, ...both, tags }];
    await client.ok('POST', '/template', { name: 'kiln', plugin: 'Modbus TCP', groups });
    await client.ok('POST', '/template/inst', { name: 'kiln', node: 'kiln' });
    expect(await listed('kiln')).to.include(both);
  });
});
