// `npm run screens`: the pictures of the web page in the README; with `-- --all DIR` pictures of every place, at a desk and on a phone, in
// light and dark colours and in Chinese, to look at.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { asAdmin, Chromium, type TabOptions } from '../kit/browser.ts';
import { optionsOf } from '../kit/options.ts';
import { sleep } from '../kit/until.ts';
import { startScreensPlant, type ScreensPlant } from './screens-plant.ts';

const usage = `Usage: npm run screens -- [options]

  --all DIR     Pictures of every place, at a desk and on a phone, in light and dark colours and in Chinese, into this folder. Without
                it those of the README are taken anew.
  --only PLACE  Those of one place, such as alarms or settings; may be given several times.
  --help        Print this text and end.
`;

const options = optionsOf(usage, { all: { type: 'string' }, only: { type: 'string', multiple: true } });

const folder = options.all ?? join(import.meta.dirname, '../../host/dashboard/screens');

const desk = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

interface Place {
  readonly at: string;
  /** What is done there before the picture is taken. */
  readonly before?: (page: Page, plant: ScreensPlant) => Promise<unknown>;
}

/** Begins a trace and opens its first line. */
const traced =
  (button: string | RegExp) =>
  async (page: Page): Promise<void> => {
    await page.getByRole('button', { name: button }).click();
    await sleep(6000);
    await page.locator('tbody button').first().click();
  };

/** Opens the boiler down to its tags. */
const opensBoiler = async (page: Page): Promise<void> => {
  await page.getByRole('treeitem').first().waitFor();
  await page.getByRole('treeitem', { name: /^boiler/ }).click();
  await page.getByRole('treeitem', { name: /^fast/ }).click();
  await page.mouse.move(0, 0);
};

const places = {
  overview: { at: '#/', before: showsRates },
  drivers: { at: '#/drivers' },
  'what-device': { at: '#/drivers/add', before: search('meter') },
  'add-by-profile': { at: '#/drivers/add?profile=eastron-sdm630', before: readsMeter },
  'add-by-plugin': { at: '#/drivers/add?plugin=Modbus%20TCP' },
  profiles: { at: '#/profiles' },
  profile: { at: '#/profiles/eastron-sdm630' },
  'profile-update': {
    at: '#/nodes/hall%20meter/profile',
    before: (page) => page.getByRole('button', { name: /1\.1\.0/ }).click(),
  },
  apps: { at: '#/apps' },
  node: { at: '#/nodes/line%202%2Fpress' },
  settings: { at: '#/nodes/boiler/settings' },
  'app-settings': { at: '#/nodes/cloud/settings' },
  'notify-settings': { at: '#/nodes/shift/settings' },
  table: { at: '#/nodes/shift/settings', before: opensTable },
  groups: { at: '#/nodes/boiler/groups' },
  tags: { at: '#/nodes/boiler/groups/fast' },
  trace: { at: '#/nodes/boiler/trace', before: traced(/^(Trace|Show|跟踪|显示)/) },
  subscriptions: { at: '#/nodes/cloud/subscriptions' },
  messages: { at: '#/nodes/cloud/messages', before: traced(/^(Trace|Show|跟踪|显示)/) },
  live: { at: '#/live?g=boiler%2Ffast' },
  trend: { at: '#/live?g=boiler%2Ffast', before: drawTrend },
  tree: { at: '#/live?view=tree', before: opensBoiler },
  templates: { at: '#/templates' },
  transfer: { at: '#/transfer' },
  plugins: { at: '#/plugins' },
  find: { at: '#/plugins/find?q=tagway' },
  package: { at: '#/plugins/find/%40acme%2Ftagway-flow' },
  registries: { at: '#/plugins/registries' },
  alarms: { at: '#/alarms' },
  frequent: { at: '#/alarms?frequent' },
  journal: { at: '#/alarms?journal' },
  logs: { at: '#/logs' },
  audit: { at: '#/audit' },
  users: { at: '#/users' },
  about: { at: '#/about' },
} satisfies Readonly<Record<string, Place>>;

interface Picture extends Pick<TabOptions, 'size' | 'scheme' | 'language'> {
  readonly name: string;
  readonly place: keyof typeof places;
}

