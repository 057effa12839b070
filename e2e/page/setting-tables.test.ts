import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage, overhang, pasted, sizes } from '../kit/browser.ts';
import { addBoiler, holding } from '../kit/configure.ts';
import { addLibrary } from '../kit/libraries.ts';
import { until } from '../kit/until.ts';
import { usePlant } from '../world/plant.ts';
import { usePage } from './fixture.ts';

/** An app that only has a table: each row has a tag that is read, one that is written, and a factor. */
const manifest = JSON.stringify({
  id: 'rows',
  name: 'Rows',
  kind: 'app',
  sdk: '^0.2.0',
  main: 'index.js',
  settings: 'settings.schema.json',
  description: { en: 'Has a table of references, for tests.' },
  inputs: true,
});
const module = `const nothing = () => undefined;
export default { [Symbol.for('tagway.app')]: true, create: () => ({
  start: async () => undefined, stop: async () => undefined,
  subscriptionsChanged: nothing, deliver: nothing, deliverInputs: nothing }) };`;
const schema = JSON.stringify({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    rows: {
      type: 'string',
      title: 'Rows',
      description: 'From, to and factor.',
      'x-references': 'link',
      'x-table': {
        columns: [
          { name: 'from', title: 'From', type: 'reference', required: true },
          { name: 'to', title: 'To', type: 'reference', required: true, unique: true },
          { name: 'factor', title: 'Factor', type: 'number', minimum: -100, maximum: 100, default: '1' },
          { name: 'note', title: 'Note' },
        ],
      },
      maxLength: 2000000,
    },
    watched: {
      type: 'string',
      title: 'Watched',
      description: 'Any text with references.',
      'x-references': 'read',
      maxLength: 2000,
    },
  },
});

async function prepare(data: string): Promise<void> {
  await addLibrary(data, 'rows', { manifestText: manifest, module });
  await writeFile(join(data, 'libraries/rows/settings.schema.json'), schema);
}

const count = 5000;
const name = (index: number): string => `out ${index}`;

