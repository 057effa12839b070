import { expect } from 'chai';
import { asAdmin, describePage, useChromium } from '../browser.ts';
import { modbusSettings } from '../configure.ts';
import { usePlant } from '../plant.ts';

const count = 500;
describePage(`a list of ${count} nodes`, function () {
  this.timeout(120_000);
  const plant = usePlant();
  const chromium = useChromium();

  before(async () => {
    const params = modbusSettings(1);
    for (let first = 0; first < count; first += 25) {
      const names = Array.from({ length: 25 }, (_, at) => `pump ${first + at}`);
      await Promise.all(
        names.map((name) => plant.client.ok('POST', '/node', { name, plugin: 'Modbus TCP', params })),
      );
    }
  });

  it('opens at once, has the rows in sight alone, and is searched while one types', async () => {
    const as = asAdmin(plant.client);
    const page = await chromium.open(plant.gateway, '#/apps', { as });
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const begun = performance.now();
      await page.getByRole('link', { name: 'Drivers' }).click();
      await page.getByText(`${count} of ${count}`).waitFor();
      await page.getByRole('link', { name: 'pump 0', exact: true }).waitFor();
      times.push(performance.now() - begun);
      if (round < 2) await page.getByRole('link', { name: 'Apps' }).click();
    }
    expect(Math.min(...times), `milliseconds: ${times.map(Math.round).join(', ')}`).to.be.below(1000);
    expect(await page.evaluate('document.querySelectorAll("*").length')).to.be.below(1500);

    await page.getByRole('searchbox', { name: 'Search' }).pressSequentially('pump 499', { delay: 20 });
    await page.getByText(`1 of ${count}`).waitFor();
    await page.getByRole('link', { name: 'pump 499' }).waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill('');
    await page.getByRole('button', { name: 'Name' }).click();
    await page.getByRole('button', { name: 'Name' }).click();
    await page.getByRole('link', { name: 'pump 499' }).waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByText(`Running nodes with a problem: ${count} of ${count}.`).waitFor();
    await page.getByText(`and ${count - 30} more`).waitFor();
  });
});
