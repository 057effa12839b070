import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { connectAsync, type MqttClient } from 'mqtt';
import { addModbus, addMqtt, connected, readGroup, registerTags, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { startBroker, type Broker } from '../world/brokers.ts';
import { usePlant } from '../world/plant.ts';

/** For how long the alarms change. By hand: `ALARM_SECONDS=60 npm test -- e2e/test/alarms-load.test.ts`. */
const seconds = Number(process.env['ALARM_SECONDS'] ?? 5);

/** Each register has a hundred alarms, and ten of them change every second. */
const registers = 100;
const alarmsOfRegister = 100;
const changesASecond = 10;

const tagsOf = (register: number): TagBody[] =>
  Array.from({ length: alarmsOfRegister }, (_, index) => ({
    name: `${register}/${index}`,
    address: `high(tag("plc/fast/tag${register}"), ${index + 1}, acknowledge: false, text: "over " + string(${index + 1}))`,
    type: DataType.UINT8,
    attribute: Attribute.READ,
  }));

interface Transition {
  readonly sequence: number;
  readonly time: number;
  readonly tag: string;
  readonly from: string;
  readonly to: string;
}

describe(`${registers * alarmsOfRegister} alarms, ${changesASecond * alarmsOfRegister} transitions a second for ${seconds} seconds`, function () {
  this.timeout(180_000 + seconds * 3000);
  const { client, device } = usePlant();
  let broker: Broker;
  let subscriber: MqttClient;
  const published: Transition[] = [];
  /** How many times each register has changed. */
  const changes = new Array<number>(registers).fill(0);
  const total = (): number => changes.reduce((sum, count) => sum + count, 0) * alarmsOfRegister;

  /** The transitions in their order, from the CSV file, which has all of them. */
  const journal = async (): Promise<Transition[]> => {
    const { text } = await client.call('GET', '/alarms/journal/csv', {}, { within: 120_000 });
    return text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => {
        const cells = line.split(',');
        const [, time = '', , , tag = '', from = '', to = ''] = cells;
        return { sequence: Number(cells.at(-3)), time: Date.parse(time), tag, from, to };
      })
      .reverse();
  };

  before(async () => {
    broker = await startBroker();
    subscriber = await connectAsync(`mqtt://127.0.0.1:${broker.port}`);
    subscriber.on('message', (_topic, payload) =>
      published.push(JSON.parse(payload.toString()) as Transition),
    );
    await subscriber.subscribeAsync('alarms', { qos: 1 });
    await device.setRegisters(0, new Array<number>(registers).fill(0));
    await addModbus(client, 'plc', {
      port: device.port,
      group: 'fast',
      interval: 500,
      tags: registerTags(registers),
    });
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 5000 });
    for (let register = 0; register < registers; register += 10) {
      const tags = Array.from({ length: 10 }, (_, index) => tagsOf(register + index)).flat();
      await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags });
    }
    await addMqtt(client, 'north', broker.port, {
      'alarm-topic': 'alarms',
      'cache-mem-size': 50,
      'cache-disk-size': 100,
    });
    await client.ok('POST', '/subscribe', { app: 'north', driver: 'alarms', group: 'group' });
    await connected(client, 'north');
    await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
    await until(
      'every alarm has a state',
      async () => {
        const values = await readGroup(client, 'alarms', 'group');
        const failed = [...values.values()].find(({ error }) => error !== undefined);
        if (failed !== undefined) throw new Error(JSON.stringify(failed));
        return values.size === registers * alarmsOfRegister;
      },
      { within: 30_000, every: 1000 },
    );
  });

  after(async () => {
    await subscriber?.endAsync(true);
    await broker?.stop();
  });

  it('none is lost, none is there twice, and their order is kept, in the journal and at the broker', async function () {
    const begin = performance.now();
    for (let change = 0; change < seconds * changesASecond; change++) {
      const register = change % registers;
      await device.setRegisters(register, [changes[register]! % 2 === 0 ? 1000 : 0]);
      changes[register]!++;
      // A device that was slow is not caught up with: a register would change between two readings.
      const due = ((change + 1) * 1000) / changesASecond - (performance.now() - begin);
      if (due > 0) await new Promise((resolve) => setTimeout(resolve, due));
    }
    const took = performance.now() - begin;
    await until('all are published', () => published.length >= total(), { within: 60_000, every: 200 });
    const recorded = await journal();
    this.test!.title += `: ${total()} in ${Math.round(took)} ms`;
    expect(recorded).to.have.length(total());
    expect(published).to.have.length(total());
    const states = new Map<string, { to: string; time: number; count: number }>();
    for (const [index, { from, sequence, tag, time, to }] of recorded.entries()) {
      const before = states.get(tag) ?? { to: 'normal', time: 0, count: 0 };
      const { sequence: sent, tag: sentTag, to: sentTo } = published[index]!;
      if (sequence !== index + 1 || sent !== sequence || sentTag !== tag || sentTo !== to)
        expect.fail(
          `The journal has ${sequence} ${tag} ${to}, the broker ${sent} ${sentTag} ${sentTo}, at ${index}.`,
        );
      if (from !== before.to || time < before.time)
        expect.fail(`${tag} went from ${from} at ${time}, but was ${before.to} at ${before.time}.`);
      states.set(tag, { to, time, count: before.count + 1 });
    }
    for (const [tag, { count }] of states) {
      const [register] = tag.split('/');
      if (count !== changes[Number(register)])
        expect.fail(`${tag} has ${count} transitions of ${changes[Number(register)]}.`);
    }
  });
});
