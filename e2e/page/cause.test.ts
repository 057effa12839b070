import { Attribute, DataType, ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Locator } from 'playwright-core';
import { FastDevice } from '../bench/fast-device.ts';
import { describePage } from '../kit/browser.ts';
import { addModbus, modbusSettings } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { startBroker } from '../world/brokers.ts';
import { usePage } from './fixture.ts';

/** To this address no system makes a connection, whatever its network is. */
const nowhere = '255.255.255.255';

/** What the page shows of a failure. */
interface Shown {
  readonly title: string;
  readonly sentence: RegExp;
  /** One of these. */
  readonly code: readonly number[];
  readonly advice: RegExp;
}

/** What the form also marks: the fields by their labels. */
interface Marked {
  readonly marked: readonly string[];
}

const causes: Readonly<
  Record<string, Shown & Marked & { readonly address: string; readonly type?: string }>
> = {
  'an unreachable host': {
    marked: ['IP address', 'Port'],
    address: '1!400001',
    title: 'Failed at: Connect',
    sentence: /no way leads to 255\.255\.255\.255:\d+/,
    code: [ErrorCode.DISCONNECTED],
    advice: /Check that the device is switched on/,
  },
  'a refused port': {
    marked: ['IP address', 'Port'],
    address: '1!400001',
    title: 'Failed at: Connect',
    sentence: /refuses connections: nothing listens on that port/,
    code: [ErrorCode.DISCONNECTED],
    advice: /Check that the device is switched on/,
  },
  'a wrong unit': {
    marked: ['Transport mode'],
    address: '9!400001',
    title: 'Failed at: First answer of the device',
    // Where it is the only unit, the link counts as down between two attempts.
    sentence: /did not answer in time|nobody has answered for longer than the timeout/,
    code: [ErrorCode.NO_RESPONSE, ErrorCode.DISCONNECTED],
    advice: /unit,? (slave|number)/,
  },
  'an illegal address': {
    marked: ['Address'],
    address: '1!400500',
    title: 'Failed at: Read the tag',
    sentence: /exception 2 \(illegal data address\)/,
    code: [ErrorCode.READ_FAILED],
    advice: /compare the address with the manual of the device/,
  },
  'a wrong type': {
    marked: ['Address'],
    address: '1!400001',
    type: 'STRING',
    title: 'Failed at: Read the tag',
    sentence: /A STRING needs a length/,
    code: [ErrorCode.TAG_ADDRESS_INVALID],
    advice: /Write the address as the examples beside its field show it\./,
  },
};

/** Expects every part of what the page shows of a failure, and since when. The first text may be from before the link was tried. */
async function expectDescribed(
  place: Locator,
  { sentence, code, advice }: Omit<Shown, 'title'>,
): Promise<void> {
  let text = '';
  await until('the failure is shown', async () => {
    text = await place.innerText();
    if (!sentence.test(text) || !code.some((one) => text.includes(`code ${one}`)))
      throw new Error(`It says: ${text}`);
    return true;
  });
  expect(text).to.match(advice);
  // A time of day, in whatever form this machine writes it.
  expect(text).to.match(/\d\d:\d\d:\d\d/);
}

