import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

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

/** Goes to what is called this by the Tab key, and presses these keys there. */
async function pressAt(page: Page, name: string, ...keys: readonly string[]): Promise<void> {
  await tabTo(page, name);
  for (const key of keys) await page.keyboard.press(key);
}

/** Goes to a field by the Tab key, and types into it. */
async function typeAt(page: Page, name: string, text: string): Promise<void> {
  await tabTo(page, name);
  await page.keyboard.type(text);
}

/** Chooses a plugin by its name, once the list shows that one alone. */
async function choosePlugin(page: Page, name: string): Promise<void> {
  await typeAt(page, 'Plugin', name);
  await until('the list shows the plugin alone', async () => {
    const options = await page.getByRole('option').allTextContents();
    return options.length === 1 && options[0] === name;
  });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
}

describePage('the page, by keyboard alone', function () {
  const { plant, chromium, open, settingsOf, subscriptionsOf } = usePage();
  it('leads from the first login to a driver that runs', async () => {
    const page = await chromium.open(plant.gateway);
    await page.getByRole('textbox', { name: 'User', exact: true }).waitFor();
    await typeAt(page, 'User', 'admin');
    await page.keyboard.press('Tab');
    await page.keyboard.type('0000');
    await page.keyboard.press('Enter');
    await page.getByText('There is nothing here yet.').waitFor();

    await pressAt(page, 'Add the first driver', 'Enter');
    await page.getByRole('heading', { name: 'What device is it?' }).waitFor();
    await typeAt(page, 'Device, maker or protocol', 'modbus tcp');
    await pressAt(page, 'Modbus TCP', 'Enter');
    await page.getByRole('textbox', { name: 'IP address', exact: true }).waitFor();
    await typeAt(page, 'Name', 'boiler');
    await typeAt(page, 'IP address', '127.0.0.1');
    await pressAt(page, 'Port', 'Control+A');
    await page.keyboard.type(String(plant.device.port));
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'boiler' }).waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    const { states } = await plant.client.ok<{ states: { node: string }[] }>('GET', '/node/state');
    expect(states.map(({ node }) => node)).to.deep.equal(['boiler']);
  });

  it('leads from a driver over a group and a tag to its value, and to an app that subscribes to it', async () => {
    await plant.device.setRegisters(0, [1234]);
    const page = await open('#/nodes/boiler');
    await page.getByText('Connected', { exact: true }).waitFor();
    await pressAt(page, 'State', 'ArrowRight', 'ArrowRight');
    await page.getByRole('button', { name: 'Add a group' }).waitFor();
    await pressAt(page, 'Add a group', 'Enter');
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type('fast');
    await page.keyboard.press('Enter');
    // The first group leads on to its tags.
    await page.getByRole('button', { name: 'Add a tag' }).waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await pressAt(page, 'Add a tag', 'Enter');
    await page.locator('[role=dialog] input:focus').waitFor();
    await page.keyboard.type('level');
    await typeAt(page, 'Address', '1!400001');
    await page.keyboard.press('Enter');
    await page.getByText('level is saved.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    // Past the place of the same name in the menu.
    await tabTo(page, 'Export');
    await pressAt(page, 'Live values', 'Enter');
    await page.getByRole('row').filter({ hasText: 'level' }).getByText('1234', { exact: true }).waitFor();

    await pressAt(page, 'Apps', 'Enter');
    await page.getByRole('link', { name: 'Add an app' }).first().waitFor();
    await pressAt(page, 'Add an app', 'Enter');
    await page.getByRole('heading', { name: 'Add an app' }).waitFor();
    await choosePlugin(page, 'MQTT');
    await page.getByRole('textbox', { name: 'Broker host', exact: true }).waitFor();
    await typeAt(page, 'Name', 'cloud');
    await typeAt(page, 'Broker host', '127.0.0.1');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'cloud' }).waitFor();
    await pressAt(page, 'State', 'ArrowRight', 'ArrowRight');
    await page.getByRole('checkbox', { name: 'Select boiler · fast' }).waitFor();
    await pressAt(page, 'Select boiler · fast', 'Space');
    await pressAt(page, 'Subscribe', 'Enter');
    await page.getByRole('dialog').waitFor();
    await typeAt(page, 'Topic', 'plant/level');
    await page.keyboard.press('Enter');
    await page.getByText('1 groups are subscribed to.').waitFor();
    expect(await subscriptionsOf('cloud')).to.deep.equal([
      { driver: 'boiler', group: 'fast', params: { topic: 'plant/level' } },
    ]);
  });

  it('comes back to the same place, with what was typed, after a session that has ended', async () => {
    await plant.client.ok('POST', '/users', { name: 'engineer', password: 'first', role: 'engineer' });
    const engineer = await plant.gateway.anonymous().login('engineer', 'first');
    const token = engineer.token ?? '';
    const page = await open('#/nodes/boiler/settings', { as: { token, user: 'engineer' } });
    await page.getByRole('button', { name: /^Advanced \d/ }).click();
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
    await until('the new timeout is saved', async () => (await settingsOf())['timeout'] === 4321);
  });
});
