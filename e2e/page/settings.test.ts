import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { freePort } from '../kit/free-port.ts';
import { sleep, until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

describePage('settings in the page', function () {
  const { plant, open, settingsOf } = usePage();
  before(async () => {
    const params = { connection_mode: 0, host: '127.0.0.1', port: plant.device.port, timeout: 1000 };
    await plant.client.ok('POST', '/node', { name: 'boiler', plugin: 'Modbus TCP', params });
    await plant.client.ok('POST', '/node', { name: 'cloud', plugin: 'MQTT' });
  });

  it('say at the field what is wrong, before anything is sent', async () => {
    const page = await open('#/nodes/boiler/settings');
    await page.getByRole('button', { name: /^Advanced \d/ }).click();
    const timeout = page.getByRole('textbox', { name: 'Timeout', exact: true });
    await timeout.fill('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('At least 1000.').waitFor();
    expect(await timeout.getAttribute('aria-invalid')).to.equal('true');
    expect((await settingsOf('boiler'))['timeout']).to.equal(1000);
  });

  it('show a refusal of the gateway at the field that it names', async () => {
    const page = await open('#/nodes/cloud/settings');
    await page.getByRole('textbox', { name: 'Broker host', exact: true }).fill('127.0.0.1');
    const tls = page.getByRole('checkbox', { name: 'SSL', exact: true });
    await tls.check();
    // Not a certificate: the schema accepts it, the plugin does not.
    await page
      .locator('input[type=file]')
      .first()
      .setInputFiles({ name: 'ca.pem', mimeType: 'application/x-pem-file', buffer: Buffer.from('nothing') });
    await page.getByText('A file of 7 bytes is set.').first().waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    const refusal = page.locator('.mantine-InputWrapper-error', { hasText: 'ca' });
    await refusal.first().waitFor();
  });

  it('take a number that may be a text as it is typed, with its leading zeros', async () => {
    const line = { link: 1, connection_mode: 1, host: '127.0.0.1', port: await freePort(), timeout: 1000 };
    const params = { ...line, mail_address: 161 };
    await plant.client.ok('POST', '/node', { name: 'meters', plugin: 'DLT645-2007', params });
    const page = await open('#/nodes/meters/settings');
    const address = page.getByRole('textbox', { name: 'Meter address', exact: true });
    expect(await address.inputValue()).to.equal('161');
    await address.fill('000000000162');
    await page.getByRole('button', { name: 'Save' }).click();
    await until('it is saved', async () => (await settingsOf('meters'))['mail_address'] === '000000000162');
  });

  it('bring settings on a condition, and hide secrets', async () => {
    const page = await open('#/nodes/cloud/settings');
    expect(await page.getByLabel('Password', { exact: true }).getAttribute('type')).to.equal('password');
    const certificate = page.getByText('CA certificate', { exact: true });
    expect(await certificate.count()).to.equal(0);
    await page.getByRole('checkbox', { name: 'SSL', exact: true }).check();
    await certificate.waitFor();
  });

  it('stay as they are typed while updates and a foreign change come', async () => {
    const page = await open('#/nodes/boiler/settings');
    const host = page.getByRole('textbox', { name: 'IP address', exact: true });
    await host.fill('127.0.0.99');
    await page.evaluate('document.activeElement.setSelectionRange(3, 3)');
    // States that are pushed: the node is stopped and started, and somebody else saves its settings.
    for (const cmd of [1, 0, 1, 0]) {
      await plant.client.ok('POST', '/node/ctl', { node: 'boiler', cmd });
      await page.getByText(cmd === 1 ? 'Stopped' : 'Good', { exact: true }).waitFor();
    }
    const foreign = { ...(await settingsOf('boiler')), timeout: 2000 };
    await plant.client.ok('POST', '/node/setting', { node: 'boiler', params: foreign });
    await sleep(3000);
    expect(await host.inputValue()).to.equal('127.0.0.99');
    expect(await page.evaluate('document.activeElement.selectionStart')).to.equal(3);
    expect(await page.evaluate('document.activeElement.name')).to.equal(await host.getAttribute('name'));
  });

  it('ask before what is not saved is left', async () => {
    const page = await open('#/nodes/boiler/settings');
    await page.getByRole('button', { name: /^Advanced \d/ }).click();
    await page.getByRole('textbox', { name: 'Timeout', exact: true }).fill('1234');
    await page.getByRole('link', { name: 'Plugins' }).click();
    const question = page.getByRole('dialog', { name: 'Not saved' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await page.getByRole('textbox', { name: 'Timeout', exact: true }).inputValue()).to.equal('1234');
    await page.getByRole('link', { name: 'Plugins' }).click();
    await question.getByRole('button', { name: 'Leave without saving' }).click();
    await until('the list of plugins is there', async () => new URL(page.url()).hash === '#/plugins');
  });
});
