import { readFile } from 'node:fs/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NodeCertificatesReply } from '@tagway/schemas';
import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { addModbus, connected, registerTags } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { OpcUaClient } from '../world/opcua-client.ts';
import { usePage } from './fixture.ts';

describePage('the page of a node with clients and certificates', function () {
  this.timeout(90_000);
  const { plant, open } = usePage();
  const folder = mkdtempSync(join(tmpdir(), 'tagway-page-peers-'));
  let port: number;

  before(async () => {
    port = await freePort();
    await addModbus(plant.client, 'boiler', {
      port: plant.device.port,
      group: 'fast',
      tags: registerTags(1),
    });
    await plant.client.ok('POST', '/users', { name: 'otto', password: 'operates', role: 'operator' });
    const params = { host: '127.0.0.1', port };
    await plant.client.ok('POST', '/node', { name: 'opc', plugin: 'OPC UA Server', params });
    await plant.client.ok('POST', '/subscribe', { app: 'opc', driver: 'boiler', group: 'fast' });
    await plant.client.ok('PUT', '/plugin/permission', { plugin: 'OPC UA Server', logins: true });
    await connected(plant.client, 'opc');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const login = (): Promise<OpcUaClient> => OpcUaClient.login(port, 'otto', 'operates', '127.0.0.1', folder);

  it('shows a client that was refused, and an admin trusts it; then it is among the clients, and is ended', async () => {
    await login().then(
      () => expect.fail('It was served.'),
      () => undefined,
    );
    const { certificates } = await plant.client.ok<NodeCertificatesReply>('GET', '/node/certificates', {
      node: 'opc',
    });
    const refused = certificates.find(({ state }) => state === 'rejected');
    const page = await open('#/nodes/opc/certificates');
    const list = page.getByRole('list', { name: 'Certificates' });
    const waiting = list.getByRole('listitem').filter({ hasText: 'Rejected' });
    await waiting.waitFor();
    expect(await waiting.innerText())
      .to.include(refused?.sha1)
      .and.to.include(refused?.sha256);
    await waiting.getByRole('button', { name: /^Trust / }).click();
    await page
      .getByRole('dialog')
      .getByText(refused?.sha256 ?? 'a thumbprint')
      .waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Trust' }).click();
    const trusted = list.getByRole('listitem').filter({ hasText: 'Trusted' });
    await trusted.waitFor();

    const own = list.getByRole('listitem').filter({ hasText: 'Of this node' });
    expect(await own.getByRole('button').count(), 'its own is for downloading alone').to.equal(1);
    const saved = page.waitForEvent('download');
    await own.getByRole('button', { name: /^Download / }).click();
    const der = await readFile(await (await saved).path());
    expect(der.toString('base64')).to.equal(certificates.find(({ state }) => state === 'own')?.content);

    await using session = await login();
    await session.monitor('boiler/fast/tag0', () => undefined);
    await page.getByRole('tab', { name: 'Clients' }).click();
    const clients = page.getByRole('table', { name: 'Connected clients' });
    await clients.getByText('otto', { exact: true }).waitFor();
    await clients.getByText('SignAndEncrypt, Basic256Sha256').waitFor();

    await page.getByRole('tab', { name: 'Certificates' }).click();
    await trusted.getByRole('button', { name: /^Reject / }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click();
    await waiting.waitFor();
    await page.getByRole('tab', { name: 'Clients' }).click();
    await page.getByText('Nobody is connected at this moment.').waitFor();
  });

  it('offers nothing that moves a certificate to an operator, and no such tabs where a plugin has none', async () => {
    const { token = '' } = await plant.gateway.anonymous().login('otto', 'operates');
    const page = await open('#/nodes/opc/certificates', { as: { token, user: 'otto' } });
    const waiting = page.getByRole('listitem').filter({ hasText: 'Rejected' });
    await waiting.waitFor();
    expect(await waiting.getByRole('button').count(), 'it can be downloaded').to.equal(1);
    await page.goto(`${plant.gateway.url}/#/nodes/boiler/state`);
    await page.getByRole('tab', { name: 'Groups' }).waitFor();
    for (const name of ['Clients', 'Certificates'])
      expect(await page.getByRole('tab', { name }).count(), name).to.equal(0);
  });
});
