import { Attribute, DataType, NodeCommand } from '@tagway/schemas';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { addBoiler, registerTags } from '../kit/configure.ts';
import { sleep, until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

/** Seconds for which somebody types while updates come; a bench lets it be a minute. */
const seconds = Number(process.env['PAGE_SECONDS'] ?? 8);

const caret = 'document.activeElement.selectionStart';
const notice = 'Somebody else has changed this meanwhile.';

describePage('what two edit at once', function () {
  const { plant, open, tagsOf, groupsOf, settingsOf } = usePage();
  before(async () => {
    await addBoiler(plant, 'main', registerTags(100, Attribute.READ | Attribute.WRITE));
    await plant.client.ok('POST', '/node', { name: 'cloud', plugin: 'MQTT' });
  });

  const change = async (more: object): Promise<void> => {
    const params = { ...(await settingsOf()), ...more };
    await plant.client.ok('POST', '/node/setting', { node: 'boiler', params });
  };
  const staleOf = (page: Page): Locator => page.getByRole('dialog', { name: 'Somebody else was faster' });
  const cells = async (row: Locator): Promise<string[]> => {
    await row.waitFor();
    return row.getByRole('cell').allTextContents();
  };

  it(`typing goes on through ${seconds} s of pushed updates and a foreign change, and the stale save is refused with the difference`, async () => {
    const page = await open('#/nodes/boiler/settings');
    const host = page.getByRole('textbox', { name: 'IP address', exact: true });
    await host.fill('127.0.0.');
    const name = await host.getAttribute('name');
    const strokes = 4 * seconds;
    const end = Date.now() + 1000 * seconds;
    let typed = '127.0.0.';
    let pushed = 0;
    for (let stroke = 0; stroke < strokes; stroke += 1) {
      // There and back: the field takes only so many letters.
      const isBack = stroke % 20 > 9;
      await page.keyboard.press(isBack ? 'Backspace' : '1');
      typed = isBack ? typed.slice(0, -1) : `${typed}1`;
      if (stroke % 6 === 5) {
        const cmd = pushed++ % 2 === 0 ? NodeCommand.STOP : NodeCommand.START;
        await plant.client.ok('POST', '/node/ctl', { node: 'boiler', cmd });
      }
      if (stroke === strokes >> 1) await change({ timeout: 2345 });
      expect(await host.inputValue()).to.equal(typed);
      expect(await page.evaluate(caret)).to.equal(typed.length);
      expect(await page.evaluate('document.activeElement.name')).to.equal(name);
      await sleep(Math.max(0, (end - Date.now()) / (strokes - stroke)));
    }
    if (pushed % 2 === 1)
      await plant.client.ok('POST', '/node/ctl', { node: 'boiler', cmd: NodeCommand.START });
    await page.getByText('Good', { exact: true }).waitFor();
    await page.getByText(notice).waitFor();
    expect(await host.inputValue()).to.equal(typed);

    const before = await settingsOf();
    await host.fill('127.0.0.1');
    await page.getByRole('button', { name: /^Advanced \d/ }).click();
    await page.getByRole('textbox', { name: 'Send interval', exact: true }).fill('30');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const stale = staleOf(page);
    expect(await cells(stale.getByRole('row').filter({ hasText: 'Timeout' }))).to.deep.equal([
      'Timeout',
      '2345',
      '1000You have not touched it: theirs stays.',
    ]);
    expect(await settingsOf()).to.deep.equal(before);

    await stale.getByRole('button', { name: 'Go on editing' }).click();
    expect(await host.inputValue()).to.equal('127.0.0.1');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await stale.getByRole('button', { name: 'Save mine on top' }).click();
    await page.getByText('The settings of boiler are saved.').waitFor();
    expect(await settingsOf()).to.deep.include({ timeout: 2345, interval: 30 });
    await until('the notice is gone', async () => (await page.getByText(notice).count()) === 0);
  });

  it('settings that were saved can be changed and saved again', async () => {
    const page = await open('#/nodes/boiler/settings');
    await page.getByRole('button', { name: /^Advanced \d/ }).click();
    const timeout = page.getByRole('textbox', { name: 'Timeout', exact: true });
    for (const value of [1500, 1600]) {
      await timeout.fill(String(value));
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await until('they are saved', async () => (await settingsOf())['timeout'] === value);
      await sleep(500);
    }
    expect(await page.getByText(notice).count()).to.equal(0);
  });

  it('a tag: others of its group do not matter, and theirs may be taken', async () => {
    const body = (name: string, more: object) => ({
      node: 'boiler',
      group: 'main',
      tags: [{ name, address: '1!400001', attribute: Attribute.READ, type: DataType.INT16, ...more }],
    });
    const page = await open('#/nodes/boiler/groups/main');
    await page.getByRole('button', { name: 'Change tag1', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change tag1' });
    const address = dialog.getByRole('textbox', { name: 'Address' });
    await address.fill('1!400055');
    await sleep(1000);
    await plant.client.ok('PUT', '/tags', body('tag7', { decimal: 2 }));
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('tag1 is saved.').waitFor();

    await page.getByRole('button', { name: 'Change tag1', exact: true }).click();
    await dialog.getByRole('textbox', { name: 'Description' }).fill('mine');
    await sleep(1000);
    await plant.client.ok('PUT', '/tags', body('tag1', { description: 'theirs' }));
    await dialog.getByText(notice).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    const stale = staleOf(page);
    expect(await cells(stale.getByRole('row').filter({ hasText: 'Description' }))).to.deep.equal([
      'Description',
      'theirs',
      'mine',
    ]);
    // Escape gives up the question, not what was typed.
    await page.keyboard.press('Escape');
    await stale.waitFor({ state: 'detached' });
    expect(await dialog.getByRole('textbox', { name: 'Description' }).inputValue()).to.equal('mine');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await stale.getByRole('button', { name: 'Take theirs' }).click();
    expect(await dialog.getByRole('textbox', { name: 'Description' }).inputValue()).to.equal('theirs');
    expect(await address.inputValue()).to.equal('1!400001');
  });

  it('a tag that somebody has deleted is made anew when that is wanted', async () => {
    const page = await open('#/nodes/boiler/groups/main');
    await page.getByRole('button', { name: 'Change tag2', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change tag2' });
    await dialog.getByRole('textbox', { name: 'Description' }).fill('mine');
    await sleep(1000);
    await plant.client.ok('DELETE', '/tags', { node: 'boiler', group: 'main', tags: ['tag2'] });
    await dialog.getByRole('button', { name: 'Save' }).click();
    const stale = staleOf(page);
    await stale.getByText('What you edit was deleted meanwhile.').waitFor();
    await stale.getByRole('button', { name: 'Make it anew' }).click();
    await page.getByText('tag2 is saved.').waitFor();
    expect((await tagsOf('main')).find(({ name }) => name === 'tag2')?.description).to.equal('mine');
  });

  it('a group, and the parameters of a subscription', async () => {
    const page = await open('#/nodes/boiler/groups');
    await page.getByRole('button', { name: 'Change main', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Change main' });
    await dialog.getByRole('textbox', { name: 'Interval' }).fill('777');
    await sleep(1000);
    // Of another group.
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'other', interval: 1000 });
    await plant.client.ok('PUT', '/group', { node: 'boiler', group: 'main', interval: 888 });
    await dialog.getByRole('button', { name: 'Save' }).click();
    const stale = staleOf(page);
    expect(await cells(stale.getByRole('row').filter({ hasText: 'Interval' }))).to.deep.equal([
      'Interval (ms)',
      '888',
      '777',
    ]);
    await stale.getByRole('button', { name: 'Save mine on top' }).click();
    await page.getByText('main is saved.').waitFor();
    expect((await groupsOf())[0]).to.include({ name: 'main', interval: 777 });

    const subscription = { app: 'cloud', driver: 'boiler', group: 'main' };
    await plant.client.ok('POST', '/subscribe', { ...subscription, params: { topic: 'first' } });
    await page.goto(`${plant.gateway.url}/#/nodes/cloud/subscriptions`);
    await page.getByRole('button', { name: 'Change the parameters of boiler · main' }).click();
    const topic = page.getByRole('textbox', { name: 'Topic' });
    await topic.fill('mine');
    await sleep(1000);
    await plant.client.ok('PUT', '/subscribe', { ...subscription, params: { topic: 'theirs' } });
    await page.keyboard.press('Enter');
    expect(await cells(stale.getByRole('row').filter({ hasText: 'Topic' }))).to.deep.equal([
      'Topic',
      'theirs',
      'mine',
    ]);
    await stale.getByRole('button', { name: 'Go on editing' }).click();
    expect(await topic.inputValue()).to.equal('mine');
  });
});
