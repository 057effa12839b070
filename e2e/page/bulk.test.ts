import { Attribute, DataType, type TagsReply } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage } from '../kit/browser.ts';
import { addBoiler, registerTags } from '../kit/configure.ts';
import { pathOf, requestsOf, usePage } from './fixture.ts';

const half = 5000;

describePage('a change of many tags', function () {
  const { plant, open, tagsOf } = usePage();
  before(() =>
    addBoiler(
      plant,
      'many',
      registerTags(2 * half).map((tag, index) => ({
        ...tag,
        name: `${index % 2 === 0 ? 'pump' : 'valve'} ${index}`,
      })),
      60_000,
    ),
  );

  const place = '#/nodes/boiler/groups/many';
  const tags = (): Promise<TagsReply['tags']> => tagsOf('many');
  const change = (name: string, more: object): Promise<unknown> =>
    plant.client.ok('PUT', '/tags', {
      node: 'boiler',
      group: 'many',
      tags: [{ name, address: '1!400001', attribute: Attribute.READ, type: DataType.INT16, ...more }],
    });

  /** Opens the dialog with all tags that a filter leaves. */
  async function choose(page: Page, filter: string, count: number): Promise<void> {
    await page.getByText('valve 1', { exact: true }).waitFor();
    await page.getByRole('searchbox').fill(filter);
    await page.getByRole('checkbox', { name: 'Select all' }).click();
    await page.getByText(`${count} of ${count} selected`).waitFor();
    await page.getByRole('button', { name: 'Change together' }).click();
    await page.getByRole('dialog').waitFor();
  }

  it('of 5000 of them: decimal and prefix, seen before, in one request, with a result for each, and taken back', async () => {
    const before = await tags();
    const page = await open(place);
    const requests = requestsOf(page);
    const changes = (): string[] => requests.map(pathOf).filter((path) => path.startsWith('/api/v2/tags'));
    await choose(page, 'pump', half);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Before the name' }).fill('P1 ');
    await dialog.getByRole('textbox', { name: 'Find in the name' }).fill('pump ');
    await dialog.getByRole('textbox', { name: 'Replace in the name by' }).fill('p');
    await dialog.getByRole('checkbox', { name: 'Factor' }).check();
    await dialog.getByRole('textbox', { name: 'Factor' }).fill('0,1');
    const preview = dialog.getByRole('table', { name: 'Before and after' });
    const first = preview.locator('tbody tr[aria-rowindex]').first();
    await first
      .filter({ hasText: 'pump 0 P1 p0' })
      .filter({ hasText: 'Factor (decimal): 0 → 0.1' })
      .waitFor();
    expect(await tags()).to.deep.equal(before);
    expect(await axeFindings(page)).to.deep.equal([]);

    await dialog.getByRole('button', { name: `Change ${half} tags` }).click();
    await dialog.getByText(`${half} tags are changed, 0 were so already.`).waitFor();
    await first.getByText('changed', { exact: true }).waitFor();
    expect(await preview.getAttribute('aria-rowcount')).to.equal(String(half + 1));
    expect(changes()).to.deep.equal(['/api/v2/tags/apply']);
    const after = await tags();
    // Tags keep their places.
    expect(after.map(({ name }) => name)).to.deep.equal(
      before.map(({ name }) => (name.startsWith('pump') ? name.replace('pump ', 'P1 p') : name)),
    );
    expect(after.filter(({ decimal }) => decimal === 0.1)).to.have.length(half);

    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: `Undo the change of ${half} tags` }).click();
    await page.getByText(`${half} tags are as they were.`).waitFor();
    expect(await tags()).to.deep.equal(before);
    expect(changes()).to.have.length(2);
  });

  it('is not sent while it would make a wrong tag, which stands first in the list', async () => {
    const page = await open(place);
    await choose(page, 'pump 10', 56);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox', { name: 'Find in the name' }).fill('pump 100');
    await dialog.getByRole('textbox', { name: 'Replace in the name by' }).fill('valve 1');
    await dialog.getByRole('textbox', { name: 'Find in the address' }).fill('1!401001');
    await dialog.getByRole('textbox', { name: 'Replace in the address by' }).fill('1!4');
    const rows = dialog.getByRole('table', { name: 'Before and after' }).locator('tbody tr[aria-rowindex]');
    await rows.first().filter({ hasText: 'Name: The group has a tag of this name already.' }).waitFor();
    await rows.filter({ hasText: 'Address: The plugin has no such address for INT16.' }).first().waitFor();
    expect(await dialog.getByRole('button', { name: /^Change \d+ tags$/ }).isDisabled()).to.equal(true);
  });

  it('is not taken back over what somebody else has done since, without being asked again', async () => {
    const page = await open(place);
    await choose(page, 'pump 20', 56);
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('checkbox', { name: 'Factor' }).check();
    await dialog.getByRole('textbox', { name: 'Factor' }).fill('3');
    await dialog.getByRole('button', { name: 'Change 56 tags' }).click();
    await dialog.getByText('56 tags are changed, 0 were so already.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    // What is not concerned does not matter.
    await change('valve 1', { description: 'of somebody else' });
    await change('pump 200', { decimal: 7, description: 'of somebody else' });
    await page.getByRole('button', { name: 'Undo the change of 56 tags' }).click();
    const stale = page.getByRole('dialog', { name: 'Somebody else was faster' });
    const row = stale.getByRole('row').filter({ hasText: 'pump 200 · Factor (decimal)' });
    await row.waitFor();
    expect(await row.getByRole('cell').allTextContents()).to.deep.equal([
      'pump 200 · Factor (decimal)',
      '7',
      '0',
    ]);
    expect((await tags()).find(({ name }) => name === 'pump 200')?.decimal).to.equal(7);
    await stale.getByRole('button', { name: 'Save mine on top' }).click();
    await page.getByText('56 tags are as they were.').waitFor();
    const [restored] = (await tags()).filter(({ name }) => name === 'pump 200');
    expect(restored).to.include({ decimal: 0, description: 'of somebody else' });
    expect((await tags()).filter(({ decimal }) => decimal !== 0)).to.deep.equal([]);
  });
});
