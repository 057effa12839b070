// The plant of the pictures of the page: a boiler house and two lines, with alarms, those who hear of them, and a registry of plugins.
import { Attribute, DataType, type Profile } from '@tagway/schemas';
import {
  addModbus,
  addMqtt,
  connected,
  hasValue,
  holding,
  readValues,
  type TagBody,
} from '../kit/configure.ts';
import { packageOf } from '../kit/packages.ts';
import { installProfile, meterProfile } from '../kit/profiles.ts';
import { words } from '../world/devices.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { startNorthPlant, type NorthPlant } from '../world/plant.ts';
import { RegisterDevice } from '../world/register-device.ts';

/** Name, type, unit and description of what the plant measures. */
const points: readonly (readonly [name: string, type: DataType, unit: string, description: string])[] = [
  ['temperature', DataType.FLOAT, '°C', 'Water in the upper drum'],
  ['pressure', DataType.FLOAT, 'bar', 'Steam header'],
  ['level', DataType.INT16, 'mm', 'Feed water tank'],
  ['flow', DataType.FLOAT, 't/h', 'Steam to line 2'],
  ['burner on', DataType.INT16, '', 'Main burner'],
  ['setpoint', DataType.FLOAT, '°C', 'Set point of the temperature'],
];

const tags: readonly TagBody[] = [
  ...points.map(([name, type, unit, description], index) => ({
    name,
    type,
    unit,
    description,
    address: holding(1 + index * 2),
    precision: 2,
    attribute: Attribute.READ | (name === 'setpoint' ? Attribute.WRITE : 0),
  })),
  ...Array.from({ length: 30 }, (_, index) => ({
    name: `zone ${index + 1}`,
    description: `Temperature of zone ${index + 1}`,
    unit: '°C',
    address: holding(101 + index),
    attribute: Attribute.READ,
    type: DataType.INT16,
    decimal: 0.1,
  })),
];

const float = (value: number): number[] => words('Float', value);

/** Sets the registers to those of a boiler at work, `second` seconds after its start. */
async function work({ device }: NorthPlant, second: number): Promise<void> {
  const wave = (period: number, from: number, by: number): number =>
    from + by * Math.sin((second * 2 * Math.PI) / period);
  await device.setRegisters(0, [
    ...float(wave(40, 184, 3)),
    ...float(wave(25, 10.2, 0.4)),
    ...[Math.round(wave(60, 1240, 30)), 0],
    ...float(wave(30, 6.4, 0.8)),
    ...[second % 30 < 20 ? 1 : 0, 0],
    ...float(185),
  ]);
  await device.setRegisters(
    100,
    Array.from({ length: 30 }, (_, zone) => Math.round(wave(50 + zone, 600 + zone * 5, 20))),
  );
}

const temperature = 'tag("boiler/fast/temperature")';

/** Name and address of the alarms. The temperature is over 186 °C for some seconds of each of its periods of 40 s. */
const alarms: readonly (readonly [name: string, address: string])[] = [
  [
    'Drum temperature high',
    `high(${temperature}, 186, deadband: 0.5, priority: high, text: "Drum at " + fixed(${temperature}, 1) + " °C")`,
  ],
  [
    'Header pressure low',
    'low(tag("boiler/fast/pressure"), 9.9, text: "Header at " + fixed(tag("boiler/fast/pressure"), 1) + " bar")',
  ],
  ['Press without values', 'no_data(tag("line 2%2Fpress/force/temperature"), 5, priority: high)'],
  ['Zone 7 warm', 'high(tag("boiler/fast/zone 7"), 60, priority: low)'],
  ['Burner is on', 'equal(tag("boiler/fast/burner on"), 1, priority: low)'],
];

async function addAlarms({ client }: NorthPlant): Promise<void> {
  await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
  await client.ok('POST', '/group', { node: 'alarms', name: 'boiler house', interval: 500 });
  const attribute = Attribute.READ | Attribute.WRITE;
  const tags = alarms.map(([name, address]) => ({ name, address, attribute, type: DataType.STRING }));
  await client.ok('POST', '/tags', { node: 'alarms', group: 'boiler house', tags });
  await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
  for (const [tag, command, after] of [
    ['Zone 7 warm', 'acknowledge: the painters have opened the door', 'acknowledged'],
    ['Burner is on', 'shelve 7200: it is to be on', 'shelved'],
  ] as const) {
    await hasValue(client, 'alarms', 'boiler house', tag, 'unacknowledged');
    await client.ok('POST', '/write', { node: 'alarms', group: 'boiler house', tag, value: command });
    await hasValue(client, 'alarms', 'boiler house', tag, after);
  }
}

async function addNotify({ client, gateway }: NorthPlant): Promise<void> {
  await client.ok('POST', '/node', { name: 'shift', plugin: 'Notify' });
  const params = {
    rules:
      'duty = duty@example.com | also: acknowledged, returned\nreport = office@example.com | digest: 07:00',
    smtp_host: '127.0.0.1',
    smtp_port: 1,
    smtp_security: 2,
    from: 'gateway@example.com',
    page: gateway.url,
  };
  await client.ok('POST', '/node/setting', { node: 'shift', params });
}

const readme = `# Flow meter

Reads flow meters of the F series over TCP: flow, totals and temperature.

## Addresses

| Address | Meaning            |
| ------- | ------------------ |
| \`flow\`  | Flow, m³/h         |
| \`sum\`   | Total since reset  |
| \`temp\`  | Temperature, °C    |
`;

