import { expect } from 'chai';
import { axeFindings, describePage, overhang, sizes } from '../kit/browser.ts';
import { addModbus, registerTags } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

describePage('the search over everything', function () {
  this.timeout(120_000);
  const { plant, chromium, open } = usePage();
  before(async () => {
    const tags = registerTags(40).map((tag, index) => (index === 7 ? { ...tag, name: 'drum level' } : tag));
    await addModbus(plant.client, 'boiler', { port: plant.device.port, tags });
  });

  it('opens by Ctrl+K, shows a tag with its value, and leads to it by Enter', async () => {
    await plant.device.setRegisters(7, [148]);
    const page = await open();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search nodes, tags, pages, actions' }).fill('level drum');
    const tag = page.getByRole('option', { name: /^drum level/ });
    await tag.getByText('148', { exact: true }).waitFor();
    await page.getByText('1 of 40 tags').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Live values' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'drum level' }).getByText('148', { exact: true }).waitFor();
    expect(await page.getByRole('row').count()).to.equal(2);
  });

  it('finds nodes, pages and actions by the keys alone, and fits a phone', async () => {
    const page = await open('#/about', { size: sizes.phone });
    await page.getByRole('button', { name: 'Search nodes, tags, pages, actions' }).click();
    const field = page.getByRole('combobox', { name: 'Search nodes, tags, pages, actions' });
    await field.fill('driver');
    await page.getByRole('option', { name: 'Add a driver' }).waitFor();
    expect(await overhang(page)).to.be.at.most(0);
    await field.fill('boil');
    await page
      .getByRole('option', { name: /^boiler/ })
      .first()
      .waitFor();
    await field.fill('nothing has these words');
    await page.getByText('Nothing has all of these words.').waitFor();
    await field.fill('audit');
    await page.getByRole('option', { name: 'Audit' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Audit' }).waitFor();
  });

  it('begins with what was looked at and searched for last, also after a reload, for this user alone', async () => {
    const page = await open('#/nodes/boiler');
    await page.getByRole('heading', { name: 'boiler' }).waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: 'Search nodes, tags, pages, actions' });
    await field.fill('drum');
    await page.getByRole('option', { name: /^drum level/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'drum level' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Live values' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByText('Looked at last').waitFor();
    const options = page.getByRole('option');
    expect(await options.nth(0).innerText()).to.match(/^group\s*boiler$/);
    expect(await options.nth(1).innerText()).to.equal('boiler');
    await options.filter({ hasText: /^drum$/ }).click();
    await page.getByRole('option', { name: /^drum level/ }).waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.keyboard.press('Escape');
    // The place of live values leads back to the groups, as long as none is picked.
    await page.goto(`${plant.gateway.url}/#/live`);
    await page.getByRole('main').getByRole('link', { name: 'boiler · group' }).click();
    await page.getByRole('row').filter({ hasText: 'drum level' }).waitFor();

    await plant.client.ok('POST', '/users', { name: 'other', password: 'secret', role: 'viewer' });
    await page.getByRole('button', { name: 'admin' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.getByRole('textbox', { name: 'User' }).fill('other');
    await page.locator('input[name=password]').fill('secret');
    await page.keyboard.press('Enter');
    await page.goto(`${plant.gateway.url}/#/about`);
    await page.getByRole('heading', { name: 'About' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    expect(await page.getByText('Searched for last').count()).to.equal(0);
  });

  it('names the gateway and warns of the first password after a login with it', async () => {
    const page = await chromium.open(plant.gateway);
    await page.getByRole('textbox', { name: 'User' }).fill('admin');
    await page.locator('input[name=password]').fill('0000');
    await page.keyboard.press('Enter');
    await page.getByText('Your password is the one that every new gateway has.').waitFor();
    await page.getByRole('link', { name: 'Change the password' }).click();
    await page.getByLabel('Present password').waitFor();
  });
});
