import { DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { describePage, useChromium, type Chromium } from '../browser.ts';
import { addModbus } from '../configure.ts';
import { usePlant, type Plant } from '../plant.ts';

describePage('templates', function () {
  let plant: Plant;
  let chromium: Chromium;
  usePlant((started) => (plant = started));
  useChromium((started) => (chromium = started));

  it('are made of a driver, and drivers of them', async () => {
    await addModbus(plant.client, 'boiler', {
      port: plant.device.port,
      group: 'few',
      tags: [{ name: 'level', address: '1!400001', attribute: 3, type: DataType.INT16 }],
    });
    const page = await chromium.open(plant.gateway, '#/templates', {
      as: { token: plant.client.token ?? '', user: 'admin' },
    });
    await page.getByRole('button', { name: 'Make a template of a driver' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('kettle');
    await page.keyboard.press('Enter');
    await page.getByText('kettle is saved.').waitFor();
    await page.getByRole('button', { name: 'Make a driver of kettle' }).click();
    await page.getByRole('textbox', { name: 'Name of the new driver' }).fill('boiler 2');
    await page.keyboard.press('Enter');
    await page.getByText('The driver boiler 2 is added.').waitFor();
    const { groups } = await plant.client.ok<{ groups: object[] }>('GET', '/group', { node: 'boiler 2' });
    expect(groups).to.deep.equal([{ name: 'few', interval: 100, tag_count: 1 }]);
    await page.getByRole('button', { name: 'Delete kettle' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('kettle is deleted.').waitFor();
    expect(await plant.client.ok('GET', '/template')).to.deep.equal({ templates: [] });
  });
});