/** A registry with a few plugins, which the gateway searches. */
async function addRegistry({ client }: NorthPlant, opened: AsyncDisposableStack): Promise<void> {
  const registry = opened.use(await LyingRegistry.start());
  for (const [name, id, description] of [
    ['@acme/tagway-flow', 'flow', 'Reads flow meters of the F series over TCP.'],
    ['@acme/tagway-scale', 'scale', 'Reads the weights of scales with a continuous protocol.'],
    ['tagway-weather', 'weather', 'Reads the forecast of a weather service once an hour.'],
  ] as const) {
    const packageJson = { description, author: { name: 'ACME Instruments' }, license: 'MIT' };
    registry.add(
      packageOf(name, id, { version: '1.2.0', packageJson, readme, tagway: { uses: ['network'] } }),
    );
  }
  registry.add(packageOf('tagway-later', 'later', { manifest: { sdk: '^99.0.0' } }));
  const registries = [
    { url: registry.url, search: true },
    { scope: '@factory', url: 'https://packages.example.com/' },
  ];
  await client.ok('PUT', '/directory/registries', { registries });
}

/** The plant of the pictures, with a meter that no driver reads yet. */
export type ScreensPlant = NorthPlant & { readonly meter: RegisterDevice };

/** A meter of the kind of the Eastron SDM630, with the values of a quiet afternoon. */
async function startMeter(opened: AsyncDisposableStack): Promise<RegisterDevice> {
  const meter = opened.use(await RegisterDevice.start());
  meter.set(
    meter.input,
    0,
    Array.from({ length: 400 }, () => 0),
  );
  const values = [
    ...[230.1, 229.8, 230.6, 12.4, 11.9, 13.1],
    ...[2810, 2690, 2980, 2853, 2735, 3021, 494, 493, 496, 0.98, 0.98, 0.99],
  ];
  for (const [index, value] of values.entries()) meter.set(meter.input, index * 2, float(value));
  for (const [at, value] of [
    [48, 37.4],
    [52, 8480],
    [56, 8609],
    [60, 1483],
    [62, 0.98],
    [70, 49.98],
    [72, 18432.6],
  ] as const)
    meter.set(meter.input, at, float(value));
  return meter;
}

/** Starts the plant; its values move until the stack is disposed. */
export async function startScreensPlant(opened: AsyncDisposableStack): Promise<ScreensPlant> {
  const plant = await startNorthPlant(opened);
  const { client, device, broker } = plant;
  await work(plant, 0);
  await addModbus(client, 'boiler', { port: device.port, group: 'fast', interval: 1000, tags });
  // The trends begin with what is kept.
  await client.ok('PUT', '/group', { node: 'boiler', group: 'fast', interval: 1000, history: 5 });
  const motors = tags.slice(6, 20);
  await addModbus(client, 'line 2/motors', { port: device.port, group: 'run', interval: 1000, tags: motors });
  // Nothing listens there.
  await addModbus(client, 'line 2/press', {
    port: 1,
    group: 'force',
    interval: 1000,
    tags: tags.slice(0, 4),
  });
  await addMqtt(client, 'cloud', broker.port, { format: 0 });
  for (const [driver, group, topic] of [
    ['boiler', 'fast', 'plant/boiler'],
    ['line 2/motors', 'run', 'plant/motors'],
  ] as const)
    await client.ok('POST', '/subscribe', { app: 'cloud', driver, group, params: { topic } });
  await readValues(client, 'boiler', 'fast');
  let second = 0;
  const working = setInterval(() => void work(plant, (second += 1)), 1000);
  opened.defer(() => clearInterval(working));
  await addAlarms(plant);
  await addNotify(plant);
  await addRegistry(plant, opened);
  await connected(client, 'cloud');
  const meter = await startMeter(opened);
  // Made by a profile whose next version is installed, and changed by people since.
  await installProfile(client, meterProfile(acme));
  await client.ok('POST', '/profile/node', {
    profile: 'acme-meter',
    node: 'hall meter',
    params: { host: '127.0.0.1', port: meter.port },
  });
  await client.ok('PUT', '/tags', {
    node: 'hall meter',
    group: 'fast',
    tags: [
      {
        name: 'voltage',
        address: '1!400001',
        type: DataType.UINT16,
        attribute: 1,
        decimal: 0.5,
        description: 'Of the hall',
      },
    ],
  });
  await installProfile(client, nextMeter());
  return { ...plant, meter };
}

const acme = {
  name: 'Acme M1',
  maker: 'Acme',
  description: { en: 'Energy meter for one phase.', zh: '单相电表。' },
} as const;

/** A later version of the profile of a meter: another factor, another interval, and a tag that it has no more. */
function nextMeter(): Profile {
  const next = meterProfile({ ...acme, version: '1.1.0' });
  const [fast, slow] = next.groups;
  const [voltage, current] = fast!.tags;
  const tags = [
    { ...voltage!, decimal: 1 },
    { ...current!, unit: 'mA' },
    { name: 'frequency', address: '{unit}!400007', type: 'UINT16' as const, unit: 'Hz' },
  ];
  return { ...next, groups: [{ ...fast!, interval: 500, tags }, slow!] };
}
