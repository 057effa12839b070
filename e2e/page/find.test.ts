import { generateKeyPairSync, hash, sign } from 'node:crypto';
import type { PluginsReply, RegistriesReply } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage, overhang, sizes } from '../kit/browser.ts';
import { packageOf, sha512 } from '../kit/packages.ts';
import { until } from '../kit/until.ts';
import { Attester } from '../world/attestations.ts';
import { LyingRegistry, sendJson } from '../world/lying-registry.ts';
import { usePage } from './fixture.ts';

/** A readme that tries everything that a page might follow. */
const readme = `# Flow meter

It reads **flow meters**. \u202egnihton\u202c \u001b[31mred\u001b[0m

<img src=x onerror="console.error('ran')"><script>console.error('ran')</script>

![a picture](https://pictures.example/track.png)
[a page](https://acme.example/flow) [a script](javascript:console.error('ran')) [a mail](mailto:a@acme.example) [a file](./other.md)

| Register | Meaning |
| -------- | ------- |
| 1        | flow    |

\`\`\`
let it = 'be code';
\`\`\`
`;
const changes = '# Changes\n\n## 1.1.0\n\n- Reads *faster*.\n';
const more = [{ path: 'package/CHANGELOG.md', content: changes }];

const flow = '@acme/tagway-flow';

