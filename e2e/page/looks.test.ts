import { expect } from 'chai';
import { axeFindings, describePage, overhang, sizes, useChromium, type Chromium } from '../browser.ts';
import { usePlant, type Plant } from '../plant.ts';

const hostile = '<img src=x onerror=console.error(1)> 😀😀😀😀😀😀😀 مرحبا';

const places = [
  '',
  '#/drivers',
  '#/drivers/add',
  '#/apps',
  '#/apps/add',
  '#/nodes/boiler',
  '#/nodes/boiler/settings',
  '#/plugins',
  '#/logs',
  '#/audit',
  '#/users',
  '#/about',
];

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

  for (const place of places) {
    for (const scheme of ['light', 'dark'] as const) {
      it(`${place || '#/'} can be used by everybody, ${scheme}`, async () => {
        const page = await chromium.open(plant.gateway, place, { as, scheme });
        await page.getByRole('heading', { level: 2 }).first().waitFor();
        await page.getByRole('progressbar').or(page.locator('main')).first().waitFor();
        expect(await axeFindings(page)).to.deep.equal([]);
      });
    }

    it(`${place || '#/'} fits a phone, and has a text for everything in Chinese`, async () => {
      const page = await chromium.open(plant.gateway, place, { as, size: sizes.phone, language: 'zh' });
      await page.getByRole('heading', { level: 2 }).first().waitFor();
      expect(await overhang(page)).to.be.at.most(0);
      // A key that has no text is shown itself.
      expect(await page.locator('body').innerText()).not.to.match(/\b[a-z]+\.[a-z]+[A-Z]\w*/);
    });
  }

  it('shows a hostile name as the text that it is', async () => {
    for (const place of ['', '#/drivers', `#/nodes/${encodeURIComponent(hostile)}`, '#/users', '#/audit']) {
      const page = await chromium.open(plant.gateway, place, { as });
      await page.getByText('<img src=x onerror').first().waitFor();
      expect(await page.locator('img[src=x]').count(), place).to.equal(0);
    }
  });
});
