import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage, overhang, sizes, type TabOptions } from '../kit/browser.ts';
import { addBoiler, holding } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

/** What a spreadsheet puts on the clipboard arrives where the caret is. */
const pasted = (text: string): string => `(() => {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', ${JSON.stringify(text)});
  const event = new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true });
  document.activeElement.dispatchEvent(event);
})()`;

describePage('many new tags', function () {
  const { plant, open, tagsOf } = usePage();
  before(() =>
    addBoiler(plant, 'main', [
      { name: 'there', address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 },
    ]),
  );

  const openGrid = async (size: TabOptions['size'] = sizes.desk): Promise<Page> => {
    const page = await open('#/nodes/boiler/groups/main', { size });
    await page.getByText('there', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add many' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('[data-cell="0.0"]:focus').waitFor();
    return page;
  };

  it('are written into cells by the keyboard alone, each checked while it is typed', async () => {
    const page = await openGrid();
    const { keyboard } = page;
    const focused = (): Promise<string | null> =>
      page.evaluate<string | null>('document.activeElement.getAttribute("data-cell")');
    await keyboard.type('first');
    await keyboard.press('Tab');
    await page.getByText(/^For example: .*1!4/).waitFor();
    await keyboard.type('1!4');
    const address = page.locator('[data-cell="0.1"]');
    await page.getByText('Address, row 1: The plugin has no such address for INT16.').waitFor();
    expect(await address.getAttribute('aria-invalid')).to.equal('true');
    await page.getByText('1 cells are wrong.').waitFor();
    await keyboard.type('00021');
    await page.getByText('1 tags, nothing wrong so far.').waitFor();
    // The type and the attribute are there already; the next row gets them from this one.
    await keyboard.press('Tab');
    expect(await page.locator('[data-cell="0.2"]').inputValue()).to.equal('INT16');
    await keyboard.type('UINT16');
    await keyboard.press('ArrowDown');
    await keyboard.press('ArrowLeft');
    await keyboard.press('ArrowLeft');
    expect(await focused()).to.equal('1.0');
    await keyboard.type('there');
    await page.getByText('Name, row 2: The group has a tag of this name already.').waitFor();
    await keyboard.press('Control+A');
    await keyboard.type('second');
    await keyboard.press('ArrowRight');
    await keyboard.press('Control+D');
    expect(await page.locator('[data-cell="1.1"]').inputValue()).to.equal('1!400021');
    await keyboard.press('Enter');
    expect(await focused()).to.equal('2.1');
    await keyboard.press('Tab');
    // Out of the empty row, past the buttons before the last one.
    const focusedText = (): Promise<string> => page.evaluate<string>('document.activeElement.textContent');
    for (let turn = 0; turn < 4 && (await focusedText()) !== 'Add 2 tags'; turn += 1)
      await keyboard.press('Tab');
    expect(await focusedText()).to.equal('Add 2 tags');
    await keyboard.press('Enter');
    await page.getByText('2 tags are added.').waitFor();
    const [, first, second] = await tagsOf('main');
    expect(first).to.include({ name: 'first', address: '1!400021', type: DataType.UINT16, attribute: 1 });
    expect(second).to.include({ name: 'second', address: '1!400021', type: DataType.UINT16 });
  });

  it('are pasted as a block, and what the gateway has against one stands at its cell', async () => {
    const page = await openGrid();
    const rows = Array.from({ length: 300 }, (_, index) => `p${index}\t${holding(index + 1)}`);
    await page.evaluate(pasted(`${rows.join('\r\n')}\r\n`));
    await page.getByText('300 tags, nothing wrong so far.').waitFor();
    // Down to the last row and beyond what was in sight.
    await page.keyboard.press('Enter');
    expect(await page.locator('[data-cell="1.0"]').inputValue()).to.equal('p1');
    // Only the plugin knows that a string has a length.
    await page.locator('[data-cell="1.2"]').fill('BYTES');
    await page.getByText('cells are wrong.').waitFor();
    // What is wrong is named below the grid, and a click goes there from any other place.
    await page.locator('[data-cell="0.0"]').focus();
    await page.keyboard.press('Control+End');
    const cells = page.getByRole('list', { name: 'Cells to mend' });
    await cells.getByRole('button', { name: /^Address, row 2: / }).click();
    await page.locator('[data-cell="1.1"]:focus').waitFor();
    await page.locator('[data-cell="1.2"]').fill('INT16');
    // Titles say where the columns of another block belong.
    await page.locator('[data-cell="2.0"]').focus();
    await page.evaluate(pasted('type\tname\taddress\tdecimal\nFLOAT\t"titled ""x"""\t1!400900\t0,5\n'));
    expect(await page.locator('[data-cell="2.0"]').inputValue()).to.equal('titled "x"');
    await page.getByRole('button', { name: 'Add 300 tags' }).click();
    await page.getByText('300 tags are added.').waitFor();
    const added = (await tagsOf('main')).find(({ name }) => name === 'titled "x"');
    expect(added).to.include({ address: '1!400900', type: DataType.FLOAT, decimal: 0.5 });
  });

  it('are not given up without a question, and fit a phone', async () => {
    const page = await openGrid(sizes.phone);
    await page.keyboard.type('draft');
    expect(await overhang(page)).to.equal(0);
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Not saved' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    expect(await page.locator('[data-cell="0.0"]').inputValue()).to.equal('draft');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
