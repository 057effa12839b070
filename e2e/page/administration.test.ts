import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import { describePage } from '../kit/browser.ts';
import { Client } from '../kit/client.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

const mimeType = 'application/gzip';

describePage('administration in the page', function () {
  const { plant, open } = usePage();

  it('adds a user, gives another role and another password, and deletes the user', async () => {
    const page = await open('#/users');
    await page.getByRole('textbox', { name: 'Name', exact: true }).first().fill('watcher');
    await page.locator('input[autocomplete=new-password]').last().fill('secret');
    await page.getByRole('button', { name: 'Add a user' }).click();
    await page.getByText('The user watcher is added.').waitFor();
    await page.getByRole('combobox', { name: 'Role of watcher' }).click();
    await page.getByRole('option', { name: 'operator' }).click();
    await page.getByText('watcher is now operator.').waitFor();
    await plant.gateway.anonymous().login('watcher', 'secret');
    await page.getByRole('button', { name: 'New password for watcher' }).click();
    const dialog = page.getByRole('dialog');
    const save = dialog.getByRole('button', { name: 'Save' });
    const next = dialog.locator('input[autocomplete=new-password]');
    await next.fill('abc');
    expect(await save.isDisabled(), 'it is too short').to.equal(true);
    await next.fill('another');
    await save.click();
    await page.getByText('The user watcher has a new password.').waitFor();
    await plant.gateway.anonymous().login('watcher', 'another');
    await page.getByRole('button', { name: 'Delete watcher' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The user watcher is deleted.').waitFor();
    const { users } = await plant.client.ok<{ users: { name: string }[] }>('GET', '/users');
    expect(users.map(({ name }) => name)).to.deep.equal(['admin']);
  });

  it('makes a token, shows it once, and revokes it', async () => {
    const page = await open('#/users');
    await page.getByRole('textbox', { name: 'Name', exact: true }).last().fill('historian');
    await page.getByRole('button', { name: 'Make a token' }).click();
    const token = await page.locator('main pre').innerText();
    const machine = new Client(plant.gateway.url);
    machine.token = token;
    await machine.ok('GET', '/node/state');
    await page.reload();
    await page.getByRole('button', { name: 'Revoke historian' }).waitFor();
    expect(await page.locator('main pre').count()).to.equal(0);
    await page.getByRole('button', { name: 'Revoke historian' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('The token historian is revoked.').waitFor();
    expect((await machine.call('GET', '/node/state')).status).to.be.within(401, 403);
    machine.close();
  });

  it('says in full why a plugin is refused, installs a good one, upgrades and removes it', async () => {
    const page = await open('#/plugins');
    const guide = await page.getByRole('link', { name: 'How to write a plugin' }).getAttribute('href');
    const { status } = await fetch(new URL(guide ?? '', page.url()));
    expect(status, 'the guide').to.equal(200);
    const file = page.locator('input[type=file]');
    await file.setInputFiles({ name: 'bad-1.0.0.tgz', mimeType, buffer: Buffer.from('no archive') });
    const refusal = page.getByRole('alert').filter({ hasText: 'bad-1.0.0.tgz was not installed' });
    await refusal.waitFor();
    const { body } = await plant.client.call('POST', '/plugin', {
      library: 'bad-1.0.0.tgz',
      file: Buffer.from('no archive').toString('base64'),
    });
    expect(await refusal.innerText()).to.include(body.message ?? 'a reason');

    // The list has rows in sight alone.
    await page.setViewportSize({ width: 1280, height: 2400 });
    for (const version of ['1.0.0', '2.0.0']) {
      const name = `unruly-${version}.tgz`;
      await file.setInputFiles({ name, mimeType, buffer: libraryArchive('unruly', { version }) });
      await page.getByText(`${name} is installed.`).waitFor();
      await page.getByRole('row', { name: `unruly ${version}` }).waitFor();
    }
    await plant.client.ok('POST', '/node', { name: 'user of it', plugin: 'unruly' });
    await page.reload();
    await page.getByRole('row', { name: 'unruly 2.0.0' }).getByText('user of it').waitFor();
    await page.getByRole('button', { name: 'Remove unruly' }).click();
    await page.getByRole('dialog').getByRole('listitem').getByText('user of it').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await plant.client.ok('DELETE', '/node', { name: 'user of it' });
    await page.getByRole('button', { name: 'Remove unruly' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove unruly' }).click();
    await page.getByText('unruly is removed.').waitFor();
  });

  it('installs a signed plugin with the file of its signature, and replaces one of the same version when asked', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    await mkdir(join(plant.gateway.data, 'trusted'), { recursive: true });
    const key = publicKey.export({ type: 'spki', format: 'pem' });
    await writeFile(join(plant.gateway.data, 'trusted', 'vendor.pem'), key);
    const archive = libraryArchive('signed', { version: '1.0.0' });
    const signed = (content: Buffer): { name: string; mimeType: string; buffer: Buffer } => ({
      name: 'signed-1.0.0.tgz.sig',
      mimeType: 'text/plain',
      buffer: Buffer.from(`${sign(null, content, privateKey).toString('base64')}\n`),
    });
    const page = await open('#/plugins');
    const file = page.locator('input[type=file]');
    const tgz = { name: 'signed-1.0.0.tgz', mimeType, buffer: archive };
    await file.setInputFiles([tgz, signed(Buffer.from('something else'))]);
    await page.getByText('has a signature that is not by any of the keys').waitFor();
    await file.setInputFiles([signed(archive)]);
    await page.getByText('Drop it together with its .tgz file.').waitFor();
    await file.setInputFiles([tgz, signed(archive)]);
    await page.getByText('signed-1.0.0.tgz is installed, with its signature.').waitFor();

    await file.setInputFiles([tgz, signed(archive)]);
    await page.getByRole('alert').filter({ hasText: 'was not installed' }).waitFor();
    await page.getByRole('button', { name: 'Replace what is installed' }).click();
    await page.getByText('signed-1.0.0.tgz is installed, with its signature.').waitFor();
    await plant.client.ok('DELETE', '/plugin', { plugin: 'signed' });
  });

  it('changes no plugin that somebody else has changed since they were shown', async () => {
    const install = (version: string): Promise<unknown> =>
      plant.client.ok('POST', '/plugin', {
        library: `shared-${version}.tgz`,
        file: libraryArchive('shared', { version }).toString('base64'),
      });
    const versionNow = async (): Promise<string | undefined> =>
      (
        await plant.client.ok<{ plugins: { name: string; version: string }[] }>('GET', '/plugin')
      ).plugins.find(({ name }) => name === 'shared')?.version;
    await install('1.0.0');
    const page = await open('#/plugins');
    await page.setViewportSize({ width: 1280, height: 2400 });
    await page.getByRole('row', { name: 'shared 1.0.0' }).waitFor();
    await install('3.0.0');
    const name = 'shared-2.0.0.tgz';
    const buffer = libraryArchive('shared', { version: '2.0.0' });
    await page.locator('input[type=file]').setInputFiles({ name, mimeType, buffer });
    await page.getByText('Somebody else has changed the plugins').waitFor();
    await page.getByRole('row', { name: 'shared 3.0.0' }).waitFor();
    expect(await versionNow(), 'the newer one stays').to.equal('3.0.0');
    await page.getByRole('button', { name: 'Install it all the same' }).click();
    await page.getByText(`${name} is installed.`).waitFor();
    expect(await versionNow()).to.equal('2.0.0');

    await page.getByRole('button', { name: 'Remove shared' }).click();
    await install('4.0.0');
    await page.getByRole('dialog').getByRole('button', { name: 'Remove shared' }).click();
    await page.getByText('Somebody else has changed the plugins').waitFor();
    await page.getByRole('row', { name: 'shared 4.0.0' }).waitFor();
    expect(await versionNow(), 'it was not removed').to.equal('4.0.0');
    await plant.client.ok('DELETE', '/plugin', { plugin: 'shared' });
  });

  it('follows the log, and shows the lines of one node alone', async () => {
    await plant.client.ok('POST', '/node', { name: 'chatty', plugin: 'MQTT' });
    const page = await open('#/logs');
    const log = page.getByRole('log');
    await log.getByText('The gateway listens on').waitFor();
    await plant.client.ok('POST', '/node/setting', {
      node: 'chatty',
      params: { host: '127.0.0.1', port: 1, 'client-id': 'chatty' },
    });
    await log.getByText('There is no connection to the broker 127.0.0.1:1').waitFor();
    await page.goto(`${plant.gateway.url}/#/logs?node=chatty`);
    await log.getByText('There is no connection to the broker 127.0.0.1:1').waitFor();
    // The whole log stands there until the filter has taken effect.
    await until('the other lines are gone', async () => {
      return !(await log.innerText()).includes('The gateway listens on');
    });
  });

  it('finds in the audit who did what', async () => {
    const page = await open('#/audit');
    await page.getByRole('searchbox', { name: 'Text' }).fill('historian');
    const entries = page.getByRole('list', { name: 'Audit' });
    // The whole list stands there until the filter has taken effect.
    await until('the other entries are gone', async () => !(await entries.innerText()).includes('watcher'));
    await entries.getByText('revoked the token "historian"').waitFor();
  });

  it('makes a support bundle that holds no secret', async () => {
    await plant.client.ok('POST', '/node', {
      name: 'cloud',
      plugin: 'MQTT',
      params: { host: '127.0.0.1', port: 1, 'client-id': 'c', username: 'u', password: 'very-secret' },
    });
    const page = await open('#/about');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Make the bundle' }).click();
    const text = await readFile(await (await saved).path(), 'utf8');
    const bundle = JSON.parse(text) as { configuration: { nodes: { name: string }[] }; metrics: string[] };
    expect(bundle.configuration.nodes.map(({ name }) => name)).to.include('cloud');
    expect(bundle.metrics.join('\n')).to.include('uptime_seconds');
    expect(text).not.to.include('very-secret');
  });
});
