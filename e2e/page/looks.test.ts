import { DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { axeFindings, describePage, overhang, sizes } from '../kit/browser.ts';
import { addMqtt } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

const hostile = '<img src=x onerror=console.error(1)> 😀😀😀😀😀😀😀 مرحبا';

/** What is there when a place has loaded. */
const places: Readonly<Record<string, string>> = {
  '#/': '.overview-numbers .number-card',
  '#/drivers': 'tr a',
  '#/drivers/add': 'main input',
  '#/drivers/add?profile=sunspec': '.profile-head dl',
  '#/drivers/add?plugin=Modbus%20TCP': 'main form input',
  '#/profiles': 'table td a',
  '#/profiles/sunspec': '.profile-head dl',
  '#/apps': 'table td a',
  '#/apps/add': 'main input',
  '#/nodes/boiler': '.state-numbers .number-card',
  '#/nodes/boiler/settings': 'form button[type=submit]',
  '#/nodes/boiler/groups': 'table td a',
  '#/nodes/boiler/groups/fast': 'table td input[type=checkbox]',
  '#/nodes/boiler/trace': '[role=tabpanel] button',
  '#/nodes/uplink/settings': 'form button[type=submit]',
  '#/nodes/shift/settings': '.lines-field button',
  '#/nodes/uplink/subscriptions': 'table td',
  '#/nodes/uplink/messages': '[role=tabpanel] button',
  '#/live?g=boiler%2Ffast': 'table td',
  '#/live?view=tree': '[role=treeitem]',
  '#/templates': 'main button',
  '#/transfer': 'main button',
  '#/plugins': 'table td',
  '#/alarms': 'main .number-card',
  '#/alarms?journal': 'main table',
  '#/alarms?frequent': 'main table',
  '#/fleet': '.fleet-tile',
  '#/fleet?list': 'main table',
  '#/plugins/find': 'main form input',
  '#/plugins/registries': 'main table',
  '#/logs': '[role=log] .log-line',
  '#/audit': 'ol li',
  '#/users': 'table td button',
  '#/sign-in': 'main section button',
  '#/about': 'table td',
  '#/nowhere': 'main a',
};

const looks = [
  { scheme: 'light', language: 'en' },
  { scheme: 'light', language: 'zh' },
  { scheme: 'dark', language: 'en' },
  { scheme: 'dark', language: 'zh' },
] as const;

const languages = { en: 'English', zh: 'Chinese' } as const;

describePage('every place of the page', function () {
  this.timeout(240_000);
  const { plant, chromium, open } = usePage();
  before(async () => {
    const params = { connection_mode: 0, host: '127.0.0.1', port: 1, timeout: 1000 };
    await plant.client.ok('POST', '/node', { name: 'boiler', plugin: 'Modbus TCP', params });
    await plant.client.ok('POST', '/node', { name: hostile, plugin: 'Modbus TCP', params });
    const tag = { name: hostile, address: '1!400001', attribute: 3, type: DataType.INT16 };
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'fast', interval: 1000 });
    await plant.client.ok('POST', '/tags', { node: 'boiler', group: 'fast', tags: [tag] });
    await addMqtt(plant.client, 'uplink', 1);
    await plant.client.ok('POST', '/node', { name: 'shift', plugin: 'Notify' });
    const gateway = { name: hostile, url: 'http://127.0.0.1:1', token: 'none' };
    await plant.client.ok('PUT', '/fleet/gateways', { gateways: [gateway] });
    await plant.client.ok('POST', '/tokens', { name: hostile.slice(0, 30), role: 'viewer' });
  });

  for (const { scheme, language } of looks) {
    it(`can be used by everybody, at a desk and on a phone, in ${scheme} colours and in ${languages[language]}`, async () => {
      const outside = await chromium.open(plant.gateway, '', { scheme, language });
      await outside.locator('input[name=password]').waitFor();
      expect(await axeFindings(outside)).to.deep.equal([]);
      await outside.setViewportSize(sizes.phone);
      expect(await overhang(outside)).to.be.at.most(0);

      const page = await open('', { scheme, language });
      for (const [place, loaded] of Object.entries(places)) {
        await page.setViewportSize(sizes.desk);
        await page.goto(`${plant.gateway.url}/${place}`);
        await page.locator(loaded).first().waitFor();
        expect(await axeFindings(page), place).to.deep.equal([]);
        await page.setViewportSize(sizes.phone);
        await until(`${place} fits a phone`, async () => (await overhang(page)) <= 0, { within: 3000 });
        // What a narrow page hides or moves is the same in all four.
        if (scheme === 'dark' && language === 'zh')
          expect(await axeFindings(page), `${place} on a phone`).to.deep.equal([]);
      }
    });
  }

  it('shows a hostile name as the text that it is', async () => {
    for (const place of ['#/', '#/drivers', `#/nodes/${encodeURIComponent(hostile)}`, '#/users', '#/audit']) {
      const page = await open(place);
      await page.getByText('<img src=x onerror').first().waitFor();
      expect(await page.locator('img[src=x]').count(), place).to.equal(0);
    }
  });
});
