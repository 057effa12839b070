import type { SignInSettings } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage, overhang, sizes } from '../kit/browser.ts';
import { freePort } from '../kit/free-port.ts';
import { until } from '../kit/until.ts';
import { OidcPeer } from '../world/oidc-provider.ts';
import { usePage } from './fixture.ts';

describePage('the page, with a provider of the sign-in', function () {
  this.timeout(120_000);
  const { plant, chromium, open } = usePage();
  let provider: OidcPeer;
  let oidc: NonNullable<SignInSettings['oidc']>;

  before(async () => {
    // It gets the same address after its next start.
    await plant.gateway.stop();
    await plant.gateway.start(['--port', String(await freePort())]);
    provider = await OidcPeer.start();
    const page = `${plant.gateway.url}/`;
    await provider.set({ pages: [page] });
    oidc = {
      issuer: provider.issuer,
      label: 'the plant',
      client_id: 'tagway',
      role_claim: 'groups',
      roles: [
        { value: 'plant-engineers', role: 'engineer' },
        { value: 'plant-watchers', role: 'viewer' },
      ],
      pages: [page],
    };
  });
  after(() => provider?.stop());

  /** Signs in at the provider's own pages: a name, and then that the gateway may know it. */
  async function signInAt(page: Page, person: string): Promise<void> {
    await page.locator('input[name=login]').fill(person);
    await page.locator('input[name=password]').fill('any');
    await page.locator('button[type=submit]').click();
    await page.locator('input[value=consent]').waitFor({ state: 'attached' });
    await page.locator('button[type=submit]').click();
  }

  it('has a form for admins, which tries the settings before it stores them', async () => {
    const page = await open('#/sign-in');
    const form = page.getByRole('region', { name: 'Provider (OpenID Connect)' });
    await form.getByLabel('Issuer').fill(oidc.issuer);
    await form.getByLabel('What the button says').fill('the plant');
    await form.getByRole('textbox', { name: /^Client ID/ }).fill('tagway');
    await form.getByLabel('Addresses of this page').fill(oidc.pages!.join('\n'));
    await form.getByLabel('Claim with the roles').fill('groups');
    for (const [place, { value, role }] of oidc.roles.entries()) {
      await form.getByRole('button', { name: 'Add a role' }).click();
      await form.getByRole('textbox', { name: `Group or value ${place + 1}` }).fill(value);
      await form.getByRole('combobox', { name: `Role ${place + 1}`, exact: true }).click();
      await page.getByRole('option', { name: role, exact: true }).click();
    }
    await form.getByRole('button', { name: 'Test', exact: true }).click();
    await form.getByText('The provider has 1 key.').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The sign-in is stored.').waitFor();
    expect(await plant.client.ok('GET', '/sign-in/settings')).to.deep.equal({ oidc });
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.setViewportSize(sizes.phone);
    await until('it fits a phone', async () => (await overhang(page)) <= 0);
  });

  it('leads to the provider and back to the same place, and out again at both', async () => {
    await plant.client.ok('PUT', '/sign-in/settings', { oidc });
    const page = await chromium.open(plant.gateway, '#/logs');
    await page.getByRole('button', { name: 'Log in with the plant' }).click();
    await signInAt(page, 'olga');
    await page.getByRole('heading', { name: 'Log', exact: false }).first().waitFor();
    expect(page.url()).to.equal(`${plant.gateway.url}/#/logs`);
    // Her password is of the provider.
    await page.goto(`${plant.gateway.url}/#/users`);
    await page.getByText('which keeps your password').waitFor();
    expect(await page.getByRole('button', { name: 'Change the password' }).count()).to.equal(0);
    await page.getByRole('button', { name: 'olga' }).click();
    await page.getByRole('menuitem', { name: 'Log out' }).click();
    await page.waitForURL(`${provider.issuer}/session/end**`);
    await page.getByRole('button', { name: /sign me out/i }).click();
    await page.getByRole('button', { name: 'Log in with the plant' }).waitFor();
    expect(new URL(page.url()).origin).to.equal(plant.gateway.url);
    // The provider asks who it is: its session has ended too.
    await page.getByRole('button', { name: 'Log in with the plant' }).click();
    await page.locator('input[name=login]').waitFor();
  });

  it('takes nothing that did not begin in this tab, and goes nowhere else', async () => {
    await plant.client.ok('PUT', '/sign-in/settings', { oidc });
    const begun = await plant.gateway
      .anonymous()
      .ok<{ url: string }>('POST', '/sign-in/begin', { page: `${plant.gateway.url}/` });
    const back = await provider.signIn(begun.url, 'olga');
    const page = await chromium.open(plant.gateway, `${back.search}#//evil.example`);
    await page.getByText('The sign-in did not begin in this browser', { exact: false }).waitFor();
    expect(page.url()).to.match(new RegExp(`^${plant.gateway.url}/(#|$)`));
    await page.getByRole('textbox', { name: 'User', exact: true }).waitFor();
  });

  it('says why somebody without a role is refused', async () => {
    await plant.client.ok('PUT', '/sign-in/settings', { oidc });
    await plant.gateway.stop();
    await plant.gateway.start(['--port', new URL(`${oidc.pages![0]}`).port]);
    const page = await chromium.open(plant.gateway);
    await page.getByRole('button', { name: 'Log in with the plant' }).click();
    await signInAt(page, 'oskar');
    await page.getByText('The provider knows the user "oskar"', { exact: false }).waitFor();
    await page.getByRole('textbox', { name: 'User', exact: true }).fill('admin');
  });
});