describePage('the cause of a failure', function () {
  let device: FastDevice;
  const { plant, open, settingsOf } = usePage();
  before(async () => {
    device = await FastDevice.start({ silent: [9], size: 100 });
  });
  after(() => device?.stop());

  /** Host and port with which a cause shows. */
  const targetOf = (cause: string): { host: string; port: number } => {
    if (cause === 'an unreachable host') return { host: nowhere, port: 502 };
    if (cause === 'a refused port') return { host: '127.0.0.1', port: 1 };
    return { host: '127.0.0.1', port: device.port };
  };

  it('shows in the form of a new driver, each with a step of its own, before anything is saved', async () => {
    const page = await open('#/drivers/add');
    await page.getByRole('searchbox', { name: 'Device, maker or protocol' }).fill('modbus tcp');
    await page.getByRole('link', { name: 'Modbus TCP', exact: true }).click();
    await page.getByRole('button', { name: /^Advanced \d/ }).click();
    await page.getByRole('textbox', { name: 'Timeout', exact: true }).fill('1000');
    await page.getByRole('checkbox', { name: 'Also read a tag' }).check();
    const steps = page.getByRole('status', { name: 'Steps of the connection test' });
    const address = page.getByRole('textbox', { name: 'Address', exact: true });
    const sentences = new Set<string>();
    for (const [cause, described] of Object.entries(causes)) {
      const { host, port } = targetOf(cause);
      await page.getByRole('textbox', { name: 'IP address', exact: true }).fill(host);
      await page.getByRole('textbox', { name: 'Port', exact: true }).fill(String(port));
      await address.fill(described.address);
      await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption(described.type ?? 'INT16');
      await page.getByRole('button', { name: 'Test connection' }).click();
      const alert = steps.getByRole('alert').filter({ hasText: described.title });
      await expectDescribed(alert, described);
      sentences.add(await alert.innerText());
      const fields = page.locator('.mantine-InputWrapper-root', {
        has: page.locator('input[aria-invalid="true"]'),
      });
      const marked = (await fields.locator('label').allInnerTexts()).map((label) =>
        label.replace(/ \*$/, ''),
      );
      expect(marked, cause).to.deep.equal(described.marked);
    }
    expect(sentences.size).to.equal(Object.keys(causes).length);

    await address.fill('1!400001');
    await page.getByRole('combobox', { name: 'Type', exact: true }).selectOption('INT16');
    await page.getByRole('button', { name: 'Test connection' }).click();
    await steps.getByText('The device answers.').waitFor();
    expect(await steps.getByRole('img', { name: 'Passed' }).count()).to.equal(5);
    const { nodes } = await plant.client.ok<{ nodes: object[] }>('GET', '/node', { type: 1 });
    expect(nodes, 'nothing remains').to.deep.equal([]);
  });

  it('is not looked for where the gateway waits for the device, or of an app, and the page says so', async () => {
    const page = await open('#/drivers/add');
    await page.getByRole('searchbox', { name: 'Device, maker or protocol' }).fill('modbus tcp');
    await page.getByRole('link', { name: 'Modbus TCP', exact: true }).click();
    await page.getByRole('textbox', { name: 'IP address', exact: true }).fill('127.0.0.1');
    await page.getByRole('combobox', { name: 'Connection mode' }).click();
    await page.getByRole('option', { name: 'Server' }).click();
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('the gateway waits for the device to connect, which cannot be tried').waitFor();
    await plant.client.ok('POST', '/node', { name: 'server', plugin: 'OPC UA Server' });
    await page.goto(`${plant.gateway.url}/#/nodes/server/settings`);
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText(/The plugin "OPC UA Server" .*connection/).waitFor();
  });

  it('shows in the form of an MQTT app at the broker that refuses it, and is over with the next test', async () => {
    const broker = await startBroker();
    try {
      await plant.client.ok('POST', '/node', { name: 'cloud', plugin: 'MQTT' });
      const page = await open('#/nodes/cloud/settings');
      await page.getByRole('textbox', { name: 'Broker host' }).fill('127.0.0.1');
      const port = page.getByRole('textbox', { name: 'Broker port' });
      await port.fill('1');
      await page.getByRole('button', { name: 'Test connection' }).click();
      await until('the port is marked', async () => (await port.getAttribute('aria-invalid')) === 'true');
      await port.fill(String(broker.port));
      await page.getByRole('button', { name: 'Test connection' }).click();
      const steps = page.getByRole('status', { name: 'Steps of the connection test' });
      await until(
        'three steps passed',
        async () => (await steps.getByRole('img', { name: 'Passed' }).count()) === 3,
      );
      expect(await port.getAttribute('aria-invalid')).not.to.equal('true');
    } finally {
      await broker.stop();
    }
  });

  it('tries the settings of a node as they stand in its form, and says that they are not saved', async () => {
    await addModbus(plant.client, 'tried', { port: 1 });
    const page = await open('#/nodes/tried/settings');
    await page.getByRole('textbox', { name: 'Port', exact: true }).fill(String(device.port));
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('The way to the device is open.').waitFor();
    await page.getByRole('textbox', { name: 'Port', exact: true }).fill('2');
    await page.getByText('The settings have been changed since this test.').waitFor();
    const host = page.getByRole('textbox', { name: 'IP address', exact: true });
    const port = page.getByRole('textbox', { name: 'Port', exact: true });
    await port.fill('1');
    await page.getByRole('button', { name: 'Test connection' }).click();
    const reason = /refuses connections: nothing listens on that port/;
    await page.locator('.mantine-InputWrapper-root', { has: host }).getByText(reason).waitFor();
    expect(await port.getAttribute('aria-invalid')).to.equal('true');
    await port.fill('3');
    await until('a field is marked no more once it is not what was tried', async () => {
      return (await port.getAttribute('aria-invalid')) !== 'true';
    });
    expect(await host.getAttribute('aria-invalid')).to.equal('true');
    expect((await settingsOf('tried'))['port']).to.equal(1);
    await plant.client.ok('DELETE', '/node', { name: 'tried' });
  });

  // The gateway takes no tag of a type that its plugin does not have: that cause shows in the forms alone.
  for (const cause of ['an unreachable host', 'a refused port', 'a wrong unit', 'an illegal address']) {
    it(`${cause} shows on the overview, on the page of the node and at the values`, async () => {
      const described = causes[cause];
      if (described === undefined) throw new Error(`There is no cause ${cause}.`);
      const node = cause.replaceAll(' ', '-');
      const { host, port } = targetOf(cause);
      const { address } = described;
      await addModbus(plant.client, node, {
        port,
        settings: { ...modbusSettings(port), host },
        tags: [{ name: 'level', address, attribute: Attribute.READ, type: DataType.INT16 }],
      });
      const page = await open();
      const card = page.locator('.mantine-Card-root', { has: page.getByRole('link', { name: node }) });
      await expectDescribed(card, described);
      await card.getByRole('link', { name: node }).click();
      await expectDescribed(page.getByRole('alert').filter({ hasText: 'What is wrong' }), described);

      await page.goto(`${plant.gateway.url}/#/live?g=${encodeURIComponent(`${node}/group`)}`);
      const row = page.getByRole('row', { name: /level/ });
      await row
        .getByRole('button')
        .filter({ hasText: /device/ })
        .click();
      const whole = page.getByRole('dialog');
      await expectDescribed(whole, described);
      await plant.client.ok('DELETE', '/node', { name: node });
    });
  }

  it('a wrong type shows at the field of a tag while it is typed', async () => {
    await addModbus(plant.client, 'forms', { port: device.port });
    const page = await open('#/nodes/forms/groups/group');
    await page.getByRole('button', { name: 'Add a tag' }).click();
    const form = page.getByRole('dialog');
    await form.getByRole('combobox', { name: 'Type' }).selectOption('STRING');
    // Of the examples of this type.
    await form.getByRole('button', { name: '1!400020.20', exact: true }).waitFor();
    await form.getByRole('textbox', { name: 'Address' }).fill('1!400001');
    await form.getByText('The plugin has no such address for STRING.').waitFor();
  });
});
