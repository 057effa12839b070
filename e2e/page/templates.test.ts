import { DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { addBoiler, connected } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

describePage('templates', function () {
  const { plant, open, groupsOf } = usePage();
  it('are made of a driver, and drivers of them', async () => {
    await addBoiler(plant, 'few', [
      { name: 'level', address: '1!400001', attribute: 3, type: DataType.INT16 },
    ]);
    const page = await open('#/templates');
    await page.getByRole('button', { name: 'Make a template' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('kettle');
    await page.getByRole('combobox', { name: 'Driver' }).selectOption('boiler');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('kettle is saved.').waitFor();
    await page.getByRole('link', { name: 'Make a driver of kettle' }).click();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('boiler 2');
    await page.getByRole('textbox', { name: 'IP address', exact: true }).fill('127.0.0.1');
    await page.getByRole('textbox', { name: 'Port', exact: true }).fill(String(plant.device.port));
    await page.getByRole('button', { name: 'Add a driver' }).click();
    await page.getByText('boiler 2 is added.').waitFor();
    expect(await groupsOf('boiler 2')).to.deep.equal([{ name: 'few', interval: 100, tag_count: 1 }]);
    await connected(plant.client, 'boiler 2');
    await page.getByRole('link', { name: 'Templates' }).click();
    await page.getByRole('button', { name: 'Delete kettle' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('kettle is deleted.').waitFor();
    expect(await plant.client.ok('GET', '/template')).to.deep.equal({ templates: [] });
  });

  it('are edited tag by tag, with the examples and checks of their plugin', async () => {
    const page = await open('#/templates');
    await page.getByRole('button', { name: 'Make a template' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('pump');
    await page.getByText('Nothing yet').click();
    await page.getByRole('combobox', { name: 'Plugin' }).selectOption('Modbus TCP');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'pump', exact: true }).click();
    await page.getByRole('button', { name: 'Add a group' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('fast');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'fast' }).click();
    await page.getByRole('button', { name: 'Add a tag' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('textbox', { name: 'Name' }).fill('speed');
    await form.getByRole('textbox', { name: 'Address' }).fill('nonsense');
    await form.getByText('The plugin has no such address for INT16.').waitFor();
    expect(await form.getByRole('button', { name: 'Test read' }).count(), 'there is no device').to.equal(0);
    await form.getByRole('button', { name: '1!400001', exact: true }).click();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('speed is saved.').waitFor();

    await page.getByRole('button', { name: 'Change speed' }).click();
    await form.getByRole('textbox', { name: 'Name' }).fill('velocity');
    await form.getByRole('textbox', { name: 'Description' }).fill('of the pump');
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('velocity is saved.').waitFor();
    const query = { template: 'pump', group: 'fast' };
    const read = (): Promise<{ tags: { name: string; description: string; address: string }[] }> =>
      plant.client.ok('GET', '/template/tag', query);
    const { tags } = await read();
    expect(tags.map(({ name, description, address }) => [name, description, address])).to.deep.equal([
      ['velocity', 'of the pump', '1!400001'],
    ]);
    await page.getByRole('button', { name: 'Change velocity' }).click();
    await form.getByRole('textbox', { name: 'Description' }).fill('mine');
    const theirs = { ...(tags[0] as object), description: 'theirs', address: '1!400002' };
    await plant.client.ok('PUT', '/template/tag', { ...query, tags: [theirs] });
    await form.getByRole('button', { name: 'Save' }).click();
    const stale = page.getByRole('dialog', { name: 'Somebody else was faster' });
    await stale.getByRole('row').filter({ hasText: 'Description' }).getByText('theirs').waitFor();
    expect((await read()).tags[0]?.description, 'the stale save changed nothing').to.equal('theirs');
    await stale.getByRole('button', { name: 'Save mine on top' }).click();
    await until('mine is saved', async () => (await read()).tags[0]?.description === 'mine');
    await form.waitFor({ state: 'detached' });
    const [merged] = (await read()).tags;
    expect([merged?.description, merged?.address]).to.deep.equal(['mine', '1!400002']);
    await page.getByRole('checkbox', { name: 'Select velocity' }).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 tag is deleted.').waitFor();
    expect((await read()).tags).to.deep.equal([]);
  });

  it('are used and deleted as they were shown, or shown anew', async () => {
    const tag = { address: '1!400001', attribute: 3, type: DataType.INT16 };
    const group = { name: 'few', interval: 100, tags: [{ name: 'a', ...tag }] };
    await plant.client.ok('POST', '/template', { name: 'mixer', plugin: 'Modbus TCP', groups: [group] });
    const add = (name: string): Promise<unknown> =>
      plant.client.ok('POST', '/template/tag', {
        template: 'mixer',
        group: 'few',
        tags: [{ name, ...tag }],
      });
    const page = await open('#/drivers/add?template=mixer');
    await page.getByText('It has 1 group with 1 tag.').waitFor();
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('mixer 1');
    await page.getByRole('textbox', { name: 'IP address', exact: true }).fill('127.0.0.1');
    await page.getByRole('textbox', { name: 'Port', exact: true }).fill(String(plant.device.port));
    await add('b');
    await page.getByRole('button', { name: 'Add a driver' }).click();
    await page.getByText('Somebody else has changed the template').first().waitFor();
    await page.getByText('It has 1 group with 2 tags.').waitFor();
    expect((await plant.client.call('GET', '/group', { node: 'mixer 1' })).status).to.equal(404);
    await page.getByRole('button', { name: 'Add a driver' }).click();
    await page.getByText('mixer 1 is added.').waitFor();
    expect(await groupsOf('mixer 1')).to.deep.equal([{ name: 'few', interval: 100, tag_count: 2 }]);

    await page.goto(`${plant.gateway.url}/#/templates`);
    await page.getByRole('button', { name: 'Delete mixer' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('It has 1 group with 2 tags.').waitFor();
    await add('c');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('It has 1 group with 3 tags.').waitFor();
    await plant.client.ok('GET', '/template', { name: 'mixer' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('mixer is deleted.').waitFor();
    expect((await plant.client.call('GET', '/template', { name: 'mixer' })).status).to.equal(404);
  });
});
