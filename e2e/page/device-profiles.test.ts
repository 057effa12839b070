import type { NodesReply, ProfilesReply } from '@tagway/schemas';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { axeFindings, describePage, overhang, sizes } from '../kit/browser.ts';
import { packageOf } from '../kit/packages.ts';
import { installProfile, meterProfile, onePixel, profileArchive, profilePackage } from '../kit/profiles.ts';
import { until } from '../kit/until.ts';
import { words } from '../world/devices.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { RegisterDevice } from '../world/register-device.ts';
import { usePage } from './fixture.ts';

/** Clicks and fields that a driver of a known device may take. */
const most = 8;

/** What somebody does at a page, counted. */
class Counted {
  count = 0;

  async click(where: Locator): Promise<void> {
    this.count += 1;
    await where.click();
  }

  async fill(where: Locator, text: string): Promise<void> {
    this.count += 1;
    await where.fill(text);
  }
}

const marker = [0x5375, 0x6e53];
/** Maker, model, options, version, serial number and unit of a SunSpec device, all of them of one letter. */
const common = [1, 66, ...Array.from({ length: 64 }, () => 0x4141), 7, 0xffff];
/** The frame of a model that no profile knows. */
const unknown = [64001, 2, 1, 2];

describePage('a driver of a device that is known', function () {
  this.timeout(120_000);
  const { plant, open, tagsOf } = usePage();
  let device: RegisterDevice;
  let registry: LyingRegistry;

  before(async () => {
    device = await RegisterDevice.start();
    registry = await LyingRegistry.start();
    await plant.client.ok('PUT', '/directory/registries', {
      registries: [{ url: registry.url, search: true }],
    });
  });
  beforeEach(() => {
    device.holding.clear();
    device.set(device.holding, 0, [2305, 0xff38, 0x0001, 0x0002, 0x0000, 0x01f4, 7, 8]);
    device.set(
      device.input,
      0,
      Array.from({ length: 500 }, () => 0),
    );
    device.set(device.input, 0, words('Float', 230.5));
  });
  after(async () => {
    await device[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });

  const box = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
  const search = (page: Page): Locator => page.getByRole('searchbox', { name: 'Device, maker or protocol' });
  const row = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
  const test = (page: Page): Locator => page.getByRole('button', { name: 'Test and show values' });
  const add = (page: Page): Locator => page.getByRole('button', { name: 'Add the driver', exact: true });
  const drivers = async (): Promise<string[]> =>
    (await plant.client.ok<NodesReply>('GET', '/node', { type: 1 })).nodes.map(({ name }) => name);

  it(`comes to live values in at most ${most} clicks and fields, and nothing is saved before its values are shown`, async () => {
    const page = await open('#/drivers');
    const user = new Counted();
    await user.click(page.getByRole('main').getByRole('link', { name: 'Add a driver' }).first());
    await page.getByRole('heading', { name: 'What device is it?' }).waitFor();
    await user.fill(search(page), 'eastron sdm120');
    await user.click(row(page, 'SDM120').getByRole('link'));
    await page.getByText('Not tried with a device').waitFor();
    user.count += 1;
    await page.getByRole('combobox', { name: 'Plugin' }).selectOption('Modbus TCP');
    await user.fill(box(page, 'IP address'), '127.0.0.1');
    await user.fill(box(page, 'Port'), String(device.port));
    await user.click(test(page));
    const values = page.getByRole('table', { name: 'Value' });
    await values.getByRole('row', { name: /^voltage 230\.5 V/ }).waitFor();
    expect(await drivers(), 'nothing is saved yet').to.deep.equal([]);
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.setViewportSize(sizes.phone);
    await until('the values fit a phone', async () => (await overhang(page)) <= 0, { within: 3000 });
    await page.setViewportSize(sizes.desk);
    await user.click(add(page));
    await page.waitForURL(/#\/live\?g=/);
    await page
      .getByRole('row')
      .filter({ hasText: 'voltage' })
      .getByText(/^230\.5/)
      .waitFor();
    expect(user.count).to.be.at.most(most);
    expect(await drivers()).to.deep.equal(['eastron-sdm120']);
    await page.goto(`${plant.gateway.url}/#/nodes/eastron-sdm120/profile`);
    await page.getByText('It is the version that is installed.').waitFor();
  });

  it('is tested before it is saved: another address makes the test stale, and one that fails says why', async () => {
    await installProfile(plant.client, meterProfile());
    const page = await open('#/drivers/add?profile=acme-meter');
    await box(page, 'IP address').fill('127.0.0.1');
    await box(page, 'Port').fill('1');
    expect(await add(page).isDisabled()).to.equal(true);
    await test(page).click();
    await page.getByRole('status', { name: 'Steps of the connection test' }).getByRole('alert').waitFor();
    await page.getByRole('button', { name: 'Add the driver all the same' }).waitFor();
    await box(page, 'Port').fill(String(device.port));
    await page.getByText('Something was changed since: test again.').waitFor();
    expect(await add(page).isDisabled()).to.equal(true);
    await test(page).click();
    await page
      .getByRole('table', { name: 'Value' })
      .getByRole('row', { name: /^current -2 A/ })
      .waitFor();
    await box(page, 'Name').fill('meter');
    await add(page).click();
    await page.getByText('meter is added.').waitFor();
    expect((await tagsOf('fast', 'meter')).map(({ name }) => name)).to.deep.equal([
      'voltage',
      'current',
      'power',
    ]);
  });

  it('is updated by its profile: what people have changed is kept and shown, conflicts are asked, and all is taken back', async () => {
    const changed = { attribute: 1, type: 4, decimal: 0.5, unit: 'V', description: 'of mine' };
    await plant.client.ok('PUT', '/tags', {
      node: 'meter',
      group: 'fast',
      tags: [{ name: 'voltage', address: '1!400001', ...changed }],
    });
    const next = meterProfile({ version: '2.0.0' });
    const [fast] = next.groups;
    const [voltage, current] = fast!.tags;
    fast!.tags = [
      { ...voltage!, decimal: 1 },
      { ...current!, unit: 'mA' },
      { name: 'frequency', address: '{unit}!400007', type: 'UINT16', unit: 'Hz' },
    ];
    await installProfile(plant.client, next);
    const before = await tagsOf('fast', 'meter');
    const page = await open('#/nodes/meter/profile');
    await page.getByRole('button', { name: 'Compare with version 2.0.0' }).click();
    await page
      .getByText(
        'From version 1.0.0 to 2.0.0: 1 new, 1 changed, 1 kept as people have made them, 2 to decide.',
      )
      .waitFor();
    const apply = page.getByRole('button', { name: 'Update the node' });
    expect(await apply.isDisabled()).to.equal(true);
    expect(await row(page, 'kept').innerText()).to.match(/description\s+–\s+of mine/);
    const conflict = row(page, 'both changed');
    expect(await conflict.innerText()).to.match(/decimal\s+0\.1\s+0\.5\s+1/);
    expect(await axeFindings(page)).to.deep.equal([]);
    await conflict.getByText('Keep', { exact: true }).click();
    await page.getByText('One decision is missing.').waitFor();
    await row(page, 'gone').getByText('Delete', { exact: true }).click();
    await page.setViewportSize(sizes.phone);
    await until('the differences fit a phone', async () => (await overhang(page)) <= 0, { within: 3000 });
    await page.setViewportSize(sizes.desk);
    await apply.click();
    await page.getByText('The node meter is updated.').waitFor();
    const after = await tagsOf('fast', 'meter');
    expect(after.map(({ name, decimal, unit }) => [name, decimal, unit])).to.deep.equal([
      ['voltage', 0.5, 'V'],
      ['current', 0.01, 'mA'],
      ['frequency', 0, 'Hz'],
    ]);
    await page.getByRole('button', { name: 'Take it back' }).click();
    await page.getByText('The configuration is as it was before the update.').waitFor();
    expect(await tagsOf('fast', 'meter')).to.deep.equal(before);
    await page.getByRole('button', { name: 'Compare with version 2.0.0' }).waitFor();
  });

  it('that says itself what it has is shown as a plan, and looked at again', async () => {
    const place = (...models: readonly (readonly number[])[]): void =>
      device.set(device.holding, 40000, [...marker, ...models.flat(), 0xffff, 0]);
    device.holding.clear();
    place(common, unknown);
    const page = await open('#/drivers/add?profile=sunspec');
    await box(page, 'IP address').fill('127.0.0.1');
    await box(page, 'Port').fill(String(device.port));
    await test(page).click();
    await page.getByText(/^common \(1\) · 6 tags$/i).waitFor();
    await page.getByText('The model 64001 at register 40070 is not one that the profile knows').waitFor();
    await add(page).click();
    await page.waitForURL(/#\/live\?g=/);
    await page.goto(`${plant.gateway.url}/#/nodes/sunspec/profile`);
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText('Nothing differs').first().waitFor();
    place(common, common, unknown);
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByText('From version').waitFor();
    expect(await row(page, 'common (1) 2 / Mn').innerText()).to.match(/^new/i);
    const { groups } = await plant.client.ok<{ groups: object[] }>('GET', '/group', { node: 'sunspec' });
    expect(groups, 'it is a plan').to.have.length(1);
  });

  it(`that a registry has comes to live values in at most ${most} clicks and fields from the question on`, async () => {
    registry.add(
      profilePackage(meterProfile({ id: 'flow-meter', name: 'Flow meter' }), '@acme/profile-flow'),
    );
    const page = await open('#/drivers/add');
    const user = new Counted();
    const before = registry.requests.length;
    await user.fill(search(page), 'flow');
    await page.getByText('Nothing here has all of these words.').waitFor();
    expect(registry.requests, 'nobody is asked while somebody types').to.have.length(before);
    await user.click(page.getByRole('button', { name: 'Ask the registries' }));
    await user.click(row(page, '@acme/profile-flow').getByRole('link'));
    await user.click(page.getByRole('button', { name: 'Install the profile 1.0.0' }));
    await user.fill(box(page, 'IP address'), '127.0.0.1');
    await user.fill(box(page, 'Port'), String(device.port));
    await user.click(test(page));
    await page
      .getByRole('table', { name: 'Value' })
      .getByRole('row', { name: /^voltage/ })
      .waitFor();
    await user.click(add(page));
    await page.waitForURL(/#\/live\?g=/);
    await page
      .getByRole('row')
      .filter({ hasText: 'voltage' })
      .getByText(/^230\.5/)
      .waitFor();
    expect(user.count).to.be.at.most(most);
  });

  it('whose plugin is missing offers it, and the plugin is confirmed by itself', async () => {
    registry.add(packageOf('@acme/tagway-scale', 'scale'));
    await installProfile(
      plant.client,
      meterProfile({ id: 'acme-scale', name: 'Acme scale', plugins: [{ id: 'scale' }] }),
    );
    const page = await open('#/drivers/add');
    await search(page).fill('acme scale');
    await row(page, 'Acme scale').getByText('scale is missing').waitFor();
    await row(page, 'Acme scale').getByRole('link').click();
    await page.getByText('The plugin for it is not installed').waitFor();
    await page.getByRole('button', { name: 'Look for it in the registries' }).click();
    await page.getByRole('link', { name: '@acme/tagway-scale' }).waitFor();
    const { plugins } = await plant.client.ok<{ plugins: { name: string }[] }>('GET', '/plugin');
    expect(plugins.map(({ name }) => name)).to.not.include('scale');
    await page.getByRole('button', { name: /^Install/ }).click();
    await test(page).waitFor();
    await page.getByText('The plugin for it is not installed').waitFor({ state: 'detached' });
  });

  it('is in a list with versions and sources; a later one is offered and installed, and others are removed', async () => {
    registry.add(
      profilePackage(
        meterProfile({ id: 'flow-meter', name: 'Flow meter', version: '1.1.0', picture: 'flow.png' }),
        '@acme/profile-flow',
        { 'flow.png': onePixel },
      ),
    );
    const page = await open('#/profiles');
    await row(page, 'Eastron SDM120').getByText('comes with the gateway').waitFor();
    expect(await page.getByRole('button', { name: /^Remove Eastron/ }).count()).to.equal(0);
    await page.getByRole('button', { name: 'Look for newer versions' }).click();
    await row(page, 'Flow meter').getByRole('link', { name: '1.1.0 is available' }).click();
    await page.getByRole('button', { name: 'Update to 1.1.0' }).click();
    const picture = page.getByRole('img', { name: 'Picture of Flow meter' });
    await picture.waitFor();
    const size = await picture.boundingBox();
    expect(size?.width).to.be.at.most(130);
    expect(size?.height).to.be.at.most(130);
    await page.getByRole('link', { name: 'flow-meter', exact: true }).waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.goto(`${plant.gateway.url}/#/profiles`);
    await page.locator('input[type=file]').setInputFiles({
      name: 'own.tgz',
      mimeType: '',
      buffer: profileArchive(meterProfile({ id: 'own-meter', name: 'Own meter' })),
    });
    await row(page, 'Own meter').getByText('from a file').waitFor();
    await page.getByRole('button', { name: 'Remove Own meter' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove Own meter' }).click();
    await page.getByText('The profile Own meter is removed.', { exact: true }).waitFor();
    const { profiles } = await plant.client.ok<ProfilesReply>('GET', '/profile');
    expect(profiles.map(({ id }) => id)).to.not.include('own-meter');
    await plant.gateway.restart();
    await plant.renew();
    const again = await open('#/profiles');
    await row(again, 'Flow meter').getByText('1.1.0').waitFor();
  });
});
