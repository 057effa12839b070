import { Attribute, DataType, Limits } from '@tagway/schemas';
import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { addBoiler, holding } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { xlsxOf } from './xlsx.ts';
import { pathOf, requestsOf, usePage } from './fixture.ts';

const count = 20_000;
const faults = 37;
const titles = ['group', 'interval', 'name', 'address', 'attribute', 'type', 'description', 'decimal'];

interface Fault {
  readonly column: string;
  readonly value: string;
  readonly rule: string;
}

/** What a row can have wrong, in the page's words. */
const wrong: readonly Fault[] = [
  { column: 'name', value: '', rule: 'It is missing.' },
  { column: 'address', value: '1!9', rule: 'The plugin has no such address for INT16.' },
  { column: 'address', value: '', rule: 'It is missing.' },
  {
    column: 'attribute',
    value: 'Look',
    rule: 'Write Read, Write, Subscribe, Static or a number from 0 to 15.',
  },
  { column: 'type', value: 'FLOATY', rule: 'This is no data type.' },
  { column: 'decimal', value: '1,2,3', rule: 'This is no number.' },
  { column: 'interval', value: '7', rule: 'The interval is 100 ms at least.' },
  {
    column: 'description',
    value: 'x'.repeat(Limits.tagDescription + 1),
    rule: `It is longer than ${Limits.tagDescription} bytes.`,
  },
];

/** Twenty thousand rows, of which some are wrong, and what is wrong with which row of the file. */
function seeded(): { readonly table: string[][]; readonly expected: (Fault & { readonly row: number })[] } {
  const table = Array.from({ length: count }, (_, index) => [
    ...[`g${index % 4}`, '1000', `tag ${index}`, holding((index % 60_000) + 1)],
    ...['Read', 'INT16', index % 5 === 0 ? 'a; "quoted" text' : '', '0,5'],
  ]);
  const expected = Array.from({ length: faults }, (_, index) => {
    const at = 11 + index * 540;
    const fault = wrong[index % wrong.length];
    const row = table[at];
    if (fault === undefined || row === undefined) throw new Error('There is no such row.');
    row[titles.indexOf(fault.column)] = fault.value;
    return { ...fault, row: at + 2 };
  });
  return { table: [titles, ...table], expected };
}