describePage('tables and references in settings', function () {
  this.timeout(120_000);
  const { plant, open, settingsOf } = usePage(usePlant({ gateway: { prepare } }));
  before(async () => {
    const { client } = plant;
    await addBoiler(plant, 'main', [
      { name: 'trip', address: holding(1), attribute: Attribute.READ, type: DataType.INT16 },
      { name: 'a, b', address: holding(2), attribute: Attribute.READ, type: DataType.INT16 },
    ]);
    await client.ok('POST', '/group', { node: 'boiler', name: 'out', interval: 60_000 });
    const tags = Array.from({ length: count }, (_, index) => ({
      name: name(index),
      address: holding(100 + index),
      attribute: Attribute.WRITE,
      type: DataType.INT16,
    }));
    await client.ok('POST', '/tags', { node: 'boiler', group: 'out', tags });
    await client.ok('POST', '/node', { name: 'shift', plugin: 'Notify' });
    await client.ok('POST', '/node', { name: 'rows', plugin: 'Rows' });
  });

  const cell = (page: Page, row: number, column: number) => page.locator(`[data-cell="${row}.${column}"]`);
  const openTable = async (page: Page, index = 0, button = 'Edit as a table'): Promise<void> => {
    await page.getByRole('button', { name: button }).nth(index).click();
    await cell(page, 0, 0).waitFor();
  };
  const saved = (setting: string, text: string | RegExp, node: string): Promise<unknown> =>
    until('it is saved', async () => {
      const value = (await settingsOf(node).catch((): Record<string, unknown> => ({})))[setting];
      return typeof value === 'string' && (typeof text === 'string' ? value === text : text.test(value));
    });

  it('show rules of Notify in cells, name what is wrong, and keep them over a start of the gateway', async () => {
    const page = await open('#/nodes/shift/settings');
    await page.getByRole('textbox', { name: 'Mail server', exact: true }).fill('127.0.0.1');
    await page.getByRole('textbox', { name: 'Sender', exact: true }).fill('gateway@example.com');
    await openTable(page);
    await cell(page, 0, 0).focus();
    await page.keyboard.type('duty');
    await page.keyboard.press('Tab');
    await page.keyboard.type('nobody');
    await page.keyboard.press('Tab');
    await page.keyboard.type('high, urgent');
    await cell(page, 1, 0).focus();
    await page.getByText('2 cells are wrong.').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    // A click on the sentence leads to the cell.
    await page
      .getByRole('button', { name: 'Priorities, row 1: One or several of low, medium, high' })
      .click();
    await page.locator('[data-cell="0.2"]:focus').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('high, medium');
    await cell(page, 0, 1).fill('duty@example.com, webhook');
    await page.getByText('1 rows, nothing wrong so far.').waitFor();
    await cell(page, 1, 0).focus();
    await page.evaluate(pasted('Digest\tReceivers\tRule\n07:00\toffice@example.com\treport\n'));
    await page.getByRole('button', { name: 'Take over 2 rows' }).click();
    await page.getByText('report = office@example.com | digest: 07:00').waitFor();

    // A signal: the tag is found by words.
    await openTable(page, 1);
    await cell(page, 0, 0).focus();
    await page.getByRole('combobox', { name: 'Find a tag for this cell' }).fill('boiler trip');
    await page.getByRole('option', { name: 'boiler / main / trip' }).click();
    expect(await cell(page, 0, 0).inputValue()).to.equal('boiler/main/trip');
    await cell(page, 0, 1).fill('high');
    await cell(page, 0, 2).fill('duty');
    await cell(page, 0, 3).fill('The boiler has tripped');
    await cell(page, 1, 0).fill('boiler/main/none');
    await cell(page, 1, 3).fill('Nothing');
    await cell(page, 2, 0).focus();
    await page
      .getByRole('button', { name: /^Tag, row 2: No such tag: the group "main" of "boiler" has no/ })
      .click();
    await page.locator('[data-cell="1.0"]:focus').waitFor();
    await page.getByRole('button', { name: 'Remove row 2' }).click();
    await page.getByRole('button', { name: 'Take over 1 rows' }).click();
    await page.getByRole('textbox', { name: 'Webhook', exact: true }).fill('http://127.0.0.1:9/hook');
    await page.getByRole('button', { name: 'Save' }).click();
    await saved('signals', 'tag("boiler/main/trip") high [duty]: The boiler has tripped', 'shift');
    await saved(
      'rules',
      'duty = duty@example.com, webhook | priority: high, medium\nreport = office@example.com | digest: 07:00',
      'shift',
    );

    await plant.gateway.restart();
    await plant.renew();
    const again = await open('#/nodes/shift/settings', { language: 'zh' });
    await openTable(again, 0, '以表格编辑');
    expect(await cell(again, 0, 1).inputValue()).to.equal('duty@example.com, webhook');
    expect(await cell(again, 1, 7).inputValue()).to.equal('07:00');
    expect(await axeFindings(again)).to.deep.equal([]);
    await cell(again, 1, 7).fill('7 Uhr');
    await cell(again, 2, 0).focus();
    await again.getByText('1 个单元格有误。').waitFor();
  });

  it('lead to the row that the gateway refuses', async () => {
    const page = await open('#/nodes/shift/settings');
    await openTable(page, 1);
    await cell(page, 0, 2).fill('nobody');
    await page.getByRole('button', { name: 'Take over 1 rows' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page
      .getByText('Line 1 of "signals" names the rule "nobody", which there is not.')
      .first()
      .waitFor();
    await openTable(page, 1);
    await page.getByRole('button', { name: /^Tag, row 1: Line 1 of "signals" names the rule/ }).waitFor();
  });

  it('take five thousand rows from a file, are swift with them, and give them back', async () => {
    const page = await open('#/nodes/rows/settings');
    await openTable(page);
    const rows = Array.from(
      { length: count },
      (_, index) => `"boiler/main/a, b",boiler/out/${name(index)},2,row ${index}`,
    );
    rows[4321] = 'boiler/main/trip,boiler/out/nowhere,200,';
    const buffer = Buffer.from(`from,to,factor,note\n${rows.join('\n')}\n`);
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Import a file' }).click();
    await page.getByRole('menuitem', { name: 'In place of all rows' }).click();
    await (await choosing).setFiles({ name: 'rows.csv', mimeType: 'text/csv', buffer });
    await page.getByText('2 cells are wrong.').waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('[data-cell]').count()).to.be.below(200);
    await page.getByRole('button', { name: 'Factor, row 4322: At most 100.' }).click();
    await page.locator('[data-cell="4321.2"]:focus').waitFor();
    await page.keyboard.type('3');
    await page.getByText('1 cells are wrong.').waitFor();
    await page.getByRole('button', { name: /^To, row 4322: No such tag: .*nowhere/ }).click();
    await page.locator('[data-cell="4321.1"]:focus').waitFor();
    await page.keyboard.press('Control+A');
    await page.keyboard.type(`boiler/out/${name(4321)}`);
    await page.getByText(`${count} rows, nothing wrong so far.`).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export as CSV' }).click();
    const file = await readFile(await (await download).path(), 'utf8');
    expect(file).to.match(
      /^\ufeff?from,to,factor,note\r?\n"boiler\/main\/a, b",boiler\/out\/out 0,2,row 0\r?\n/,
    );
    await page.getByRole('button', { name: `Take over ${count} rows` }).click();
    await page.getByText(/… and 4\D?996 more/).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await saved('rows', /^"tag\('boiler\/main\/a, b'\)",tag\('boiler\/out\/out 0'\),2,row 0\n/, 'rows');
    // What is read gets another name with a comma: the row stays a row.
    await plant.client.ok('PUT', '/node', { name: 'boiler', new_name: 'boiler, old' });
    await plant.gateway.restart();
    await plant.renew();
    const again = await open('#/nodes/rows/settings');
    await openTable(again);
    expect(await cell(again, 0, 0).inputValue()).to.equal('boiler, old/main/a, b');
    expect(await cell(again, 0, 1).inputValue()).to.equal('boiler, old/out/out 0');
    expect(await cell(again, 0, 2).inputValue()).to.equal('2');
    await again.getByText(`${count} rows, nothing wrong so far.`).waitFor();
    await plant.client.ok('PUT', '/node', { name: 'boiler, old', new_name: 'boiler' });
  });

  it('have a row for each tag of a group', async () => {
    await plant.client.ok('POST', '/node', { name: 'others', plugin: 'Rows' });
    const page = await open('#/nodes/others/settings');
    await openTable(page);
    await page.getByRole('combobox', { name: 'Add the tags of a group' }).click();
    await page.getByRole('option', { name: 'boiler / main (2)' }).click();
    await until('the tags have come', async () => (await cell(page, 1, 0).inputValue()) !== '');
    expect(await cell(page, 1, 0).inputValue()).to.equal('boiler/main/a, b');
    expect(await cell(page, 1, 2).inputValue()).to.equal('1');
    await page.getByText('2 cells are wrong.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Leave without saving' }).click();

    // A text that is no table has a search for tags, and says what leads nowhere.
    const text = page.getByRole('textbox', { name: 'Watched', exact: true });
    await text.fill('tag("boiler/main/none") and ');
    await page
      .getByText('boiler/main/none: No such tag: the group "main" of "boiler" has no tag "none".')
      .waitFor();
    await page.getByRole('combobox', { name: 'Insert a tag' }).fill('trip');
    await page.getByRole('option', { name: 'boiler / main / trip' }).click();
    expect(await text.inputValue()).to.equal('tag("boiler/main/none") and tag("boiler/main/trip")');
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.setViewportSize(sizes.phone);
    expect(await overhang(page)).to.be.at.most(0);
    await openTable(page);
    await until('the table fits a phone', async () => (await overhang(page)) <= 0, { within: 3000 });
    expect(await axeFindings(page)).to.deep.equal([]);
  });
});
