import { Attribute, DataType, parseReference, referencesIn } from '@tagway/schemas';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { addModbus, addMqtt, hasValue, holding, readGroup, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { useNorthPlant } from '../world/plant.ts';

const text = readFileSync(join(import.meta.dirname, '../../docs/recipes.md'), 'utf8');

const described = Array.from(
  text.matchAll(/^(Tag|Alarm) `([^`]+)`, (\w+):\n\n```cel\n([^`]*)\n```/gm),
  (match) => ({
    plugin: match[1] === 'Tag' ? 'Calculation' : 'Alarms',
    ...parseReference(match[2]!)!,
    type: DataType[match[3] as keyof typeof DataType],
    address: match[4]!,
  }),
);

/** The bodies of `POST /group` and `POST /tags` in the page. */
const [group, tags] = Array.from(
  text.matchAll(/```json\n([^`]*)\n```/g),
  ([, body = '']) => JSON.parse(body) as object,
) as [{ readonly node: string; readonly group: string }, { readonly tags: readonly TagBody[] }];

/** Inputs that are true or false: the first bit of a register. */
const bits = /\/(running|planned|cycle|reject|shift_change|runs|demand|reset)$/;

/** What the recipes read of the plant: registers, one after the other. */
const inputs = [
  ...new Set(
    [...described, ...tags.tags].flatMap(({ address }) => referencesIn(address).map((found) => found.text)),
  ),
].filter((name) => ![...described, group].some(({ node }) => name.startsWith(`${node}/`)));

const registerOf = (name: string): number => inputs.indexOf(name);

function inputTag(name: string): TagBody {
  const address = holding(registerOf(name) + 1);
  const isBit = bits.test(name);
  return {
    name: parseReference(name)!.tag,
    address: isBit ? `${address}.0` : address,
    type: isBit ? DataType.BIT : DataType.INT16,
    attribute: Attribute.READ,
  };
}

describe('The recipes in docs/recipes.md, in a gateway', function () {
  this.timeout(120_000);
  const { broker, client, device, subscriber } = useNorthPlant();

  const set = async (values: Readonly<Record<string, number>>): Promise<void> => {
    for (const [name, value] of Object.entries(values)) await device.setRegisters(registerOf(name), [value]);
  };

  before(async () => {
    for (const [node, names] of Map.groupBy(inputs, (name) => parseReference(name)!.node)) {
      for (const [index, [name, own]] of [
        ...Map.groupBy(names, (one) => parseReference(one)!.group),
      ].entries()) {
        const body = { node, group: name, tags: own.map(inputTag) };
        if (index === 0) await addModbus(client, node, { port: device.port, ...body });
        else {
          await client.ok('POST', '/group', { node, name, interval: 100 });
          await client.ok('POST', '/tags', body);
        }
      }
    }
  });

  it('are taken by it, in their order', async () => {
    expect(described).to.have.length(22);
    const known = new Set<string>();
    for (const { plugin, node, group: name, tag, type, address } of described) {
      if (!known.has(node)) {
        await client.ok('POST', '/node', { name: node, plugin });
        await client.ok('POST', '/node/setting', { node, params: {} });
      }
      if (!known.has(`${node}/${name}`)) {
        await client.ok('POST', '/group', { node, name, interval: name === 'slow' ? 1000 : 100 });
      }
      known.add(node).add(`${node}/${name}`);
      const attribute = plugin === 'Alarms' ? Attribute.READ | Attribute.WRITE : Attribute.READ;
      await client.ok('POST', '/tags', {
        node,
        group: name,
        tags: [{ name: tag, type, address, attribute }],
      });
    }
    await client.ok('POST', '/node', { name: group.node, plugin: 'Calculation' });
    await client.ok('POST', '/node/setting', { node: group.node, params: {} });
    await client.ok('POST', '/group', group);
    await client.ok('POST', '/tags', tags);
  });

  it('calculate what the page says, as far as that needs no hours', async () => {
    const wall = 'hall/slow/T wall';
    const pressures = (...values: readonly number[]): Record<string, number> =>
      Object.fromEntries(values.map((value, index) => [`reactor/fast/p${index + 1}`, value]));
    await set({
      ...pressures(118, 121, 300),
      'hall/slow/T': 20,
      'hall/slow/humidity': 50,
      [wall]: 20,
      'line/fast/pressure': 1,
    });
    await hasValue(client, 'voting', 'fast', 'trip', 1);
    await hasValue(client, 'voting', 'fast', 'median', 121);
    await set(pressures(118, 119, 300));
    await hasValue(client, 'voting', 'fast', 'trip', 0);
    await hasValue(client, 'voting', 'fast', 'median', 119);
    await until('the dew point is 9.3 °C', async () => {
      const value = (await readGroup(client, 'climate', 'slow')).get('dew point')?.value;
      return typeof value === 'number' && Math.abs(value - 9.3) < 0.06;
    });
    await hasValue(client, 'alarms', 'slow', 'condensation', 'normal');
    await set({ 'meter/slow/kWh': 32_000 });
    await hasValue(client, 'energy', 'slow', 'kWh', 32_000);
    await set({ 'line/slow/shift_change': 1 });
    await hasValue(client, 'shift', 'slow', 'kWh', 0);
    await set({ 'line/slow/shift_change': 0 });
    await hasValue(client, 'line', 'slow', 'shift_change', 0);
    // The meter was read again since, so that the shift has begun with what it had.
    await set({ 'meter/slow/power': 1 });
    await hasValue(client, 'meter', 'slow', 'power', 1);
    await set({ 'meter/slow/kWh': 32_020 });
    await hasValue(client, 'shift', 'slow', 'kWh', 20);
    await set({ 'meter/slow/kWh': 7 });
    await hasValue(client, 'energy', 'slow', 'kWh', 65_536 + 7);
    await hasValue(client, 'shift', 'slow', 'kWh', 65_536 + 7 - 32_000);
    const shown = await readGroup(client, 'alarms', 'fast');
    expect(shown.get('PLC silent')?.value).to.equal('normal');
    await hasValue(client, 'alarms', 'fast', 'PLC stands', 'unacknowledged');
    await hasValue(client, 'alarms', 'fast', 'pressure low', 'suppressed');
    await set({ 'line/fast/mode': 3 });
    await hasValue(client, 'alarms', 'fast', 'pressure low', 'unacknowledged');
  });

  it('report a level when it has moved, and not every ripple', async () => {
    await addMqtt(client, 'north', broker.port);
    const params = { topic: 'level' };
    await client.ok('POST', '/subscribe', { app: 'north', driver: group.node, group: group.group, params });
    const levels = (): number[] =>
      subscriber.messages
        .filter(({ topic }) => topic === 'level')
        .map(
          ({ text: message }) => (JSON.parse(message) as { values: { tank?: number } }).values.tank ?? NaN,
        );
    await set({ 'tank/fast/level': 90 });
    await until(
      'the mean of ten seconds is that of the level',
      async () => (await readGroup(client, group.node, group.group)).get('tank')?.value === 90,
      { within: 30_000 },
    );
    await until('the last level is reported', () => levels().some((level) => Math.abs(level - 90) <= 0.5));
    const [, ...later] = levels();
    for (const [index, level] of later.entries())
      expect(Math.abs(level - levels()[index]!), `${level} after ${levels()[index]}`).to.be.above(0.5);
  });
});
