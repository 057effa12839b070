import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { addMqtt, modbusSettings } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

const count = 500;

const nameOf = (index: number): string => `press ${String(index).padStart(3, '0')}`;

describePage('the page of a gateway with five hundred nodes', function () {
  const { plant, open } = usePage();
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
    await page.getByText(`${count} stopped`, { exact: true }).waitFor();
    expect(await sizeOf(page)).to.be.below(1500);
    await page.goto(`${plant.gateway.url}/#/logs`);
    await page.getByRole('log').waitFor();
    expect(await sizeOf(page)).to.be.below(3000);
  });
});

describePage(`a list of ${count} nodes`, function () {
  this.timeout(120_000);
  const { plant, open } = usePage();
  before(async () => {
    const params = modbusSettings(1);
    for (let first = 0; first < count; first += 25) {
      const names = Array.from({ length: 25 }, (_, at) => `pump ${first + at}`);
      await Promise.all(
        names.map((name) => plant.client.ok('POST', '/node', { name, plugin: 'Modbus TCP', params })),
      );
    }
  });

  it('has the elements of the rows in sight alone, and is searched while one types', async () => {
    const page = await open('#/apps');
    await page.getByRole('link', { name: 'Drivers' }).click();
    await page.getByText(`${count} of ${count}`).waitFor();
    await page.getByRole('link', { name: 'pump 0', exact: true }).waitFor();
    expect(await page.evaluate('document.querySelectorAll("*").length')).to.be.below(1500);

    await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('pump 499', { delay: 20 });
    await page.getByText(`1 of ${count}`).waitFor();
    await page.getByRole('link', { name: 'pump 499' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByRole('button', { name: 'Name' }).click();
    await page.getByRole('button', { name: 'Name' }).click();
    await page.getByRole('link', { name: 'pump 499' }).waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(`${count} down`, { exact: true }).waitFor();
    await page.getByText(`and ${count - 30} more`).waitFor();
  });
});
