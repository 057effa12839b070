import { DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { readFile } from 'node:fs/promises';
import { axeFindings, describePage, overhang, sizes } from '../kit/browser.ts';
import { addBoiler } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

interface Config {
  groups: { group: string; interval: number }[];
  tags: { tags: { name: string; address: string }[] }[];
}

describePage('the whole configuration', function () {
  const { plant, open, groupsOf } = usePage();
  before(() =>
    addBoiler(plant, 'few', [
      { name: 'level', address: '1!400001', attribute: 3, type: DataType.INT16 },
      { name: 'lost', address: '1!400002', attribute: 3, type: DataType.INT16 },
    ]),
  );

  async function exported(): Promise<{ page: Page; text: string }> {
    const page = await open('#/transfer');
    const begun = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export the configuration' }).click();
    return { page, text: await readFile(await (await begun).path(), 'utf8') };
  }

  const choose = (page: Page, text: string): Promise<void> =>
    page
      .locator('input[type=file]')
      .setInputFiles({ name: 'config.json', mimeType: 'application/json', buffer: Buffer.from(text) });

  it('is the same when it is exported and chosen again', async () => {
    const { page, text } = await exported();
    await choose(page, text);
    await page.getByText('The file is what the gateway has already.').waitFor();
  });

  it('is replaced after its differences were shown', async () => {
    const { page, text } = await exported();
    const config = JSON.parse(text) as Config;
    for (const group of config.groups) group.interval = 5000;
    for (const { tags } of config.tags) tags.splice(1, 1);
    await choose(page, JSON.stringify(config));
    await page.getByText('Adds 0, changes 1, removes 1.').waitFor();
    await page.getByText('boiler · few · lost').waitFor();
    await page.getByRole('button', { name: 'Replace the configuration' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replace the configuration' }).click();
    await page.getByText('The configuration of the file is in force.').waitFor();
    expect(await groupsOf()).to.deep.equal([{ name: 'few', interval: 5000, tag_count: 1 }]);
    // What was there before can be had again.
    await page.getByRole('row').filter({ hasText: 'an import' }).waitFor();
  });

  const shapes = async (): Promise<unknown[][]> =>
    ((await groupsOf()) as { name: string; interval: number }[]).map(({ name, interval }) => [
      name,
      interval,
    ]);

  it('is not replaced when somebody else has changed it since the plan, and the plan is made anew', async () => {
    const { page, text } = await exported();
    const config = JSON.parse(text) as Config;
    for (const group of config.groups) group.interval = 6000;
    await choose(page, JSON.stringify(config));
    await page.getByText('Adds 0, changes 1, removes 0.').waitFor();
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'theirs', interval: 1000 });
    const replace = async (): Promise<void> => {
      await page.getByRole('button', { name: 'Replace the configuration' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Replace the configuration' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    };
    await replace();
    await page.getByText('Somebody else has made changes since the plan was made').waitFor();
    await page.getByText('Adds 0, changes 1, removes 1.').waitFor();
    expect(await shapes()).to.deep.equal([
      ['few', 5000],
      ['theirs', 1000],
    ]);
    await replace();
    await page.getByText('The configuration of the file is in force.').waitFor();
    expect(await shapes()).to.deep.equal([['few', 6000]]);
    await plant.client.ok('PUT', '/group', { node: 'boiler', group: 'few', interval: 5000 });
  });

  it('is not replaced by one that the gateway would refuse, for reasons that are all named', async () => {
    const { page, text } = await exported();
    const config = JSON.parse(text) as Config;
    for (const { tags } of config.tags) {
      tags.push({ ...tags[0], name: 'bad one', address: 'nowhere' });
      tags.push({ ...tags[0], name: 'bad two', address: 'nowhere either' });
    }
    await choose(page, JSON.stringify(config));
    const reasons = page.getByRole('alert').filter({ hasText: 'The gateway would refuse this file' });
    await reasons.getByText('The address "nowhere" is invalid.').waitFor();
    await reasons.getByText('The address "nowhere either" is invalid.').waitFor();
    expect(await page.getByRole('button', { name: 'Replace the configuration' }).isDisabled()).to.equal(true);
  });

  it('is kept in snapshots, to which one goes back after it was said what that changes', async () => {
    const { page } = await exported();
    const snapshots = page.getByRole('table', { name: 'Snapshots' });
    await page.getByRole('button', { name: 'Make a snapshot' }).click();
    await page.getByText('A snapshot is made.').waitFor();
    const made = snapshots.getByRole('row').filter({ hasText: 'made by hand' });
    await made.waitFor();
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'later', interval: 1000 });
    await plant.client.ok('PUT', '/group', { node: 'boiler', group: 'few', interval: 700 });

    await made.getByRole('button', { name: 'Restore the snapshot' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Adds 0, changes 1, removes 1.').waitFor();
    const list = dialog.getByRole('table', { name: 'What it changes' });
    await list.getByRole('row').filter({ hasText: 'boiler · few' }).filter({ hasText: 'interval' }).waitFor();
    await list
      .getByRole('row')
      .filter({ hasText: 'removed' })
      .filter({ hasText: 'boiler · later' })
      .waitFor();
    await dialog.getByText('Users, passwords, tokens and the license stay as they are.').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    // Somebody else is faster: nothing happens, and a new plan is shown.
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'latest', interval: 1000 });
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await dialog.getByText('Somebody else has made changes since the plan was made').waitFor();
    await dialog.getByText('Adds 0, changes 1, removes 2.').waitFor();
    await dialog.getByRole('button', { name: 'Restore', exact: true }).click();
    await page.getByText('The configuration is as it was at').waitFor();
    expect(await groupsOf()).to.deep.equal([{ name: 'few', interval: 5000, tag_count: 1 }]);
    await snapshots.getByRole('row').filter({ hasText: 'a restore' }).waitFor();
  });

  it('can be looked at on a phone', async () => {
    const page = await open('#/transfer', { size: sizes.phone });
    await choose(page, JSON.stringify(await plant.client.ok('GET', '/global/config')));
    await page.getByText('The file is what the gateway has already.').waitFor();
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'more', interval: 1000 });
    const config = await plant.client.ok<Config>('GET', '/global/config');
    config.groups.splice(1, 1);
    config.tags.splice(1, 1);
    await choose(page, JSON.stringify(config));
    await page.getByText('Adds 0, changes 0, removes 1.').waitFor();
    expect(await overhang(page)).to.equal(0);
  });

  it('that is none is refused in words', async () => {
    const { page } = await exported();
    await choose(page, '{"nodes":[]}');
    await page.getByText('The file holds no configuration.').waitFor();
  });
});
