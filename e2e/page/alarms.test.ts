import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage } from '../kit/browser.ts';
import { addModbus, hasValue, registerTags, type TagBody } from '../kit/configure.ts';
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

  it('are taken out of service with a comment, and put in service again', async () => {
    const page = await open('#/alarms');
    await page.getByRole('button', { name: 'Take out of service: too low' }).click();
    const dialog = page.getByRole('dialog');
    expect(await dialog.getByRole('combobox').count()).to.equal(0);
    await dialog.getByRole('textbox', { name: 'Comment' }).fill('sensor is sent in');
    await dialog.getByRole('button', { name: 'Take out of service' }).click();
    await dialog.waitFor({ state: 'detached' });
    await rowOf(page, 'too low').waitFor({ state: 'detached' });
    await page.getByText('Out of service 1').click();
    await rowOf(page, 'too low').getByText('out of service').waitFor();
    await page.getByRole('button', { name: 'In service: too low' }).click();
    await rowOf(page, 'too low').waitFor({ state: 'detached' });
  });

  it('are counted, the most frequent first', async () => {
    const { client, device } = plant;
    for (const [value, state] of [
      [5, 'normal'],
      [95, 'unacknowledged'],
    ] as const) {
      await device.setRegisters(0, [value]);
      await hasValue(client, 'alarms', 'group', 'too high', state);
    }
    const page = await open('#/alarms');
    await page.getByRole('button', { name: 'Most frequent' }).click();
    const table = page.getByRole('table', { name: 'Most frequent' });
    await table.getByText('too high').waitFor();
    const cells = await table.locator('tbody tr').first().locator('td').allInnerTexts();
    expect(cells.slice(0, 3).map((text) => text.replaceAll(/\s+/g, ' '))).to.deep.equal([
      'too high alarms / group',
      '2',
      '33 %',
    ]);
    await page.getByText('Alarms in that time: 6').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.getByRole('button', { name: 'List' }).click();
    await rowOf(page, 'too high').getByText('unacknowledged').waitFor();
    for (const { name } of await alarmTags())
      await client.ok('POST', '/write', { node: 'alarms', group: 'group', tag: name, value: 'acknowledge' });
  });

  const alarmTags = async (): Promise<readonly TagBody[]> =>
    (await plant.client.ok<{ tags: TagBody[] }>('GET', '/tags', { node: 'alarms', group: 'group' })).tags;

  it('the journal says what has happened and who has done it', async () => {
    const page = await open('#/alarms');
    await page.getByRole('button', { name: 'Journal' }).click();
    await rowOf(page, 'admin: painters').getByText('acknowledged → shelved').waitFor();
    await page.getByRole('searchbox', { name: 'Tag' }).fill('too high');
    await rowOf(page, 'too low').first().waitFor({ state: 'detached' });
    expect(await rowOf(page, 'too high').count()).to.equal(5);
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
