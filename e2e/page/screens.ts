// `npm run screens`: the pictures of the web page in the README; with `-- --all DIR` pictures of every place, at a desk and on a phone, in
// light and dark colours and in Chinese, to look at.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import type { Page } from 'playwright-core';
import { asAdmin, Chromium, type TabOptions } from '../kit/browser.ts';
import { addModbus, addMqtt, holding, readValues, type TagBody } from '../kit/configure.ts';
import { optionsOf } from '../kit/options.ts';
import { words } from '../world/devices.ts';
import { startNorthPlant, type NorthPlant } from '../world/plant.ts';
import { sleep } from '../kit/until.ts';

const usage = `Usage: npm run screens -- [options]

  --all DIR   Pictures of every place, at a desk and on a phone, in light and dark colours and in Chinese, into this folder. Without it
              those of the README are taken anew.
  --help      Print this text and end.
`;

const options = optionsOf(usage, { all: { type: 'string' } });

const folder = options.all ?? join(import.meta.dirname, '../../host/dashboard/screens');

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

const live = '#/live?g=boiler%2Ffast';

interface Picture extends Pick<TabOptions, 'size' | 'scheme' | 'language'> {
  readonly name: string;
  readonly place: string;
}

/** Those of the README. */
const pictures: readonly Picture[] = [
  { name: 'overview', place: '#/', size: desk, scheme: 'light' },
  { name: 'live', place: live, size: desk, scheme: 'dark' },
  { name: 'tags', place: '#/nodes/boiler/groups/fast', size: desk, scheme: 'light' },
  { name: 'settings', place: '#/nodes/cloud/settings', size: desk, scheme: 'dark' },
  { name: 'overview-phone', place: '#/', size: phone, scheme: 'dark' },
  { name: 'live-phone', place: live, size: phone, scheme: 'light' },
];

const places: Readonly<Record<string, string>> = {
  overview: '#/',
  drivers: '#/drivers',
  'add-driver': '#/drivers/add',
  apps: '#/apps',
  node: '#/nodes/press',
  settings: '#/nodes/boiler/settings',
  'app-settings': '#/nodes/cloud/settings',
  groups: '#/nodes/boiler/groups',
  tags: '#/nodes/boiler/groups/fast',
  subscriptions: '#/nodes/cloud/subscriptions',
  live,
  templates: '#/templates',
  transfer: '#/transfer',
  plugins: '#/plugins',
  alarms: '#/alarms',
  logs: '#/logs',
  audit: '#/audit',
  users: '#/users',
  about: '#/about',
};

const looks = [
  { look: 'light', scheme: 'light' },
  { look: 'dark', scheme: 'dark' },
  { look: 'chinese', scheme: 'light', language: 'zh' },
] as const;

const everything = looks.flatMap(({ look, ...as }) =>
  Object.entries({ desk, phone }).flatMap(([kind, size]) =>
    Object.entries(places).map(([name, place]): Picture => {
      return { name: `${name}-${kind}-${look}`, place, size, ...as };
    }),
  ),
);

/** Name, type and description of what the plant measures. */
const points: readonly (readonly [name: string, type: DataType, description: string])[] = [
  ['temperature', DataType.FLOAT, 'Water in the upper drum, °C'],
  ['pressure', DataType.FLOAT, 'Steam header, bar'],
  ['level', DataType.INT16, 'Feed water tank, mm'],
  ['flow', DataType.FLOAT, 'Steam to line 2, t/h'],
  ['burner on', DataType.INT16, 'Main burner'],
  ['setpoint', DataType.FLOAT, 'Set point of the temperature, °C'],
];

const tags: readonly TagBody[] = [
  ...points.map(([name, type, description], index) => ({
    name,
    type,
    description,
    address: holding(1 + index * 2),
    precision: 2,
    attribute: Attribute.READ | (name === 'setpoint' ? Attribute.WRITE : 0),
  })),
  ...Array.from({ length: 30 }, (_, index) => ({
    name: `zone ${index + 1}`,
    description: `Temperature of zone ${index + 1}, °C`,
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

/** Lets two values be drawn for a while. */
async function drawTrend(page: Page): Promise<void> {
  for (const name of ['temperature', 'flow'])
    await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').first().check();
  await sleep(30_000);
}

async function take(chromium: Chromium, plant: NorthPlant, picture: Picture): Promise<void> {
  const { name, place, ...look } = picture;
  const page = await chromium.open(plant.gateway, place, { ...look, as: asAdmin(plant.client) });
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  if (options.all === undefined && name === 'live') await drawTrend(page);
  // The rate of what is read takes two looks at the counters.
  await sleep(options.all === undefined && place === '#/' ? 7000 : 1500);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 55 });
  const file = Buffer.from(data, 'base64');
  await writeFile(join(folder, `${name}.webp`), file);
  process.stdout.write(`${name}.webp: ${Math.ceil(file.length / 1000)} kB\n`);
  await chromium.clear();
}

await mkdir(folder, { recursive: true });
await using opened = new AsyncDisposableStack();
const plant = await startNorthPlant(opened);
const { client, device, broker } = plant;
await work(plant, 0);
await addModbus(client, 'boiler', { port: device.port, group: 'fast', interval: 1000, tags });
const motors = tags.slice(6, 20);
await addModbus(client, 'line 2', { port: device.port, group: 'motors', interval: 1000, tags: motors });
// Nothing listens there.
await addModbus(client, 'press', { port: 1, group: 'force', interval: 1000, tags: tags.slice(0, 4) });
await addMqtt(client, 'cloud', broker.port, { format: 0 });
for (const driver of ['boiler', 'line 2']) {
  const group = driver === 'boiler' ? 'fast' : 'motors';
  const params = { topic: `plant/${driver}` };
  await client.ok('POST', '/subscribe', { app: 'cloud', driver, group, params });
}
await readValues(client, 'boiler', 'fast');
let second = 0;
const working = setInterval(() => void work(plant, (second += 1)), 1000);
opened.defer(() => clearInterval(working));
const chromium = opened.adopt(await Chromium.start(), (it) => it.stop());
for (const picture of options.all === undefined ? pictures : everything) {
  await take(chromium, plant, picture);
}
