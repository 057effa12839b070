import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { asAdmin, describePage, useChromium } from '../browser.ts';
import { addMqtt } from '../configure.ts';
import { usePlant } from '../plant.ts';
import { until } from '../until.ts';

const count = 500;

const nameOf = (index: number): string => `press ${String(index).padStart(3, '0')}`;

describePage('the page of a gateway with five hundred nodes', function () {
  const plant = usePlant();
  const chromium = useChromium();

  before(async function () {
    this.timeout(120_000);
    const tag = { name: 'level', address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 };
    for (let index = 0; index < count; index += 1) {
      const node = nameOf(index);
      await plant.client.ok('POST', '/node', { name: node, plugin: 'Modbus TCP' });
      await plant.client.ok('POST', '/tags', { node, group: 'fast', tags: [tag] });
    }
    await addMqtt(plant.client, 'uplink', 1);
  });

  const open = (place: string): Promise<Page> =>
    chromium.open(plant.gateway, place, { as: asAdmin(plant.client) });
  const sizeOf = (page: Page): Promise<number> =>
    page.evaluate<number>('document.querySelectorAll("*").length');

  /** Rolls the list to its end, where this text is. */
  async function rollTo(page: Page, text: string): Promise<void> {
    await page.getByRole('table').hover();
    await until(`"${text}" is in sight`, async () => {
      await page.mouse.wheel(0, 100_000);
      return (await page.getByText(text, { exact: true }).count()) > 0;
    });
  }

  for (const [title, place] of [
    ['drivers', '#/drivers'],
    ['groups that an app can subscribe to', '#/nodes/uplink/subscriptions'],
  ] as const) {
    it(`the list of ${title} shows the rows in sight, and is searched`, async () => {
      const page = await open(place);
      await page.getByText(nameOf(0), { exact: true }).first().waitFor();
      expect(await sizeOf(page)).to.be.below(1500);
      await rollTo(page, nameOf(count - 1));
      await page.getByRole('searchbox').first().fill('press 25');
      await page.getByText(nameOf(250), { exact: true }).first().waitFor();
      await until('the others are left out', async () => {
        const rows = await page
          .getByRole('table')
          .getByText(/^press \d+$/)
          .allInnerTexts();
        return rows.length > 0 && rows.every((name) => name.startsWith('press 25'));
      });
    });
  }

  it('drivers are sorted by a click, there and back', async () => {
    const page = await open('#/drivers');
    await page.getByText(nameOf(0), { exact: true }).waitFor();
    const title = page.getByRole('columnheader').getByRole('button', { name: /^Name/ });
    await title.click();
    await title.click();
    await page.getByText(nameOf(count - 1), { exact: true }).waitFor();
    expect(await page.getByText(nameOf(0), { exact: true }).count()).to.equal(0);
  });

  it('a group among all is picked for its live values by typing', async () => {
    const page = await open('#/live');
    await page.getByLabel('Groups', { exact: true }).first().fill('press 499');
    await page.getByRole('option', { name: /^press 499/ }).click();
    await page.getByText('level', { exact: true }).waitFor();
    expect(await sizeOf(page)).to.be.below(1500);
  });

  it('the overview stays small, and the log is of one node of all', async () => {
    const page = await open('#/');
    await page.getByText(`Not running, because stopped or not set up: ${count}.`).waitFor();
    expect(await sizeOf(page)).to.be.below(1500);
    await page.goto(`${plant.gateway.url}/#/logs`);
    await page.getByRole('log').waitFor();
    expect(await sizeOf(page)).to.be.below(3000);
  });
});
