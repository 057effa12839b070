import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import { describePage, overhang, sizes } from '../kit/browser.ts';
import { addModbus, addMqtt } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

/** Names that people give things: markup, as many bytes of emoji as a name has, and what turns the direction of the text around. */
const names = {
  markup: '<img src=x onerror=console.error(1)><script>console.error(2)</script>',
  emoji: `${'😀'.repeat(31)}abc`,
  turned: '\u202eمرحبا بالعالم\u202c {{name}} $t(app.name)',
} as const;

const at = (...parts: readonly string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;

/** An app with a name of the same kind. */
const appOf = (name: string): string => `${name.slice(0, 24)}!`;

/** A schema that breaks the meta-schema, as a gateway of another version might pass it on. */
const broken = JSON.stringify({
  type: 'object',
  properties: { a: { $ref: '#/$defs/nowhere' }, b: { type: 'array', items: false }, c: null },
  allOf: [null, { if: 3, then: 'x' }],
});

describePage('names and schemas that nobody should give', function () {
  const { plant, open } = usePage();
  before(async () => {
    const { client, device } = plant;
    for (const name of Object.values(names)) {
      const tag = { name, address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 };
      const tags = [{ ...tag, description: name }];
      await addModbus(client, name, { port: device.port, group: name, tags });
      await addMqtt(client, appOf(name), 1);
      const params = { topic: `plant/${name.replaceAll(/[{}]/g, '')}` };
      await client.ok('POST', '/subscribe', { app: appOf(name), driver: name, group: name, params });
      const groups = [{ name, interval: 1000, tags }];
      await client.ok('POST', '/template', { name, plugin: 'Modbus TCP', groups });
    }
  });

  for (const [kind, name] of Object.entries(names)) {
    const places = [
      at(),
      at('drivers'),
      at('nodes', name),
      at('nodes', name, 'settings'),
      at('nodes', name, 'groups'),
      at('nodes', name, 'groups', name),
      at('nodes', appOf(name), 'subscriptions'),
      at('templates'),
      at('templates', name),
      at('templates', name, name),
      at('audit'),
      at('logs'),
      `#/live?g=${encodeURIComponent(`${encodeURIComponent(name)}/${encodeURIComponent(name)}`)}`,
    ];
    it(`a name of ${kind} is shown as the text that it is, everywhere`, async function () {
      this.timeout(120_000);
      for (const size of ['desk', 'phone'] as const) {
        const page = await open('', { size: sizes[size] });
        for (const place of places) {
          await page.goto(`${plant.gateway.url}/${place}`);
          await page.getByRole('main').locator('h2, label, table, form').first().waitFor();
          // The overview names what is wrong alone.
          if (place !== at() && !place.endsWith('/settings'))
            await page.getByText(name.slice(0, 12)).first().waitFor({ state: 'attached' });
          expect(await page.locator('main img[src=x], main script').count(), place).to.equal(0);
          expect(await overhang(page), `${place} at ${size}`).to.be.at.most(0);
        }
        await page.context().close();
      }
    });
  }

  it('a schema that breaks its form breaks nothing else', async () => {
    const page = await open();
    await page.route('**/api/v2/schema/settings*', (route) =>
      route.fulfill({ contentType: 'application/json', body: broken }),
    );
    await page.goto(`${plant.gateway.url}/${at('nodes', names.markup, 'settings')}`);
    await page.getByRole('alert').filter({ hasText: 'This part of the page has failed.' }).waitFor();
    // The node is named, its other tabs and the menu work.
    await page.getByRole('heading', { name: names.markup }).waitFor();
    await page.getByRole('tab', { name: 'Groups' }).click();
    await page.getByRole('link', { name: names.markup, exact: true }).first().waitFor();
    await page.getByRole('link', { name: 'Plugins' }).click();
    await page.getByRole('row', { name: /Modbus TCP/ }).waitFor();
  });
});
