import { Attribute, LinkState, RunningState } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { asAdmin, describePage } from '../kit/browser.ts';
import { addBoiler, addModbus, connected, registerTags, stateOf, type TagBody } from '../kit/configure.ts';
import { Device } from '../world/devices.ts';
import { TcpProxy } from '../world/tcp-proxy.ts';
import { sleep, until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

/** How long an outage lasts; the measurement of the page sets 90. */
const seconds = Number(process.env['PAGE_SECONDS'] ?? 15);

const placeOf = (...nodes: string[]): string =>
  `#/live?${nodes.map((node) => `g=${encodeURIComponent(`${encodeURIComponent(node)}/group`)}`).join('&')}`;

const tagsOf = (name: string): TagBody[] =>
  registerTags(2, Attribute.READ | Attribute.WRITE).map((tag, index) => ({
    ...tag,
    name: `${name}${index}`,
  }));

interface Outage {
  readonly title: string;
  readonly begin: (proxy: TcpProxy) => Promise<void> | void;
  readonly end: (proxy: TcpProxy, target: number) => Promise<void> | void;
}

const outages: readonly Outage[] = [
  {
    title: 'connections are cut and refused',
    begin: (proxy) => proxy.shut(),
    end: (proxy, target) => proxy.reopen(target),
  },
  {
    title: 'connections stand and nothing comes through',
    begin: (proxy) => proxy.swallow(),
    end: (proxy) => proxy.release(),
  },
];

describePage('the page while nothing gets through', function () {
  this.timeout(120_000 + seconds * 2000);
  let press: Device;
  let proxy: TcpProxy;
  const { plant, chromium } = usePage();
  const portOf = (): number => Number(new URL(plant.gateway.url).port);
  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const shows = (page: Page, name: string, text: string | RegExp, within: number): Promise<void> =>
    rowOf(page, name).getByText(text, { exact: true }).first().waitFor({ timeout: within });
  const open = (place: string): Promise<Page> =>
    chromium.open({ url: `http://127.0.0.1:${proxy.port}` }, place, { as: asAdmin(plant.client) });

  before(async () => {
    press = await Device.start();
    proxy = await TcpProxy.open(portOf());
    await addBoiler(plant, 'group', tagsOf('level'));
    await addModbus(plant.client, 'press', { port: press.port, tags: tagsOf('force') });
  });
  after(async () => {
    await proxy.shut();
    await press.stop();
  });

  /** Every tag in sight says that it is stale, and for how long, within twelve seconds. */
  async function becomesStale(page: Page, tags: number, from: number): Promise<void> {
    await until('every value says stale', async () => (await page.getByText('stale').count()) === tags, {
      within: from + 12_000 - performance.now(),
    });
    expect(await page.getByRole('cell', { name: /^stale \d+ s$/ }).count()).to.equal(tags);
    await page.getByText(/^No connection to the gateway since /).waitFor();
  }

  for (const { title, begin, end } of outages) {
    it(`says so of every value, and is right two seconds after it is over: ${title}`, async () => {
      await plant.device.setRegisters(0, [11, 21]);
      const { port } = press;
      const page = await open(placeOf('boiler', 'press'));
      const node = await open('#/nodes/boiler');
      await shows(page, 'level0', '11', 10_000);
      await node.getByRole('button', { name: 'Stop boiler' }).waitFor();
      await page.evaluate('globalThis.isSame = true');

      const from = performance.now();
      await begin(proxy);
      await becomesStale(page, 4, from);

      // What is done now is refused at once and never sent.
      await node.getByText(/^No connection to the gateway since /).waitFor();
      await node.getByRole('button', { name: 'Stop boiler' }).click();
      await node.getByText(/so nothing was sent, and nothing will be sent later/).waitFor();
      await page.getByRole('button', { name: 'Write level0' }).click();
      await page.getByRole('textbox', { name: 'New value' }).fill('99');
      const write = page.getByRole('dialog').getByRole('button', { name: 'Write', exact: true });
      expect(await write.isDisabled()).to.equal(true);
      await page.keyboard.press('Enter');
      await page.keyboard.press('Escape');

      await plant.device.setRegisters(0, [12, 22]);
      await press.stop();
      await sleep(Math.max(0, from + seconds * 1000 - performance.now()));
      await until('the gateway knows of the failed node', async () => {
        return (await stateOf(plant.client, 'press')).link !== LinkState.CONNECTED;
      });
      await end(proxy, portOf());
      const back = performance.now();
      await shows(page, 'level0', '12', 2000);
      await shows(page, 'level1', '22', back + 2000 - performance.now());
      await shows(page, 'force0', /link to the device is down/, back + 2000 - performance.now());
      expect(await page.getByText('stale').count()).to.equal(0);
      expect(await page.evaluate('globalThis.isSame')).to.equal(true);
      await sleep(1000);
      expect(await plant.device.registers(0, 2)).to.deep.equal([12, 22]);
      expect((await stateOf(plant.client, 'boiler')).running).to.equal(RunningState.RUNNING);
      press = await Device.start({ port });
    });
  }

  it('is right again after the gateway was killed and started anew, and the overview is calm no longer than it knows', async () => {
    await plant.device.setRegisters(0, [31, 41]);
    const page = await open(placeOf('boiler'));
    const overview = await open('#/');
    await shows(page, 'level0', '31', 10_000);
    await overview.getByText(/^Everything is well/).waitFor();
    const from = performance.now();
    await plant.gateway.kill();
    await proxy.shut();
    await becomesStale(page, 2, from);
    expect(await overview.getByText(/^Everything is well/).count()).to.equal(0);
    await plant.device.setRegisters(0, [32, 42]);
    await plant.gateway.start();
    await plant.renew();
    await connected(plant.client, 'boiler');
    await proxy.reopen(portOf());
    await shows(page, 'level0', '32', 2000);
    await overview.getByText(/^Everything is well/).waitFor();
  });
});
