import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { axeFindings, describePage } from '../kit/browser.ts';
import { modbusSettings } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

describePage('the beginning in an empty gateway', function () {
  const { plant, open, tagsOf } = usePage();

  it('leads from place to place: what there is not yet, and the one thing to do', async () => {
    const page = await open('#/drivers');
    await page.getByText('A driver reads and writes one device or several.').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.getByRole('region').getByRole('link', { name: 'Add a driver' }).click();
    await page.getByRole('heading', { name: 'What device is it?' }).waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.goto(`${plant.gateway.url}/#/apps`);
    await page.getByText('An app sends values on').waitFor();

    await plant.client.ok('POST', '/node', { name: 'boiler', plugin: 'Modbus TCP' });
    const params = modbusSettings(plant.device.port);
    await plant.client.ok('POST', '/node/setting', { node: 'boiler', params });
    await page.goto(`${plant.gateway.url}/#/nodes/boiler/groups`);
    // The list of nodes is from before.
    await page.reload();
    await page.getByText('A group holds tags that are read together').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save a CSV file to start from' }).click();
    const starter = (await readFile(await (await saved).path())).toString();
    expect(starter).to.include(
      'group,interval,name,address,attribute,type,description,decimal,precision,bias,value',
    );
    await page.getByRole('button', { name: 'Add the first group' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('fast');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Tags of fast' }).waitFor();
    await page.getByText('A tag is one value of the device').waitFor();
    await page.getByRole('button', { name: 'Add the first tag' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name' }).fill('level');
    await form.getByRole('textbox', { name: 'Address' }).fill('1!400001');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('level is saved.').waitFor();
    expect((await tagsOf('fast')).map(({ name }) => name)).to.deep.equal(['level']);

    await page.goto(`${plant.gateway.url}/#/nodes/boiler/groups`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    const filled = starter.replace('name,,Read', 'second,1!400002,Read');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'tags.csv', mimeType: '', buffer: Buffer.from(filled) });
    await page.getByText('Adds 1 tags, changes 0').or(page.getByText('Adds 1 tag, changes 0')).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('link', { name: 'group', exact: true }).waitFor();
    expect((await tagsOf('group')).map(({ name }) => name)).to.deep.equal(['second']);
  });
});
