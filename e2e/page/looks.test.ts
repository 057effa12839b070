import { expect } from 'chai';
import { axeFindings, describePage, overhang, sizes, useChromium, type Chromium } from '../browser.ts';
import { usePlant, type Plant } from '../plant.ts';

const hostile = '<img src=x onerror=console.error(1)> 😀😀😀😀😀😀😀 مرحبا';

/** What is there when a place has loaded. */
const places: Readonly<Record<string, string>> = {
  '#/': 'section[aria-label] .mantine-Progress-root',
  '#/drivers': 'tr a',
  '#/drivers/add': 'main input',
  '#/apps': 'table',
  '#/apps/add': 'main input',
  '#/nodes/boiler': 'table td',
  '#/nodes/boiler/settings': 'form button[type=submit]',
  '#/plugins': 'table td',
  '#/logs': '[role=log] pre',
  '#/audit': 'ol li',
  '#/users': 'table td button',
  '#/about': 'table td',
};

describePage('every place of the page', function () {
  let plant: Plant;
  let chromium: Chromium;
  let as: { token: string; user: string };
  usePlant((started) => (plant = started));
  useChromium((started) => (chromium = started));

  before(async () => {
    as = { token: plant.client.token ?? '', user: 'admin' };
    const params = { connection_mode: 0, host: '127.0.0.1', port: 1, timeout: 1000 };
    await plant.client.ok('POST', '/node', { name: 'boiler', plugin: 'Modbus TCP', params });
    await plant.client.ok('POST', '/node', { name: hostile, plugin: 'Modbus TCP', params });
    await plant.client.ok('POST', '/tokens', { name: hostile.slice(0, 30), role: 'viewer' });
  });

  for (const [place, loaded] of Object.entries(places)) {
    it(`${place} can be used by everybody, at a desk and in light colours`, async () => {
      const page = await chromium.open(plant.gateway, place, { as });
      await page.locator(loaded).first().waitFor();
      expect(await axeFindings(page)).to.deep.equal([]);
    });

    it(`${place} can be used by everybody, on a phone, in dark colours and in Chinese`, async () => {
      const { phone } = sizes;
      const page = await chromium.open(plant.gateway, place, {
        as,
        size: phone,
        scheme: 'dark',
        language: 'zh',
      });
      await page.locator(loaded).first().waitFor();
      expect(await axeFindings(page)).to.deep.equal([]);
      expect(await overhang(page)).to.be.at.most(0);
      // A text that is missing shows its key.
      expect(await page.locator('body').innerText()).not.to.match(/\b[a-z]+\.[a-z]+[A-Z]\w*/);
    });
  }

  it('shows a hostile name as the text that it is', async () => {
    for (const place of ['#/', '#/drivers', `#/nodes/${encodeURIComponent(hostile)}`, '#/users', '#/audit']) {
      const page = await chromium.open(plant.gateway, place, { as });
      await page.getByText('<img src=x onerror').first().waitFor();
      expect(await page.locator('img[src=x]').count(), place).to.equal(0);
    }
  });
});
