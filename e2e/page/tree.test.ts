import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage, overhang, sizes } from '../kit/browser.ts';
import { addModbus, holding } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { int16Tags } from '../bench/plant.ts';
import { usePage } from './fixture.ts';

const oven = (line: number): string => `plant/line ${line}/oven`;

const tag = (name: string, register: number) => ({
  name,
  address: holding(register),
  attribute: Attribute.READ,
  type: DataType.INT16,
});

describePage('the tree of tags', function () {
  this.timeout(120_000);
  const { plant, open } = usePage();
  before(async () => {
    const { client, device } = plant;
    for (const line of [1, 2, 10])
      await addModbus(client, oven(line), {
        port: device.port,
        group: 'fast',
        tags: [tag('zone/1/temperature', 1), tag('zone/2/temperature', 2), tag('door', 3)],
      });
    await client.ok('POST', '/node', { name: 'store', plugin: 'Modbus TCP' });
    await client.ok('POST', '/group', { node: 'store', name: 'all', interval: 60_000 });
    for (let from = 0; from < 50_000; from += 10_000)
      await client.ok('POST', '/tags', {
        node: 'store',
        group: 'all',
        tags: int16Tags(50_000).slice(from, from + 10_000),
      });
  });

  const item = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name }).first();

  it('is made from the names of nodes, groups and tags, shows values, and goes by the keys alone', async () => {
    await plant.device.setRegisters(0, [21, 22, 23]);
    const page = await open('#/live');
    await page.getByText('Tree', { exact: true }).click();
    await item(page, /^plant 9 tags/).waitFor();
    const tree = page.getByRole('tree', { name: 'Tree of tags' });
    await tree.focus();
    // Down to plant / line 1 / oven / fast / zone / 1 / temperature.
    for (let step = 0; step < 13; step += 1) {
      await page.keyboard.press('ArrowRight');
      if (step === 6) await item(page, /^zone/).waitFor();
    }
    const temperature = item(page, /^temperature/);
    await temperature.waitFor();
    await temperature.getByText('21', { exact: true }).waitFor();
    const lines = await page.getByRole('treeitem', { name: /^line/ }).allInnerTexts();
    expect(lines.map((text) => text.split('\n')[0])).to.deep.equal(['line 1', 'line 2', 'line 10']);
    expect(await temperature.getAttribute('aria-level')).to.equal('7');
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.keyboard.press('Enter');
    await page.getByRole('row').filter({ hasText: 'zone/1/temperature' }).waitFor();
    expect(page.url()).to.match(/text=zone%2F1%2Ftemperature/);
  });

  it('finds tags by words that are in the address, also after a reload and a start of the gateway', async () => {
    const page = await open('#/live?view=tree');
    await page.getByRole('searchbox', { name: 'Filter' }).fill('line 10 zone');
    await page.getByText('2 tags found').waitFor();
    await item(page, /^temperature/)
      .getByText(/^\d+$/)
      .first()
      .waitFor();
    expect(await page.getByRole('treeitem', { name: /^(line|door|store)/ }).count()).to.equal(1);
    await until('the address has it', () => page.url().includes('text=line+10+zone'));
    await plant.gateway.restart();
    await plant.renew();
    const again = await open('#/live?view=tree&text=line+10+zone');
    await again.getByText('2 tags found').waitFor();
    await again.getByRole('searchbox', { name: 'Filter' }).fill('no such words');
    await again.getByText('Nothing has all of these words.').waitFor();
  });

  it('cuts names at another separator, for all browsers and after a start of the gateway', async () => {
    const page = await open('#/live?view=tree');
    await page.getByRole('textbox', { name: 'Separator in names' }).fill('.');
    await item(page, /^plant\/line 1\/oven/).waitFor();
    const separator = (): Promise<object> => plant.client.ok('GET', '/../../live/separator');
    await until('the gateway has it', async () => JSON.stringify(await separator()).includes('"."'));
    const other = await open('#/live?view=tree', { language: 'zh' });
    await item(other, /^plant\/line 1\/oven/).waitFor();
    await plant.gateway.restart();
    await plant.renew();
    const again = await open('#/live?view=tree');
    await item(again, /^plant\/line 1\/oven/).waitFor();
    const field = again.getByRole('textbox', { name: 'Separator in names' });
    expect(await field.inputValue()).to.equal('.');
    await again.goto(`${plant.gateway.url}/#/audit`);
    await again.getByText('has names cut at "." in the tree of tags').first().waitFor();
  });

  it('has fifty thousand tags of a group with only those in sight in the document', async () => {
    const page = await open('#/live?view=tree', { size: sizes.phone });
    await item(page, /^store/).click();
    await item(page, /^all/).click();
    await page.getByRole('treeitem').nth(5).waitFor();
    await page.getByRole('tree').focus();
    await page.keyboard.press('End');
    const last = int16Tags(50_000).at(-1)!.name;
    await item(page, new RegExp(`^${last}`)).waitFor();
    expect(await page.getByRole('treeitem').count()).to.be.below(80);
    expect(await overhang(page)).to.be.at.most(0);
  });
});
