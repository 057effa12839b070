import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { addBoiler, registerTags } from '../kit/configure.ts';
import { ReverseProxy } from '../world/reverse-proxy.ts';
import { usePage } from './fixture.ts';

/** Most bytes on the wire of a login and the overview, and most requests; the font comes after what it is for can be read. */
const most = { bytes: 250_000, requests: 20 };

/** What older browsers of plants lack. */
const older = `
  delete Array.prototype.toSorted; delete Array.prototype.findLast; delete AbortSignal.any; delete Object.groupBy;
  delete Promise.withResolvers; delete globalThis.SharedWorker;`;

describePage('the first load of the page', function () {
  const { plant, chromium, open } = usePage();
  before(() => addBoiler(plant, 'group', registerTags(2)));

  it(`takes at most ${most.bytes / 1000} kB in ${most.requests} requests from the login to the overview, all of it from the gateway`, async () => {
    const proxy = await ReverseProxy.start(plant.gateway.url, '/page');
    try {
      const page = await chromium.open(proxy);
      await page.getByRole('textbox', { name: 'User', exact: true }).fill('admin');
      await page.locator('input[name=password]').fill('0000');
      await page.keyboard.press('Enter');
      await page.getByText(/^Everything is well/).waitFor();
      await page.getByRole('banner').getByText('Live', { exact: true }).waitFor();
      const loaded = proxy.answers.filter(({ path }) => !path.endsWith('.woff2'));
      const list = loaded.map(({ path, bytes }) => `${path} ${bytes}`).join('\n');
      const total = loaded.reduce((sum, { bytes }) => sum + bytes, 0);
      expect(total, list).to.be.within(50_000, most.bytes);
      expect(loaded.length, list).to.be.within(5, most.requests);
      const names = await page.evaluate<string[]>(
        `performance.getEntriesByType('resource').map(({ name }) => name)`,
      );
      expect(names.filter((name) => !name.startsWith(`${proxy.url}/`))).to.deep.equal([]);
    } finally {
      await proxy.stop();
    }
  });

  it('works in a browser that lacks what newer ones have', async () => {
    const page = await open('#/drivers', { before: older });
    await page.getByRole('link', { name: 'boiler' }).waitFor();
    await page.getByRole('columnheader').getByRole('button', { name: /^Name/ }).click();
    await page.goto(`${plant.gateway.url}/#/live?g=boiler%2Fgroup`);
    await page.getByRole('row').filter({ hasText: 'tag1' }).getByText(/^\d+$/).waitFor();
  });

  it('of a gateway in safe mode says so and what to do', async () => {
    await plant.gateway.restart(['--safe']);
    await plant.renew();
    const page = await open();
    await page.getByText('Safe mode', { exact: true }).waitFor();
    await page.getByText('Start it without --safe to go on.').waitFor();
    expect(await page.getByText(/^Everything is well/).count()).to.equal(0);
  });
});
