import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { usePage } from './fixture.ts';

describePage('what the page offers to whom', function () {
  const { plant, open } = usePage();
  before(async () => {
    const params = { connection_mode: 0, host: '127.0.0.1', port: plant.device.port, timeout: 1000 };
    await plant.client.ok('POST', '/node', { name: 'boiler', plugin: 'Modbus TCP', params });
    for (const role of ['viewer', 'operator'])
      await plant.client.ok('POST', '/users', { name: role, password: 'secret', role });
  });

  async function openAs(user: string, place: string): Promise<Page> {
    const { token = '' } = await plant.gateway.anonymous().login(user, 'secret');
    const page = await open(place, { as: { token, user } });
    await page.getByRole('heading', { level: 2 }).first().waitFor();
    return page;
  }

  it('a viewer sees no action that changes anything', async () => {
    const page = await openAs('viewer', '#/drivers');
    await page.getByRole('link', { name: 'boiler' }).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /boiler/ }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'Add a driver' }).count()).to.equal(0);
    expect(await page.getByRole('link', { name: 'Audit' }).count()).to.equal(0);

    await page.goto(`${plant.gateway.url}/#/nodes/boiler/settings`);
    await page.getByRole('button', { name: /^Advanced \d/ }).click();
    const timeout = page.getByRole('textbox', { name: 'Timeout', exact: true });
    await timeout.waitFor();
    expect(await timeout.isDisabled()).to.equal(true);
    expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(0);

    await page.goto(`${plant.gateway.url}/#/plugins`);
    await page.getByText('Modbus TCP').waitFor();
    expect(await page.getByRole('button', { name: 'Choose a file' }).count()).to.equal(0);

    await page.goto(`${plant.gateway.url}/#/users`);
    await page.getByRole('heading', { name: 'My password' }).waitFor();
    expect(await page.getByRole('button', { name: 'Add a user' }).count()).to.equal(0);
  });

  it('an operator may stop and start, and change nothing', async () => {
    const page = await openAs('operator', '#/drivers');
    await page.getByRole('button', { name: 'Stop boiler' }).click();
    await page.getByText('boiler is stopped.').waitFor();
    await page.getByRole('button', { name: 'Start boiler' }).click();
    await page.getByText('boiler is started.').waitFor();
    expect(await page.getByRole('button', { name: 'More for boiler' }).count()).to.equal(0);
  });

  it('an admin renames a node, sees what depends on it, and deletes it', async () => {
    await plant.client.ok('POST', '/group', { node: 'boiler', group: 'fast', interval: 1000 });
    const page = await open('#/drivers');
    await page.getByRole('button', { name: 'More for boiler' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('kettle');
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
    await page.getByRole('link', { name: 'kettle' }).waitFor();
    await page.getByRole('button', { name: 'More for kettle' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page.getByText('1 groups with 0 tags').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('A driver reads and writes one device or several. There is none yet.').waitFor();
    const { nodes } = await plant.client.ok<{ nodes: object[] }>('GET', '/node', { type: 1 });
    expect(nodes).to.deep.equal([]);
  });
});
