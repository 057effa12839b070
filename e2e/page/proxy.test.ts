import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { asAdmin, describePage } from '../kit/browser.ts';
import { addBoiler, registerTags } from '../kit/configure.ts';
import { ReverseProxy } from '../world/reverse-proxy.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

const live = '#/live?g=boiler%2Fgroup';

const places = ['#/', '#/drivers', '#/nodes/boiler/settings', '#/plugins', '#/logs', '#/about', live];

describePage('the page behind a proxy that takes a path away', function () {
  this.timeout(120_000);
  let proxy: ReverseProxy;
  let value = 0;
  const { plant, chromium } = usePage();
  before(() => addBoiler(plant, 'group', registerTags(2)));
  beforeEach(async () => {
    proxy = await ReverseProxy.start(plant.gateway.url, '/a/b');
  });
  afterEach(() => proxy.stop());

  /** Sets a register to what it was never before, and waits until the pages show it. */
  async function showNext(pages: readonly Page[], within: number): Promise<void> {
    value += 1;
    await plant.device.setRegisters(0, [value]);
    await Promise.all(
      pages.map((page) =>
        page
          .getByRole('row')
          .filter({ hasText: 'tag0' })
          .getByText(String(value), { exact: true })
          .waitFor({ timeout: within }),
      ),
    );
  }
  const says = (page: Page, text: string, within = 20_000): Promise<void> =>
    page.getByRole('banner').getByText(text, { exact: true }).waitFor({ timeout: within });

  it('asks for nothing beside that path, and finds everything below it', async () => {
    const page = await chromium.open(proxy);
    await page.getByRole('textbox', { name: 'User', exact: true }).fill('admin');
    await page.locator('input[name=password]').fill('0000');
    await page.keyboard.press('Enter');
    for (const place of places) {
      await page.goto(`${proxy.url}/${place}`);
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      await says(page, 'Live');
    }
    await showNext([page], 5000);
    expect(proxy.strayed.filter((path) => path !== '/favicon.ico')).to.deep.equal([]);
  });

  it('asks while the proxy holds the stream back, and returns to the stream', async () => {
    proxy.buffers = true;
    const page = await chromium.open(proxy, live, { as: asAdmin(plant.client) });
    await says(page, 'Live, by polling');
    await showNext([page], 5000);
    await showNext([page], 5000);
    expect(await page.getByText('stale').count()).to.equal(0);
    proxy.buffers = false;
    await says(page, 'Live', 60_000);
    await showNext([page], 2000);
  });

  for (const [title, before] of [
    ['in a shared worker', ''],
    ['in one of the tabs where there are no shared workers', 'delete globalThis.SharedWorker;'],
  ] as const) {
    it(`eight tabs live by one stream, ${title}`, async () => {
      const first = await chromium.open(proxy, live, { as: asAdmin(plant.client), before });
      await says(first, 'Live');
      const others: Page[] = [];
      for (let tab = 1; tab < 8; tab += 1) others.push(await chromium.another(first));
      const pages = [first, ...others];
      for (const page of pages) await says(page, 'Live');
      await showNext(pages, 5000);
      await until('one stream is open', () => proxy.streams.size === 1);
      // When the tab that holds the stream is closed, another one opens a stream for all.
      await first.close({ runBeforeUnload: true });
      await showNext(others, 15_000);
      await until('one stream is open', () => proxy.streams.size === 1);
    });
  }
});
