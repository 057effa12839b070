import { expect } from 'chai';
import { axeFindings, describePage, overhang, sizes, useChromium, type Chromium } from '../browser.ts';
import { Gateway } from '../gateway.ts';

describePage('the login', function () {
  let gateway: Gateway;
  let chromium: Chromium;

  before(async () => {
    gateway = await Gateway.start();
  });
  after(() => gateway?.dispose());
  useChromium((started) => (chromium = started));

  for (const scheme of ['light', 'dark'] as const) {
    it(`has nothing that keeps anybody out, ${scheme}, on a phone`, async () => {
      const page = await chromium.open(gateway, '', { scheme, size: sizes.phone });
      await page.getByLabel('User').waitFor();
      expect(await axeFindings(page)).to.deep.equal([]);
      expect(await overhang(page)).to.equal(0);
    });
  }
});
