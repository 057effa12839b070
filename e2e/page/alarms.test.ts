import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage } from '../kit/browser.ts';
import { addModbus, registerTags } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

const { READ, WRITE } = Attribute;

describePage('alarms in the page', function () {
  const { plant, open } = usePage();

  before(async () => {
    const { client, device } = plant;
    await device.setRegisters(0, [95]);
    await addModbus(client, 'plc', { port: device.port, group: 'fast', tags: registerTags(1) });
    await client.ok('POST', '/node', { name: 'alarms', plugin: 'Alarms' });
    await client.ok('POST', '/group', { name: 'group', node: 'alarms', interval: 200 });
    const tags = ['low', 'medium', 'high'].map((priority) => ({
      name: `too ${priority}`,
      address: `high(tag("plc/fast/tag0"), 90, priority: ${priority}, text: "level " + string(tag("plc/fast/tag0")))`,
      type: DataType.STRING,
      attribute: READ | WRITE,
    }));
    await client.ok('POST', '/tags', { node: 'alarms', group: 'group', tags });
    await client.ok('POST', '/node/setting', { node: 'alarms', params: {} });
    await client.ok('POST', '/users', { name: 'viewer', password: 'secret', role: 'viewer' });
  });

  const rowOf = (page: Page, tag: string) => page.getByRole('row').filter({ hasText: tag });

  it('are listed, the most urgent first, counted in the menu, and acknowledged', async () => {
    const page = await open('#/alarms');
    await rowOf(page, 'too high').getByText('unacknowledged').waitFor();
    const names = await page.locator('tbody tr bdi:first-child').allInnerTexts();
    expect(names.filter((name) => name.startsWith('too '))).to.deep.equal([
      'too high',
      'too medium',
      'too low',
    ]);
    expect(await rowOf(page, 'too high').innerText()).to.include('level 95');
    await page.getByRole('navigation').getByTitle('3 alarms that nobody has acknowledged').waitFor();
    expect(await page.getByRole('switch', { name: 'Sound' }).isChecked()).to.equal(false);
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'Acknowledge: too high' }).click();
    await rowOf(page, 'too high').getByText('acknowledged', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Acknowledge all 2 that are shown' }).click();
    await rowOf(page, 'too low').getByText('acknowledged', { exact: true }).waitFor();
    await rowOf(page, 'too medium').getByText('acknowledged', { exact: true }).waitFor();
  });

  it('are shelved for a time with a comment, and unshelved', async () => {
    const page = await open('#/alarms');
    await page.getByRole('button', { name: 'Shelve: too low' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('painters');
    await dialog.getByRole('button', { name: 'Shelve' }).click();
    await dialog.waitFor({ state: 'detached' });
    await rowOf(page, 'too low').waitFor({ state: 'detached' });
    await page.getByText('Shelved 1').click();
    await rowOf(page, 'too low').waitFor();
    await page.getByRole('button', { name: 'Unshelve: too low' }).click();
    await rowOf(page, 'too low').waitFor({ state: 'detached' });
  });

  it('the journal says what has happened and who has done it', async () => {
    const page = await open('#/alarms');
    await page.getByRole('button', { name: 'Journal' }).click();
    await rowOf(page, 'admin: painters').getByText('acknowledged → shelved').waitFor();
    await page.getByRole('searchbox', { name: 'Tag' }).fill('too high');
    await rowOf(page, 'too low').first().waitFor({ state: 'detached' });
    expect(await rowOf(page, 'too high').count()).to.equal(2);
    expect(await axeFindings(page)).to.deep.equal([]);
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    expect(file.suggestedFilename()).to.match(/^alarms-.*\.csv$/);
  });

  it('a viewer sees them, and no command; in Chinese all texts are', async () => {
    const { token = '' } = await plant.gateway.anonymous().login('viewer', 'secret');
    const page = await open('#/alarms', { as: { token, user: 'viewer' } });
    await rowOf(page, 'too high').waitFor();
    expect(await page.getByRole('button', { name: /^(Acknowledge|Shelve)/ }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Language' }).click();
    await page.getByRole('menuitem', { name: '中文' }).click();
    await rowOf(page, 'too high').getByText('已确认').waitFor();
  });
});