/** As a spreadsheet of a country with decimal commas writes it. */
const csvOf = (table: readonly (readonly string[])[]): Buffer => {
  const cell = (text: string): string => (/[";\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return Buffer.from(`\ufeff${table.map((row) => row.map(cell).join(';')).join('\r\n')}\r\n`);
};

// What runs in the page stands as text: the tests' own types know no document.
const rowsInSight = `Array.from(
  document.querySelectorAll('table[aria-label="Rows that are wrong"] tbody tr[aria-rowindex]'),
  (row) => Array.from(row.children, (cell) => cell.querySelector('[title]')?.title ?? cell.textContent),
)`;
const watchTasks = `
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: 'longtask' });`;

describePage('an import of many tags', function () {
  const { plant, open, tagsOf } = usePage();
  before(() =>
    addBoiler(plant, 'g0', [
      { name: 'there', address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 },
    ]),
  );

  const openImport = async (): Promise<Page> => {
    const page = await open('#/nodes/boiler/groups');
    await page.getByRole('link', { name: 'g0', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    return page;
  };
  const choose = (page: Page, name: string, buffer: Buffer): Promise<void> =>
    page.locator('input[type=file]').setInputFiles({ name, mimeType: '', buffer });

  for (const kind of ['CSV', 'XLSX'] as const) {
    it(`of 20 000 rows of ${kind} names all 37 faults at once: row, column, value and rule`, async () => {
      const { table, expected } = seeded();
      const page = await openImport();
      await page.evaluate(watchTasks);
      if (kind === 'CSV') await choose(page, 'tags.csv', csvOf(table));
      else await choose(page, 'tags.xlsx', xlsxOf(table));
      await page.getByText(`${faults} rows are wrong.`).waitFor({ timeout: 60_000 });
      await page.getByText(`Adds ${count - faults} tags, changes 0`).waitFor();

      const list = page.getByRole('table', { name: 'Rows that are wrong' });
      expect(await list.getAttribute('aria-rowcount')).to.equal(String(faults + 1));
      const found: string[][] = [];
      await list.hover();
      await until('all rows were in sight', async () => {
        const shown = await page.evaluate<string[][]>(rowsInSight);
        for (const cells of shown) {
          const [row] = cells;
          if (!found.some(([known]) => known === row)) found.push(cells);
        }
        await page.mouse.wheel(0, 160);
        return found.length === faults;
      });
      const byRow = found.toSorted(([one], [other]) => Number(one) - Number(other));
      expect(byRow).to.deep.equal(
        expected.map(({ row, column, value, rule }) => [String(row), column, value, rule]),
      );
      const button = page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true });
      expect(await button.isDisabled()).to.equal(true);
      // A busy machine makes tasks longer than they are; read in one piece, the file would keep the page for much longer.
      expect(await page.evaluate<number>('window.longest')).to.be.lessThan(5000);
      expect(await tagsOf('g0')).to.have.length(1);
    });
  }

  it('is made as a whole over several groups, and then changes nothing', async () => {
    const { table, expected } = seeded();
    const bad = new Set(expected.map(({ row }) => row));
    const good = table.filter((_, index) => !bad.has(index + 1));
    const page = await openImport();
    const requests = requestsOf(page);
    await choose(page, 'tags.csv', csvOf(good));
    await page.getByText(`Adds ${count - faults} tags, changes 0`).waitFor({ timeout: 60_000 });
    await page.getByText('New groups: g1, g2, g3').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByText(`${count - faults} tags are added, 0 changed and 0 removed.`)
      .waitFor({ timeout: 60_000 });
    expect(requests.map(pathOf)).to.deep.equal(['/api/v2/tags/plan', '/api/v2/tags/apply']);
    const sizes = await Promise.all(['g0', 'g1', 'g2', 'g3'].map((group) => tagsOf(group)));
    expect(sizes.reduce((sum, { length }) => sum + length, 0)).to.equal(count - faults + 1);
    expect(sizes[1]?.[0]).to.include({ decimal: 0.5, type: DataType.INT16 });

    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await choose(page, 'tags.xlsx', xlsxOf(good));
    await page
      .getByText(`Adds 0 tags, changes 0, leaves ${count - faults} as they are, removes 0.`)
      .waitFor({ timeout: 60_000 });
    // Nothing goes unless somebody asks for it.
    await page.getByRole('switch', { name: 'Remove the tags that the file does not name' }).check();
    await page.getByText(`leaves ${count - faults} as they are, removes 1.`).waitFor({ timeout: 60_000 });
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('0 tags are added, 0 changed and 1 removed.').waitFor({ timeout: 60_000 });
    expect((await tagsOf('g0')).some(({ name }) => name === 'there')).to.equal(false);
  });

  it('is made of the good rows alone, and the others are a file that can be mended', async () => {
    const page = await openImport();
    const rows = [
      ['name', 'address', 'type', 'attribute'],
      ['fine 1', '1!400001', 'INT16', 'Read'],
      ['bad type', '1!400002', 'FLOATY', 'Read'],
      ['bad; "address"', 'nowhere', 'INT16', 'Read'],
      ['fine 2', '1!400003', 'INT16', 'Read'],
    ];
    await choose(page, 'tags.csv', csvOf(rows));
    await page.getByText('2 rows are wrong.').waitFor();
    const dialog = page.getByRole('dialog');
    const replace = dialog.getByRole('switch', { name: 'Remove the tags that the file does not name' });
    await replace.check();
    const leaveOut = dialog.getByRole('button', { name: 'Leave out these 2 rows' });
    await until('nothing is left out while what is missing is removed', () => leaveOut.isDisabled());
    await replace.uncheck();
    await leaveOut.click();
    await page.getByText('2 rows are left out.').waitFor();
    await page.getByText('Adds 2 tags, changes 0').waitFor();
    const saved = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save them as a file to mend' }).click();
    const file = await readFile(await (await saved).path());
    await dialog.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('2 tags are added, 0 changed and 0 removed.').waitFor();
    const names = async (): Promise<string[]> => (await tagsOf('g0')).map(({ name }) => name);
    expect(await names())
      .to.include.members(['fine 1', 'fine 2'])
      .and.not.include('bad type');

    expect([...file.subarray(0, 3)], 'spreadsheets see that it is UTF-8').to.deep.equal([0xef, 0xbb, 0xbf]);
    const lines = file.subarray(3).toString().trim().split('\r\n');
    expect(lines).to.deep.equal([
      'name,address,type,attribute,problem',
      'bad type,1!400002,FLOATY,Read,type: This is no data type.',
      '"bad; ""address""",nowhere,INT16,Read,address: The plugin has no such address for INT16.',
    ]);
    const mended = file.toString().replace('FLOATY', 'FLOAT').replace('nowhere', '1!400009');
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await choose(page, 'mended.csv', Buffer.from(mended));
    await page.getByText('Adds 2 tags, changes 0').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await until('the mended rows are there', async () => (await names()).includes('bad type'));
    expect(await names()).to.include('bad; "address"');
  });

  it('is not made before a new plan is shown when somebody else has changed the group', async () => {
    await plant.client.ok('POST', '/node', { name: 'pot', plugin: 'Modbus TCP' });
    const { attribute, type } = { attribute: Attribute.READ, type: DataType.INT16 };
    const tag = (name: string) => ({ name, address: '1!400001', attribute, type });
    await plant.client.ok('POST', '/tags', { node: 'pot', group: 'g', tags: [tag('one')] });
    const page = await open('#/nodes/pot/groups');
    await page.getByRole('link', { name: 'g', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page
      .getByRole('textbox', { name: 'Or paste rows' })
      .fill('group;name;address;attribute;type\ng;one;1!400001;Read;INT16\ng;two;1!400002;Read;INT16\n');
    await page.getByRole('switch', { name: 'Remove the tags that the file does not name' }).check();
    await page.getByText('Adds 1 tags, changes 0, leaves 1 as they are, removes 0.').waitFor();
    await plant.client.ok('POST', '/tags', { node: 'pot', group: 'g', tags: [tag('theirs')] });
    const button = page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true });
    await button.click();
    await page.getByText('Somebody else has made changes since the plan was made').waitFor();
    await page.getByText('Adds 1 tags, changes 0, leaves 1 as they are, removes 1.').waitFor();
    const names = async () => {
      const { tags } = await plant.client.ok<{ tags: { name: string }[] }>('GET', '/tags?node=pot&group=g');
      return tags.map(({ name }) => name);
    };
    expect(await names()).to.deep.equal(['one', 'theirs']);
    await button.click();
    await page.getByText('1 tags are added, 0 changed and 1 removed.').waitFor();
    expect(await names()).to.deep.equal(['one', 'two']);
  });

  it('is not made at all when somebody else was faster with one of its rows', async () => {
    await plant.client.ok('POST', '/node', { name: 'kettle', plugin: 'Modbus TCP' });
    await plant.client.ok('POST', '/group', { node: 'kettle', name: 'g', interval: 1000 });
    const page = await open('#/nodes/kettle/groups');
    await page.getByRole('link', { name: 'g', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const rows = 'name;address;attribute;type\none;1!400001;Read;INT16\ntwo;1!400002;Read;INT16\n';
    await page.getByRole('textbox', { name: 'Or paste rows' }).fill(rows);
    await page.getByText('Adds 2 tags').waitFor();
    await plant.client.ok('DELETE', '/node', { name: 'kettle' });
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'There is no node "kettle".' }).waitFor();
    expect(await page.getByRole('textbox', { name: 'Or paste rows' }).inputValue()).to.equal(rows);
  });
});