/** Those of the README; the overview last, when there is something behind its lines. */
const pictures: readonly Picture[] = [
  { name: 'live', place: 'trend', size: desk, scheme: 'dark' },
  { name: 'tags', place: 'tags', size: desk, scheme: 'light' },
  { name: 'settings', place: 'app-settings', size: desk, scheme: 'dark' },
  { name: 'alarms', place: 'alarms', size: desk, scheme: 'light' },
  { name: 'trace', place: 'trace', size: desk, scheme: 'dark' },
  { name: 'what-device', place: 'what-device', size: desk, scheme: 'light' },
  { name: 'overview-phone', place: 'overview', size: phone, scheme: 'dark' },
  { name: 'live-phone', place: 'live', size: phone, scheme: 'light' },
  { name: 'tree-phone', place: 'tree', size: phone, scheme: 'light' },
  { name: 'alarms-phone', place: 'alarms', size: phone, scheme: 'dark' },
  { name: 'overview', place: 'overview', size: desk, scheme: 'light' },
];

const looks = [
  { look: 'light', scheme: 'light' },
  { look: 'dark', scheme: 'dark' },
  { look: 'chinese', scheme: 'light', language: 'zh' },
] as const;

const everything = looks.flatMap(({ look, ...as }) =>
  Object.entries({ desk, phone }).flatMap(([kind, size]) =>
    (Object.keys(places) as Picture['place'][]).map((place): Picture => {
      return { name: `${place}-${kind}-${look}`, place, size, ...as };
    }),
  ),
);

/** Opens the rules of Notify as a table. */
async function opensTable(page: Page): Promise<void> {
  await page.locator('.lines-field button').first().click();
  await page.locator('[data-cell="0.1"]').focus();
}

/** The rate of what is read takes two looks at the counters. */
function showsRates(page: Page): Promise<void> {
  return page
    .locator('.overview-numbers .value')
    .first()
    .filter({ hasText: /^[1-9]/ })
    .waitFor();
}

/** Lets two values be drawn for a while. */
async function drawTrend(page: Page): Promise<void> {
  for (const name of ['temperature', 'flow'])
    await page.getByRole('row').filter({ hasText: name }).getByRole('checkbox').first().check();
  await sleep(options.all === undefined ? 30_000 : 3000);
}

/** Fills the search of a place. */
function search(words: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole('searchbox').first().fill(words);
}

/** Fills in where the meter is, and shows its values. */
async function readsMeter(page: Page, { meter }: ScreensPlant): Promise<void> {
  await page.locator('main select').selectOption('Modbus TCP');
  await page.locator('#root_host').fill('127.0.0.1');
  await page.locator('#root_port').fill(String(meter.port));
  await page.locator('.save-bar button').first().click();
  await page.getByText('voltage_l1').waitFor();
}

async function take(chromium: Chromium, plant: ScreensPlant, picture: Picture): Promise<void> {
  const { name, place, ...look } = picture;
  const { at, before }: Place = places[place];
  const page = await chromium.open(plant.gateway, at, { ...look, as: asAdmin(plant.client) });
  await page.getByRole('heading', { level: 2 }).first().waitFor();
  await before?.(page, plant);
  await sleep(1500);
  const session = await page.context().newCDPSession(page);
  // Those of the README are small; the others are to be looked at closely.
  const format = options.all === undefined ? 'webp' : 'png';
  const { data } = await session.send('Page.captureScreenshot', {
    format,
    ...(format === 'webp' && { quality: 55 }),
  });
  const file = Buffer.from(data, 'base64');
  await writeFile(join(folder, `${name}.${format}`), file);
  process.stdout.write(`${name}.${format}: ${Math.ceil(file.length / 1000)} kB\n`);
  await chromium.clear();
}

await mkdir(folder, { recursive: true });
await using opened = new AsyncDisposableStack();
const plant = await startScreensPlant(opened);
const chromium = opened.adopt(await Chromium.start(), (it) => it.stop());
for (const picture of options.all === undefined ? pictures : everything)
  if (options.only?.includes(picture.place) ?? true) await take(chromium, plant, picture);
