import { DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { describePage, useChromium, type Chromium } from '../browser.ts';
import { addModbus } from '../configure.ts';
import { usePlant, type Plant } from '../plant.ts';

interface Config {
  groups: { group: string; interval: number }[];
  tags: { tags: { name: string; address: string }[] }[];
}

describePage('the whole configuration', function () {
  let plant: Plant;
  let chromium: Chromium;
  usePlant((started) => (plant = started));
  useChromium((started) => (chromium = started));

  before(() =>
    addModbus(plant.client, 'boiler', {
      port: plant.device.port,
      group: 'few',
      tags: [
        { name: 'level', address: '1!400001', attribute: 3, type: DataType.INT16 },
        { name: 'lost', address: '1!400002', attribute: 3, type: DataType.INT16 },
      ],
    }),
  );

  async function exported(): Promise<{ page: Page; text: string }> {
    const page = await chromium.open(plant.gateway, '#/transfer', {
      as: { token: plant.client.token ?? '', user: 'admin' },
    });
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export the configuration' }).click();
    return { page, text: await readFile(await (await begun).path(), 'utf8') };
  }

  const choose = (page: Page, text: string): Promise<void> =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'config.json', mimeType: 'application/json', buffer: Buffer.from(text) });

  it('is the same when it is exported and chosen again', async () => {
    const { page, text } = await exported();
    await choose(page, text);
    await page.getByText('The file is what the gateway has already.').waitFor();
  });

  it('is replaced after its differences were shown', async () => {
    const { page, text } = await exported();
    const config = JSON.parse(text) as Config;
    for (const group of config.groups) group.interval = 5000;
    for (const { tags } of config.tags) tags.splice(1, 1);
    await choose(page, JSON.stringify(config));
    await page.getByText('Adds 0, changes 1, removes 1.').waitFor();
    await page.getByText('boiler · few · lost').waitFor();
    await page.getByRole('button', { name: 'Replace the configuration' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the configuration' }).click();
    await page.getByText('The configuration of the file is in force.').waitFor();
    const { groups } = await plant.client.ok<{ groups: object[] }>('GET', '/group', { node: 'boiler' });
    expect(groups).to.deep.equal([{ name: 'few', interval: 5000, tag_count: 1 }]);
  });

  it('that is none is refused in words', async () => {
    const { page } = await exported();
    await choose(page, '{"nodes":[]}');
    await page.getByText('The file holds no configuration.').waitFor();
  });
});
