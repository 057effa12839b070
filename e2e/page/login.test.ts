import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { asAdmin, describePage, useChromium } from '../browser.ts';
import { usePlant } from '../plant.ts';
import { until } from '../until.ts';

/** Presses Tab until what has the focus is called this. */
async function tabTo(page: Page, name: string): Promise<void> {
  const focused = `(() => {
    const { activeElement: element } = document;
    const id = element?.id ?? '';
    const label = id === '' ? null : document.querySelector('label[for="' + CSS.escape(id) + '"]');
    return (element?.getAttribute('aria-label') ?? label?.textContent ?? element?.textContent ?? '').replace(/ \\*$/, '').trim();
  })()`;
  for (let presses = 0; presses < 80; presses += 1) {
    if ((await page.evaluate<string>(focused)) === name) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not come to "${name}".`);
}

describePage('the page, by keyboard alone', function () {
  const plant = usePlant();
  const chromium = useChromium();

  it('leads from the first login to a driver that runs', async () => {
    const page = await chromium.open(plant.gateway);
    await page.getByRole('textbox', { name: 'User', exact: true }).waitFor();
    await tabTo(page, 'User');
    await page.keyboard.type('admin');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0000');
    await page.keyboard.press('Enter');
    await page.getByText('There is nothing here yet.').waitFor();

    await tabTo(page, 'Add the first driver');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Add a driver' }).waitFor();
    await tabTo(page, 'Plugin');
    await page.keyboard.type('Modbus TCP');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'IP address', exact: true }).waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('boiler');
    await tabTo(page, 'IP address');
    await page.keyboard.type('127.0.0.1');
    await tabTo(page, 'Port');
    await page.keyboard.press('Control+A');
    await page.keyboard.type(String(plant.device.port));
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'boiler' }).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    const { states } = await plant.client.ok<{ states: { node: string; running: number }[] }>(
      'GET',
      '/node/state',
    );
    expect(states.map(({ node }) => node)).to.deep.equal(['boiler']);
  });

  it('leads from a driver over a group and a tag to its value, and to an app that subscribes to it', async () => {
    await plant.device.setRegisters(0, [1234]);
    const as = asAdmin(plant.client);
    const page = await chromium.open(plant.gateway, '#/nodes/boiler', { as });
    const press = (key: string): Promise<void> => page.keyboard.press(key);
    await page.getByText('Connected', { exact: true }).waitFor();
    await tabTo(page, 'State');
    await press('ArrowRight');
    await press('ArrowRight');
    await page.getByRole('button', { name: 'Add a group' }).waitFor();
    await tabTo(page, 'Add a group');
    await press('Enter');
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type('fast');
    await press('Enter');
    await page.getByRole('link', { name: 'fast', exact: true }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await tabTo(page, 'fast');
    await press('Enter');
    await page.getByRole('button', { name: 'Add a tag' }).waitFor();
    await tabTo(page, 'Add a tag');
    await press('Enter');
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type('level');
    await tabTo(page, 'Address');
    await page.keyboard.type('1!400001');
    await press('Enter');
    await page.getByText('level is saved.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Past the place of the same name in the menu.
    await tabTo(page, 'Export');
    await tabTo(page, 'Live values');
    await press('Enter');
    await page.getByRole('row').filter({ hasText: 'level' }).getByText('1234', { exact: true }).waitFor();

    await tabTo(page, 'Apps');
    await press('Enter');
    await page.getByRole('link', { name: 'Add an app' }).first().waitFor();
    await tabTo(page, 'Add an app');
    await press('Enter');
    await page.getByRole('heading', { name: 'Add an app' }).waitFor();
    await tabTo(page, 'Plugin');
    await page.keyboard.type('MQTT');
    await press('ArrowDown');
    await press('Enter');
    await page.getByRole('textbox', { name: 'Broker host', exact: true }).waitFor();
    await tabTo(page, 'Name');
    await page.keyboard.type('cloud');
    await tabTo(page, 'Broker host');
    await page.keyboard.type('127.0.0.1');
    await press('Enter');
    await page.getByRole('heading', { name: 'cloud' }).waitFor();
    await tabTo(page, 'State');
    await press('ArrowRight');
    await press('ArrowRight');
    await page.getByRole('checkbox', { name: 'Select boiler · fast' }).waitFor();
    await tabTo(page, 'Select boiler · fast');
    await press('Space');
    await tabTo(page, 'Subscribe');
    await press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Topic');
    await page.keyboard.type('plant/level');
    await press('Enter');
    await page.getByText('1 groups are subscribed to.').waitFor();
    const { groups } = await plant.client.ok<{ groups: object[] }>('GET', '/subscribe', { app: 'cloud' });
    expect(groups).to.deep.equal([{ driver: 'boiler', group: 'fast', params: { topic: 'plant/level' } }]);
  });

  it('comes back to the same place, with what was typed, after a session that has ended', async () => {
    await plant.client.ok('POST', '/users', { name: 'engineer', password: 'first', role: 'engineer' });
    const engineer = await plant.gateway.anonymous().login('engineer', 'first');
    const token = engineer.token ?? '';
    const page = await chromium.open(plant.gateway, '#/nodes/boiler/settings', {
      as: { token, user: 'engineer' },
    });
    await page.getByRole('textbox', { name: 'Timeout', exact: true }).fill('4321');
    // A new password ends the sessions of the user.
    await plant.client.ok('PUT', '/users', { name: 'engineer', new_password: 'second' });
    await page.getByText('Your session has ended.').waitFor();
    await page.getByRole('textbox', { name: 'User', exact: true }).fill('engineer');
    await page.locator('input[name=password]').fill('second');
    await page.keyboard.press('Enter');
    await page.getByRole('textbox', { name: 'Timeout', exact: true }).waitFor();
    expect(new URL(page.url()).hash).to.equal('#/nodes/boiler/settings');
    expect(await page.getByRole('textbox', { name: 'Timeout', exact: true }).inputValue()).to.equal('4321');
    await page.getByRole('button', { name: 'Save' }).click();
    await until('the new timeout is saved', async () => {
      const { params } = await plant.client.ok<{ params: { timeout: number } }>('GET', '/node/setting', {
        node: 'boiler',
      });
      return params.timeout === 4321;
    });
  });
});
