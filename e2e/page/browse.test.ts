import { Attribute, DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Locator, Page, Request } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { connected } from '../kit/configure.ts';
import { OpcUaServer } from '../world/opcua-server.ts';
import { until } from '../kit/until.ts';
import { pathOf, requestsOf, usePage } from './fixture.ts';

/** Folders of a thousand variables each. */
const halls = 100;

/**
 * Runs in the page: to the top or the end of the tree, or by some lines; from one end it goes on at the other. Over when the page
 * shows what is there: a look before that would find rows that are about to go.
 */
const scroll = (to: 'top' | 'end' | number): string => `new Promise((resolve) => {
  const list = document.querySelector('[role=dialog] [role=region]');
  const last = list.scrollHeight - list.clientHeight;
  const next = ${to === 'top' ? '0' : to === 'end' ? 'last' : `list.scrollTop + ${to}`};
  list.scrollTo(0, next > last + 1 ? 0 : next < 0 ? last : next);
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(resolve)));
})`;

describePage(`browsing an OPC UA server of ${halls * 1000} nodes`, function () {
  this.timeout(120_000);
  let server: OpcUaServer;
  const { plant, open, tagsOf } = usePage();
  before(async () => {
    server = await OpcUaServer.start({ halls });
    const { client } = plant;
    await client.ok('POST', '/node', { name: 'plant', plugin: 'OPC UA', params: { url: server.url } });
    await client.ok('POST', '/group', { node: 'plant', name: 'g', interval: 1000 });
    const tag = {
      name: 'there',
      address: '1!hall0.sensor3',
      attribute: Attribute.READ,
      type: DataType.INT16,
    };
    await client.ok('POST', '/tags', { node: 'plant', group: 'g', tags: [tag] });
    await connected(client, 'plant');
  });
  after(() => server?.stop());

  const opener = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name: `Open ${name}`, exact: true });

  /** Scrolls the tree until something is in sight: rows out of sight are not in the document. */
  async function reveal(page: Page, what: Locator, from: 'top' | 'end' = 'top'): Promise<void> {
    await page.evaluate(scroll(from));
    const look = async (): Promise<boolean> => {
      if (await what.isVisible()) return true;
      await page.evaluate(scroll(from === 'top' ? 380 : -380));
      return false;
    };
    await until('it is in sight', look, { within: 60_000 });
  }

  async function openDialog(): Promise<Page> {
    const page = await open('#/nodes/plant/groups/g');
    await page.getByRole('row', { name: /there/ }).waitFor();
    return page;
  }

  it('shows the first level in less than a second', async () => {
    const page = await openDialog();
    const times: number[] = [];
    for (let round = 0; round < 3; round++) {
      const begun = performance.now();
      await page.getByRole('button', { name: 'Browse the device' }).click();
      await opener(page, 'Machines').waitFor();
      times.push(performance.now() - begun);
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    }
    expect(Math.min(...times)).to.be.below(1000);
  });

  it('loads a place when it is opened, marks what is a tag already, and adds many in one request', async () => {
    const page = await openDialog();
    const requests = requestsOf(page);
    const requestsTo = (path: string): Request[] => requests.filter((request) => pathOf(request) === path);
    await page.getByRole('button', { name: 'Browse the device' }).click();
    await opener(page, 'Machines').click();
    await reveal(page, opener(page, 'hall0'));
    expect(requestsTo('/api/v2/scan/tags'), 'the top and what was opened').to.have.length(2);
    await opener(page, 'hall0').click();
    const dialog = page.getByRole('dialog');
    const known = dialog.getByRole('row', { name: /1!hall0\.sensor3$/ });
    await reveal(page, known.getByText('a tag already'));
    expect(await known.getByRole('checkbox').isDisabled()).to.equal(true);
    expect(await dialog.getByRole('row').count(), 'rows in the document').to.be.below(60);

    const pick = (count: number): Locator => dialog.getByRole('button', { name: `Pick all ${count}` });
    await reveal(page, pick(499));
    await pick(499).click();
    await dialog.getByRole('button', { name: 'Add 499 tags' }).waitFor();
    const more = dialog.getByRole('button', { name: 'Show more: 500 of 1000 are here' });
    await reveal(page, more, 'end');
    await more.click();
    await reveal(page, pick(999));
    await pick(999).click();
    await dialog.getByRole('button', { name: 'Add 999 tags' }).click();
    await page.getByText('999 tags are added.').waitFor();
    expect(requestsTo('/api/v2/tags')).to.have.length(1);
    const tags = await tagsOf('g', 'plant');
    expect(tags).to.have.length(1000);
    expect(new Set(tags.map(({ type }) => type))).to.deep.equal(new Set([DataType.INT16]));
    expect(tags.at(-1)?.address).to.equal('1!hall0.sensor999');
    const gate = tags.find(({ address }) => address === '1!hall0.sensor1');
    expect(gate?.description, 'what the device says of it').to.equal('Gate of hall 0');
  });

  it('goes by the keys alone: Enter opens and adds, Escape closes, and the focus is back at the opener', async () => {
    const page = await openDialog();
    const opening = page.getByRole('button', { name: 'Browse the device' });
    const focus = page.locator(':focus');
    const hasFocus = (what: Locator) => async (): Promise<boolean> => (await what.and(focus).count()) === 1;
    await opening.focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    const first = dialog.locator('tbody button').first();
    await first.waitFor();
    await until('the first entry has the focus', hasFocus(first));
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until('the opener has the focus', hasFocus(opening));

    await page.keyboard.press('Enter');
    await opener(page, 'Machines').focus();
    await page.keyboard.press('Enter');
    await reveal(page, opener(page, 'hall2'));
    await opener(page, 'hall2').focus();
    await page.keyboard.press('Enter');
    const box = dialog.getByRole('row', { name: /1!hall2\.sensor1$/ }).getByRole('checkbox');
    await reveal(page, box);
    await box.focus();
    // Without a pick there is nothing to add.
    await page.keyboard.press('Enter');
    await page.keyboard.press('Space');
    await dialog.getByRole('button', { name: 'Add 1 tag' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 tag is added.').waitFor();
    await dialog.waitFor({ state: 'detached' });
    await until('the opener has the focus again', hasFocus(opening));
    expect((await tagsOf('g', 'plant')).at(-1)?.address).to.equal('1!hall2.sensor1');

    await page.getByRole('checkbox', { name: 'Select there', exact: true }).check();
    const copying = page.getByRole('button', { name: 'Copy', exact: true });
    await copying.focus();
    await page.keyboard.press('Enter');
    await until(
      'the suffix has the focus',
      hasFocus(dialog.getByRole('textbox', { name: 'After the name' })),
    );
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await until('the opener of the copy has the focus', hasFocus(copying));
    await page.keyboard.press('Enter');
    await until(
      'the suffix has the focus',
      hasFocus(dialog.getByRole('textbox', { name: 'After the name' })),
    );
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const names = (await tagsOf('g', 'plant')).map(({ name }) => name);
    expect(names).to.include('there_copy');
  });

  it('stops loading when it is asked to, and loads again', async () => {
    const page = await openDialog();
    await page.getByRole('button', { name: 'Browse the device' }).click();
    await opener(page, 'Machines').click();
    await reveal(page, opener(page, 'hall1'));
    server.pause();
    try {
      await opener(page, 'hall1').click();
      await page.getByRole('button', { name: 'Stop loading' }).click();
      await page.getByRole('button', { name: 'Stop loading' }).waitFor({ state: 'detached' });
      expect(await page.getByRole('dialog').getByRole('alert').count()).to.equal(0);
    } finally {
      server.goOn();
    }
    await opener(page, 'hall1').click();
    await reveal(page, page.getByRole('dialog').getByText('1!hall1.sensor0', { exact: true }));
    await reveal(page, page.getByRole('dialog').getByText('Gate of hall 1', { exact: true }));
  });
});
