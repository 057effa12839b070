import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { addBoiler, holding } from '../kit/configure.ts';
import { words } from '../world/devices.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

const attribute = Attribute.READ | Attribute.WRITE;
const hostile = '<img src=x onerror=alert(1)> \u202eright to left 🏭🏭🏭';
const greatest = '18446744073709551615';

const placeOf = (node: string, group: string): string =>
  `#/live?g=${encodeURIComponent(`${encodeURIComponent(node)}/${encodeURIComponent(group)}`)}`;

describePage('live values', function () {
  const { plant, chromium, open } = usePage();
  before(async () => {
    await addBoiler(plant, 'few', [
      { name: 'level', address: '1!400001', attribute, type: DataType.INT16 },
      { name: 'wide', address: '1!400011', attribute, type: DataType.UINT64 },
      { name: hostile, address: '1!400021', attribute: Attribute.READ, type: DataType.INT16 },
    ]);
    const tags = Array.from({ length: 10_000 }, (_, index) => ({
      name: `tag ${String(index).padStart(5, '0')}`,
      address: holding((index % 500) + 1),
      attribute: Attribute.READ,
      type: DataType.INT16,
    }));
    await plant.client.ok('POST', '/group', { node: 'boiler', name: 'many', interval: 1000 });
    await plant.client.ok('POST', '/tags', { node: 'boiler', group: 'many', tags });
  });

  const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
  const shows = (page: Page, name: string, value: string): Promise<void> =>
    rowOf(page, name).getByText(value, { exact: true }).waitFor({ timeout: 5000 });

  it('come as they change, in decimal, hex and binary; names are text', async () => {
    await plant.device.setRegisters(0, [255]);
    const page = await open(placeOf('boiler', 'few'));
    await shows(page, 'level', '255');
    await page.getByText(hostile, { exact: true }).waitFor();
    expect(await page.locator('img').count()).to.equal(0);
    await page.getByText('Hex', { exact: true }).click();
    await shows(page, 'level', '0x00FF');
    await page.getByText('Binary', { exact: true }).click();
    await plant.device.setRegisters(0, [0xfff0]);
    await shows(page, 'level', '0b1111_1111_1111_0000');
  });

  it('are unchanged since the gateway saw them change, also for who comes later; of those before, at least so long', async () => {
    const page = await open(placeOf('boiler', 'few'));
    await plant.device.setRegisters(0, [77]);
    await shows(page, 'level', '77');
    const changed = Date.now();
    type Read = { tags: { name: string; since?: number; at_least?: boolean }[] };
    const body = { node: 'boiler', group: 'few', meta: true };
    const { tags } = await plant.client.ok<Read>('POST', '/read', body);
    const level = tags.find(({ name }) => name === 'level');
    expect(level?.at_least).to.equal(undefined);
    expect(level?.since).to.be.within(changed - 5000, changed);
    await until('three seconds are over', () => Date.now() > changed + 3000);
    await page.reload();
    await rowOf(page, 'level')
      .getByText(/^([3-9]|\d\d) s$/)
      .waitFor();
    await rowOf(page, 'wide')
      .getByText(/^at least \d+ s$/)
      .waitFor();
    await plant.gateway.restart();
    await plant.renew();
    const later = await open(placeOf('boiler', 'few'));
    await shows(later, 'level', '77');
    await rowOf(later, 'level')
      .getByText(/^at least \d+ s$/)
      .waitFor();
  });

  it('that do not change stay when a trend is drawn, here and in another tab', async () => {
    await plant.device.setRegisters(0, [31, 32]);
    await plant.device.setRegisters(10, words('BigUInt64', 4242n));
    const page = await open(placeOf('boiler', 'few'));
    await shows(page, 'level', '31');
    await shows(page, 'wide', '4242');
    await rowOf(page, 'level').getByRole('checkbox').check();
    await page.locator('.u-over').waitFor();
    const other = await chromium.another(page);
    await shows(other, 'wide', '4242');
    await plant.device.setRegisters(0, [33]);
    await shows(page, 'level', '33');
    await shows(other, 'level', '33');
    await shows(page, 'wide', '4242');
  });

  it('are written exactly, and the device confirms or the refusal says why', async () => {
    const page = await open(placeOf('boiler', 'few'));
    await page.getByRole('button', { name: 'Write wide' }).click();
    const field = page.getByRole('textbox', { name: 'New value' });
    await field.fill('18446744073709551616');
    await page.getByText(`The value has to be in 0 … ${greatest}.`).waitFor();
    await field.fill(greatest);
    await page.keyboard.press('Enter');
    await page.getByText(`The device has confirmed ${greatest}.`).waitFor();
    expect(await plant.device.registers(10, 4)).to.deep.equal(words('BigUInt64', 2n ** 64n - 1n));
    await page.keyboard.press('Escape');
    await plant.client.ok('POST', '/node/ctl', { node: 'boiler', cmd: 1 });
    await page.getByRole('button', { name: 'Write level' }).click();
    await field.fill('1');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('alert').getByText('not running').waitFor();
    await plant.client.ok('POST', '/node/ctl', { node: 'boiler', cmd: 0 });
  });

  it('of ten thousand tags keep the document small, and those in sight are true after scrolling', async () => {
    await plant.device.setRegisters(499, [77]);
    const page = await open(placeOf('boiler', 'many'));
    await page.getByText('tag 00000', { exact: true }).waitFor();
    const list = page.getByRole('table', { name: 'Live values' });
    await list.hover();
    await until('the last tag is in sight', async () => {
      await page.mouse.wheel(0, 500_000);
      return (await page.getByText('tag 09999', { exact: true }).count()) === 1;
    });
    await shows(page, 'tag 09999', '77');
    expect(await page.evaluate<number>('document.querySelectorAll("*").length')).to.be.below(1500);
  });

  it('are reached from the node by keyboard alone', async () => {
    await plant.device.setRegisters(0, [5]);
    const page = await open('#/nodes/boiler/groups');
    await page.getByRole('link', { name: 'few', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Add a tag' }).focus();
    await page.keyboard.press('Enter');
    // The dialog takes the focus once it stands.
    await page.locator('input:focus[required]').waitFor();
    await page.keyboard.type('by hand');
    await page.getByRole('textbox', { name: 'Address' }).focus();
    await page.keyboard.type('1!400001');
    await page.keyboard.press('Enter');
    await page.getByText('by hand is saved.').waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Live values' }).focus();
    await page.keyboard.press('Enter');
    await shows(page, 'by hand', '5');
  });
});
