import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage, pasted } from '../kit/browser.ts';
import { addBoiler, holding, type TagBody } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { usePlant } from '../world/plant.ts';
import { usePage } from './fixture.ts';

const word = (name: string, register: number): TagBody => ({
  name,
  address: holding(register),
  attribute: Attribute.READ | Attribute.WRITE,
  type: DataType.INT16,
});

/** In the setting, with the options as the grid writes them. */
const rows = [
  'tag("boiler/main/a"), tag("boiler/main/x") | scale: 10',
  'tag("boiler/main/b"), tag("boiler/main/y")',
  'tag("boiler/main/c"), tag("boiler/main/z") | every: 200',
];

describePage('the table of Link', function () {
  this.timeout(120_000);
  const { plant, open, settingsOf } = usePage(usePlant());
  const cell = (page: Page, row: number, column: number) => page.locator(`[data-cell="${row}.${column}"]`);
  const openTable = async (page: Page, index = 0): Promise<void> => {
    await page.getByRole('button', { name: 'Edit as a table' }).nth(index).click();
    await cell(page, 0, 0).waitFor();
  };
  /** The device has these in x, y and z. */
  const writes = (expected: readonly number[]): Promise<unknown> =>
    until(
      `${expected.join(', ')} are written`,
      async () => (await plant.device.registers(3, 3)).join() === expected.join(),
      { within: 30_000 },
    );

  before(async () => {
    await plant.device.setRegisters(0, [1, 2, 3, 0, 0, 0, 0]);
    const tags = ['a', 'b', 'c', 'x', 'y', 'z', 'alive'].map((name, index) => word(name, index + 1));
    await addBoiler(plant, 'main', tags, 100);
    await plant.client.ok('POST', '/node', { name: 'links', plugin: 'Link' });
  });

  it('takes rows that are typed, pasted and read from a file, and says which row is wrong and why', async () => {
    const page = await open('#/nodes/links/settings');
    await openTable(page);
    await cell(page, 0, 0).fill('boiler/main/a');
    await cell(page, 0, 1).fill('boiler/main/x');
    await cell(page, 0, 2).fill('10');
    await cell(page, 1, 0).focus();
    await page.evaluate(pasted('boiler/main/b\tboiler/main/x\n'));
    await page.getByRole('button', { name: /^Target, row 2: / }).waitFor();
    await cell(page, 1, 1).fill('boiler/main/none');
    await page.getByRole('button', { name: /^Target, row 2: No such tag: / }).waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await cell(page, 1, 1).fill('boiler/main/y');
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import a file' }).click();
    await page.getByRole('menuitem', { name: 'After these rows' }).click();
    const buffer = Buffer.from('source,target,every\nboiler/main/c,boiler/main/z,20\n');
    await (await choosing).setFiles({ name: 'links.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: /^Every \(ms\), row 3: At least 50/ }).waitFor();
    await cell(page, 2, 6).fill('200');
    await page.getByText('3 rows, nothing wrong so far.').waitFor();
    await page.getByRole('button', { name: 'Take over 3 rows' }).click();

    // Two tables with one target: the gateway refuses, and the row is the one that it names.
    await openTable(page, 1);
    await cell(page, 0, 0).fill('boiler/main/x');
    await page.getByRole('button', { name: 'Take over 1 rows' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    const refusal = 'Line 1 of "watchdogs" writes "boiler/main/x", as line 1 of "links" does';
    await page.getByText(refusal).first().waitFor();
    await openTable(page, 1);
    await page.getByRole('button', { name: new RegExp(`row 1: ${refusal}`) }).waitFor();
    await cell(page, 0, 0).fill('boiler/main/alive');
    await page.getByRole('button', { name: 'Take over 1 rows' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await until('it is saved', async () => {
      const { links, watchdogs } = await settingsOf('links').catch((): Record<string, unknown> => ({}));
      return links === rows.join('\n') && watchdogs === 'tag("boiler/main/alive")';
    });
    await writes([10, 2, 3]);
  });

  it('is the same after a start of the gateway, and in exports', async () => {
    await plant.gateway.restart();
    await plant.renew();
    await plant.device.setRegisters(0, [4, 5, 6]);
    await writes([40, 5, 6]);
    const config = JSON.stringify(await plant.client.ok('GET', '/global/config'));
    for (const row of rows) expect(config).to.include(JSON.stringify(row).slice(1, -1));
    const page = await open('#/nodes/links/settings');
    await openTable(page);
    expect(await cell(page, 0, 2).inputValue()).to.equal('10');
    expect(await cell(page, 2, 0).inputValue()).to.equal('boiler/main/c');
    expect(await cell(page, 2, 6).inputValue()).to.equal('200');
    await page.getByText('3 rows, nothing wrong so far.').waitFor();
    await page.getByRole('button', { name: 'Remove row 1' }).click();
    await page.getByRole('button', { name: 'Take over 2 rows' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await until('it is saved', async () => (await settingsOf('links'))['links'] === rows.slice(1).join('\n'));
    await plant.device.setRegisters(0, [7, 8, 9]);
    await writes([40, 8, 9]);
  });
});
