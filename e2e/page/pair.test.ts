import { ErrorCode, type PairStatus } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { addModbus, registerTags } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

const west = { name: 'west', url: 'http://10.0.0.1:7000', ready: true, version: '1.2.3' };
const east = { name: 'east', url: 'http://10.0.0.2:7000', ready: false, version: '1.2.3' };
const standby: PairStatus = {
  id: 'plant1',
  role: 'standby',
  name: 'west',
  url: west.url,
  holder: 'east',
  holder_url: east.url,
  lease_age_ms: 212,
  replication_lag: { entries: 3, ms: 140 },
  reachable: false,
  etcd_problem: null,
  handing_over: false,
  last_switch: { time: Date.now(), from: 'west', to: 'east', reason: 'It was asked to hand over.' },
  members: [west, east],
};
const active: PairStatus = {
  ...standby,
  role: 'active',
  holder: 'west',
  holder_url: west.url,
  reachable: true,
};

// Of the gateway only what it says of its pair is made up here: e2e/pair has real ones.
describePage('the page of a pair', function () {
  const { plant, open } = usePage();
  before(() => addModbus(plant.client, 'boiler', { port: 9, tags: registerTags(1) }));

  async function openWith(place: string, pair: () => PairStatus): Promise<Page> {
    const page = await open('nothing');
    await page.route('**/api/v2/status', (route) =>
      route.fulfill({ json: { status: 'ready', pair: pair() } }),
    );
    await page.goto(`${plant.gateway.url}/${place}`);
    return page;
  }

  const refusal = { error: ErrorCode.STANDBY, message: 'This is for the active gateway.', active: east.url };

  it('says on every page of the standby that it polls nothing, and where the active one is', async () => {
    const page = await openWith('#/drivers', () => standby);
    for (const place of ['drivers', 'plugins', 'logs', '']) {
      await page.goto(`${plant.gateway.url}/#/${place}`);
      await page.getByText('This gateway is the standby of east; it polls nothing').waitFor();
      const link = page.getByRole('link', { name: `Open the active one: ${east.url}` });
      expect(await link.getAttribute('href')).to.equal(east.url);
    }
    const pair = page.getByRole('region', { name: 'Two gateways, one plant' });
    for (const text of [
      'Standby',
      'etcd does not answer',
      '212 ms',
      '3 changes, 140 ms',
      'west, east (not ready)',
    ])
      await pair.getByText(text, { exact: true }).waitFor();
    await pair.getByText(/^Last switch: .*, from west to east\. It was asked to hand over\.$/).waitFor();
    expect(await pair.getByRole('button').count()).to.equal(0);
    // A node that another gateway runs is in no trouble.
    expect(await page.getByRole('link', { name: 'boiler' }).count()).to.equal(0);
  });

  it('shows why a standby does not save, with a link', async () => {
    const page = await openWith('#/nodes/boiler/groups', () => standby);
    await page.route('**/api/v2/group', (route) =>
      route.request().method() === 'POST' ? route.fulfill({ status: 409, json: refusal }) : route.continue(),
    );
    await page.getByRole('button', { name: 'Add a group' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('textbox').first().fill('slow');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.getByText(refusal.message).waitFor();
    expect(await dialog.getByRole('link').getAttribute('href')).to.equal(east.url);
  });

  it('hands over when an admin has said yes, or says why not', async () => {
    let now = active;
    const page = await openWith('', () => now);
    let asked = 0;
    await page.route('**/api/v2/pair/switch', (route) => {
      asked += 1;
      const message = 'Nothing is handed over: the other gateway of the pair is not there.';
      return asked === 1
        ? route.fulfill({ status: 409, json: { error: ErrorCode.COMMAND_FAILED, message } })
        : route.fulfill({ json: { error: 0, to: 'east', url: east.url } });
    });
    const handOver = async (): Promise<void> => {
      await page.getByRole('region', { name: 'Two gateways' }).getByRole('button').click();
      await page.getByRole('dialog').getByRole('button', { name: 'Hand over' }).click();
      await page.getByRole('dialog').waitFor({ state: 'hidden' });
    };
    await handOver();
    await page.getByText('the other gateway of the pair is not there').waitFor();
    await handOver();
    await page.getByText('The other gateway takes over.').waitFor();
    now = { ...active, handing_over: true };
    await page.locator('button:disabled', { hasText: 'Hand over' }).waitFor();
    expect(asked).to.equal(2);
  });
});