describePage('plugins by name', function () {
  this.timeout(120_000);
  const { plant, open } = usePage();
  let registry: LyingRegistry;
  let attester: Attester;
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  before(async () => {
    registry = await LyingRegistry.start();
    attester = await Attester.start();
    const author = { name: 'ACME \u202eInstruments' };
    const said = {
      packageJson: { author, license: 'MIT' },
      tagway: { uses: ['network', 'serial'] },
      readme,
      more,
    };
    registry.add(packageOf(flow, 'flow', { ...said, version: '1.0.0' }));
    registry.add(packageOf(flow, 'flow', { ...said, version: '1.1.0' }));
    registry.add(packageOf('tagway-later', 'later', { manifest: { sdk: '^99.0.0' } }));
    const like = packageOf('@acme/tagway-f1ow', 'f1ow');
    const der = publicKey.export({ type: 'spki', format: 'der' });
    const keyid = `SHA256:${hash('sha256', der, 'base64').replace(/=+$/, '')}`;
    const text = `${like.name}@${like.version}:${sha512(like.archive)}`;
    registry.add(like, {
      dist: {
        signatures: [{ keyid, sig: sign('sha256', Buffer.from(text), privateKey).toString('base64') }],
        attestations: { url: `${registry.url}-/attestations`, provenance: { predicateType: 'x' } },
      },
    });
    const attestations = await attester.of(like);
    registry.answers.set(`/-/npm/v1/attestations/${like.name}@`, (_request, response) =>
      sendJson(response, attestations),
    );
    for (let number = 0; number < 60; number += 1)
      registry.add(packageOf(`tagway-many-${number}`, `many-${number}`));
    await useRegistry(registry.url);
  });
  after(() => registry[Symbol.asyncDispose]());

  async function useRegistry(url: string): Promise<void> {
    const keys = [publicKey.export({ type: 'spki', format: 'pem' })];
    const registries = [{ url, search: true, keys, trust_root: attester.root }];
    await plant.client.ok('PUT', '/directory/registries', { registries });
  }

  async function search(page: Page, words: string): Promise<void> {
    await page.getByRole('searchbox', { name: /^Words/ }).fill(words);
    await page.getByRole('button', { name: 'Search', exact: true }).click();
  }

  const row = (page: Page, name: string): ReturnType<Page['getByRole']> =>
    page.getByRole('region', { name: 'Find plugins' }).getByRole('row').filter({ hasText: name });

  it('asks no registry until somebody searches, and shows what was found and whether it fits', async () => {
    const page = await open('#/plugins');
    await page.getByRole('link', { name: 'Find plugins' }).click();
    await page.getByRole('button', { name: 'Search', exact: true }).waitFor();
    expect(registry.requests).to.deep.equal([]);
    await search(page, 'acme');
    await page.getByText('2 found').waitFor();
    const found = await row(page, flow).innerText();
    for (const text of [
      'Reads the flow.',
      'Fits this gateway',
      'Driver',
      '1.1.0',
      'ACME Instruments',
      registry.url,
    ])
      expect(found).to.include(text);
    expect(found).to.match(/\b2026-01-02\b/);
    expect(found).to.include('Neither signed nor attested');
    const other = await row(page, '@acme/tagway-f1ow').innerText();
    expect(other).to.match(/Signed\s+Attested/i);
    await page.setViewportSize(sizes.phone);
    await until('the list fits a phone', async () => (await overhang(page)) <= 0, { within: 3000 });
  });

  it('shows a long list in pages, and why one of it does not fit', async () => {
    const page = await open('#/plugins/find');
    await search(page, 'tagway');
    await page.getByText('63 found').waitFor();
    expect(await row(page, 'tagway-later').innerText()).to.match(/\^99\.0\.0/);
    await page.getByText('Page 1 of 2').waitFor();
    await page.getByRole('button', { name: 'On', exact: true }).click();
    await page.getByText('Page 2 of 2').waitFor();
    await row(page, 'tagway-many-59').waitFor();
    await page.goBack();
    await page.getByText('Page 1 of 2').waitFor();
  });

  it('warns of a name that looks like another one', async () => {
    const page = await open('#/plugins/find?q=acme');
    await row(page, '@acme/tagway-f1ow').getByText('Looks like another').waitFor();
  });

  it('shows a readme as text that nothing of it can do anything, the settings and the changes', async () => {
    const page = await open('#/plugins/find?q=flow');
    await row(page, flow).getByRole('link').click();
    const text = page.getByRole('region', { name: 'Readme' });
    await text.getByRole('heading', { name: 'Flow meter' }).waitFor();
    const shown = await text.innerText();
    expect(shown).to.include('gnihton red');
    expect(shown).to.include(`<script>console.error('ran')</script>`);
    expect(shown).to.include('a picture');
    expect(shown).to.include(`let it = 'be code';`);
    expect(await text.locator('img, script, iframe, style').count()).to.equal(0);
    const links = text.getByRole('link');
    expect(await links.count()).to.equal(1);
    expect(await links.getAttribute('href')).to.equal('https://acme.example/flow');
    expect(await links.getAttribute('rel')).to.equal('noopener noreferrer nofollow');
    expect(await text.getByRole('cell', { name: 'flow' }).count()).to.equal(1);
    expect(await page.locator('main').innerText()).to.not.match(/[\u202a-\u202e]/);

    await page.getByText('network, serial').waitFor();
    await page.getByRole('tab', { name: 'Settings' }).click();
    const fields = page.getByRole('tabpanel').getByRole('textbox');
    expect(await fields.count()).to.be.greaterThan(0);
    expect(await fields.first().isEditable()).to.equal(false);
    await page.getByRole('tab', { name: 'Changes' }).click();
    await page.getByRole('region', { name: 'Changes' }).getByText('faster').waitFor();
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.setViewportSize(sizes.phone);
    await until('it fits a phone', async () => (await overhang(page)) <= 0, { within: 3000 });
  });

  it('does not offer, and does not fetch, a version that does not fit', async () => {
    const page = await open(`#/plugins/find/tagway-later`);
    const refusal = page.getByRole('alert').filter({ hasText: 'This version is not offered' });
    await refusal.waitFor();
    expect(await refusal.innerText()).to.match(/\^99\.0\.0/);
    expect(await page.getByRole('button', { name: /^Install/ }).count()).to.equal(0);
    expect(registry.wasAsked('/tagway-later/-/')).to.equal(false);
  });

  it('installs a version, shows that another one is there, and updates to it', async () => {
    const page = await open(`#/plugins/find/${encodeURIComponent(flow)}?version=1.0.0`);
    await page.getByRole('button', { name: 'Install 1.0.0' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /1\.0\.0/ })
      .waitFor();
    await page.getByRole('button', { name: '1.0.0 is installed' }).waitFor();
    await page.goto(`${plant.gateway.url}/#/plugins`);
    // The list has rows in sight alone.
    await page.setViewportSize({ width: 1280, height: 2400 });
    const own = page.getByRole('row').filter({ hasText: flow });
    await own.waitFor();
    await page.getByRole('button', { name: 'Look for updates' }).click();
    await own.getByRole('link', { name: '1.1.0 is there' }).click();
    await page.getByRole('button', { name: 'Update to 1.1.0' }).click();
    await page.getByRole('button', { name: '1.1.0 is installed' }).waitFor();
    await plant.gateway.restart();
    await plant.renew();
    const { plugins } = await plant.client.ok<PluginsReply>('GET', '/plugin');
    const installed = plugins.find(({ name }) => name === 'flow');
    expect(installed).to.deep.include({ version: '1.1.0' });
    expect(installed?.origin).to.include({ package: flow, version: '1.1.0' });
  });

  it('shows what was verified of a version, and asks before a name like that of an installed plugin is installed', async () => {
    const page = await open(`#/plugins/find/${encodeURIComponent('@acme/tagway-f1ow')}`);
    await page.getByText('Sources, as it was verified').waitFor();
    await page.getByText('It was built from the sources at https://code.example/acme/meter').waitFor();
    const button = page.getByRole('button', { name: 'Install 1.0.0' });
    expect(await button.isDisabled()).to.equal(true);
    const box = page.getByRole('note').filter({ hasText: 'can be taken for' }).getByRole('checkbox');
    await box.check();
    await until('it can be installed', () => button.isEnabled());
    expect(await axeFindings(page)).to.deep.equal([]);
  });

  it('asks before a package takes the place of a plugin from elsewhere', async () => {
    registry.add(packageOf('tagway-foreign', 'flow', { version: '2.0.0' }));
    const page = await open('#/plugins/find/tagway-foreign');
    const button = page.getByRole('button', { name: 'Install 2.0.0' });
    await button.waitFor();
    expect(await button.isDisabled()).to.equal(true);
    const boxes = page.getByRole('note').getByRole('checkbox');
    for (const box of await boxes.all()) await box.check();
    await button.click();
    await page.getByRole('button', { name: '2.0.0 is installed' }).waitFor();
  });

  it('sets registries with credentials that are written and never shown', async () => {
    const page = await open('#/plugins');
    await page.getByRole('link', { name: 'Registries' }).click();
    await page.getByRole('button', { name: 'Add a registry' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Scope' }).fill('@factory');
    await dialog.getByRole('textbox', { name: 'Address' }).fill('http://127.0.0.1:9/npm/');
    await dialog.getByRole('combobox', { name: 'Login' }).click();
    await page.getByRole('option', { name: 'Token' }).click();
    await dialog.getByLabel('Token', { exact: true }).last().fill('secret-of-the-factory');
    await dialog.getByRole('textbox', { name: 'Other origins' }).fill('https://files.example:8443/path');
    await dialog.getByRole('checkbox', { name: /Refuse packages without an attestation/ }).check();
    expect(await axeFindings(page)).to.deep.equal([]);
    await dialog.getByRole('button', { name: 'Save' }).click();
    // What is wrong is said, and nothing that was typed is lost.
    await dialog.getByText(/is no origin/).waitFor();
    await dialog.getByRole('textbox', { name: 'Other origins' }).fill('https://files.example:8443');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const own = page
      .getByRole('region', { name: 'Set here' })
      .getByRole('row')
      .filter({ hasText: '@factory' });
    await own.waitFor();

    await own.getByRole('button', { name: /^Change/ }).click();
    await dialog.getByRole('checkbox', { name: /Words that are searched for/ }).check();
    expect(await dialog.getByLabel('Token', { exact: true }).last().inputValue()).to.equal('********');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Look for newer versions' }).click();
    await page.getByRole('option', { name: 'Once a week' }).click();
    await page.getByText('The registries are stored.').waitFor();
    await plant.gateway.restart();
    await plant.renew();
    const stored = await plant.client.ok<RegistriesReply>('GET', '/directory/registries');
    expect(stored.look_every).to.equal(168);
    expect(stored.registries[1]).to.deep.equal({
      scope: '@factory',
      url: 'http://127.0.0.1:9/npm/',
      search: true,
      token: '********',
      origins: ['https://files.example:8443'],
      require_attestation: true,
    });
    const again = await open('#/plugins/registries');
    const row = again
      .getByRole('region', { name: 'Set here' })
      .getByRole('row')
      .filter({ hasText: '@factory' });
    await row.getByRole('button', { name: /^Remove/ }).click();
    await again.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    expect(await axeFindings(again)).to.deep.equal([]);
    await again.setViewportSize(sizes.phone);
    await until('the registries fit a phone', async () => (await overhang(again)) <= 0, { within: 3000 });
  });

  it('says what helps where there is no network', async () => {
    await useRegistry('http://127.0.0.1:9/');
    const page = await open('#/plugins/find?q=flow');
    const way = page.getByRole('link', { name: 'How that is done' });
    const { status } = await fetch(new URL((await way.getAttribute('href')) ?? '', page.url()));
    expect(status, 'the guide').to.equal(200);
    expect(await axeFindings(page)).to.deep.equal([]);
    const chinese = await open('#/plugins/find?q=flow', { language: 'zh', scheme: 'dark' });
    await chinese.getByText('这里没有网络？').waitFor();
    expect(await axeFindings(chinese)).to.deep.equal([]);
  });
});
