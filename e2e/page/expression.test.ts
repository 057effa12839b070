import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage } from '../kit/browser.ts';
import { addBoiler, hasValue, registerTags } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

describePage('the editor of expressions', function () {
  const { plant, open, tagsOf } = usePage();

  before(async () => {
    await plant.device.setRegisters(0, [21]);
    await addBoiler(plant, '1/s', registerTags(2));
    await plant.client.ok('POST', '/node', { name: 'sums', plugin: 'Calculation' });
    await plant.client.ok('POST', '/node/setting', { node: 'sums', params: {} });
    await plant.client.ok('POST', '/group', { name: 'group', node: 'sums', interval: 500 });
    await hasValue(plant.client, 'boiler', '1/s', 'tag0', 21);
  });

  async function openEditor(): Promise<Page> {
    const page = await open('#/nodes/sums/groups/group');
    await page.getByRole('button', { name: 'Add a tag' }).first().click();
    await page.getByRole('textbox', { name: 'Name' }).fill('doubled');
    return page;
  }

  it('completes a reference by keyboard, shows the value, and adds the tag', async () => {
    const page = await openEditor();
    const field = page.getByRole('textbox', { name: 'Address' });
    await field.pressSequentially('2 * tag("boi');
    for (const name of ['boiler', '1/s', 'tag0']) {
      await page.getByRole('option', { name, exact: true }).waitFor();
      await field.press('ArrowDown');
      await field.press('Enter');
    }
    await field.press('End');
    await field.pressSequentially('")');
    expect(await field.inputValue()).to.equal('2 * tag("boiler/1%2Fs/tag0")');
    await page.getByText('Now: 42').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('doubled', { exact: true }).waitFor();
    const [tag] = await tagsOf('group', 'sums');
    expect(tag).to.include({ address: '2 * tag("boiler/1%2Fs/tag0")', type: DataType.INT16 });
    expect(tag?.attribute).to.equal(Attribute.READ);
    await hasValue(plant.client, 'sums', 'group', 'doubled', 42);
  });

  it('shows where an expression is wrong, and goes there', async () => {
    const page = await openEditor();
    const field = page.getByRole('textbox', { name: 'Address' });
    await field.fill('1 + temperature');
    await page.getByText('Character 5: There is no "temperature".').waitFor();
    const place = page.getByRole('button', { name: '1 + temperature' });
    expect(await place.locator('mark').textContent()).to.equal('t');
    await place.click();
    await page.waitForFunction('document.activeElement.selectionStart === 4');
  });
});
