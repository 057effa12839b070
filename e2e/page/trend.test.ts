import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { addBoiler } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { pathOf, usePage } from './fixture.ts';

const place = (group: string): string => `#/live?g=${encodeURIComponent(`boiler/${group}`)}`;

const checkboxOf = (page: Page, tag: string) =>
  page.getByRole('row').filter({ hasText: tag }).getByRole('checkbox').first();

describe('the trend of the page', function () {
  this.timeout(120_000);
  const { plant, open, groupsOf } = usePage();

  before(async () => {
    const tags = [
      { name: 'level', address: '1!400001', attribute: Attribute.READ, type: DataType.INT16 },
      { name: 'flow', address: '1!400002', attribute: Attribute.READ, type: DataType.INT16 },
    ];
    await addBoiler(plant, 'kept', tags);
    await plant.client.ok('POST', '/tags', { node: 'boiler', group: 'other', tags });
  });

  it('begins with the history once a group is given one, and says how far back that reaches', async () => {
    const page = await open('#/nodes/boiler/groups');
    await page.getByRole('button', { name: 'Change kept' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('History (MB)').fill('5');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    const [kept] = await groupsOf();
    expect(kept).to.deep.include({ name: 'kept', interval: 100, history: 5 });

    // A while with another value, of which the page sees nothing.
    await plant.device.setRegisters(0, [40, 50]);
    await until('the history has some seconds', async () => {
      const query = { node: 'boiler', group: 'kept', tag: 'level' };
      const { oldest } = await plant.client.ok<{ oldest?: number }>('GET', '/history', query);
      return oldest !== undefined && Date.now() - oldest > 3000;
    });
    const live = await open(place('kept'));
    const asked: URL[] = [];
    live.on('request', (request) => {
      if (pathOf(request).endsWith('/api/v2/history')) asked.push(new URL(request.url()));
    });
    await checkboxOf(live, 'level').check();
    await live.getByText(/^The history of level reaches back to /).waitFor();
    await checkboxOf(live, 'flow').check();
    await live.getByText(/^The history of level, flow reaches back to /).waitFor();
    expect(asked.map(({ searchParams }) => searchParams.get('tag'))).to.deep.equal(['level', 'flow']);
    const spanOf = ({ searchParams }: URL): number =>
      Number(searchParams.get('to')) - Number(searchParams.get('from'));
    expect(asked.map(spanOf)).to.deep.equal([300_000, 300_000]);
    await live.getByText('1 day').click();
    await until('a day is asked for', () => asked.length === 4);
    expect(spanOf(asked[2]!)).to.equal(86_400_000);
  });

  it('says of which tags no history is kept', async () => {
    const page = await open(place('other'));
    await checkboxOf(page, 'level').check();
    await page.getByText('No history is kept of level: their curves begin when you pick them.').waitFor();
    await page.getByRole('checkbox', { name: 'Remove level from the trend' }).click();
    await page.locator('.u-over').waitFor({ state: 'detached' });
  });
});
