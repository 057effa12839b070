import { expect } from 'chai';
import { describePage } from '../kit/browser.ts';
import { addBoiler, registerTags } from '../kit/configure.ts';
import { usePage } from './fixture.ts';

/** Bytes on the wire, compressed. */
const most = 350_000;

interface Loaded {
  readonly name: string;
  readonly encodedBodySize: number;
}

const loaded = `[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
  .map(({ name, encodedBodySize }) => ({ name, encodedBodySize }))`;

/** What older browsers of plants lack. */
const older = `
  delete Array.prototype.toSorted; delete Array.prototype.findLast; delete AbortSignal.any; delete Object.groupBy;
  delete Promise.withResolvers; delete globalThis.SharedWorker;`;

describePage('the first load of the page', function () {
  const { plant, open } = usePage();
  before(() => addBoiler(plant, 'group', registerTags(2)));

  it(`takes less than ${most / 1000} kB up to the overview, all of it from the gateway`, async () => {
    const page = await open();
    await page.getByText(/^Everything is well/).waitFor();
    const entries = await page.evaluate<Loaded[]>(loaded);
    const strangers = entries.filter(({ name }) => !name.startsWith(`${plant.gateway.url}/`));
    expect(strangers.map(({ name }) => name)).to.deep.equal([]);
    const bytes = entries.reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0);
    expect(bytes).to.be.within(50_000, most);
  });

  it('works in a browser that lacks what newer ones have', async () => {
    const page = await open('#/drivers', { before: older });
    await page.getByRole('link', { name: 'boiler' }).waitFor();
    await page.getByRole('columnheader').getByRole('button', { name: /^Name/ }).click();
    await page.goto(`${plant.gateway.url}/#/live?g=boiler%2Fgroup`);
    await page.getByRole('row').filter({ hasText: 'tag1' }).getByText(/^\d+$/).waitFor();
  });

  it('of a gateway in safe mode says so and what to do', async () => {
    await plant.gateway.restart(['--safe']);
    await plant.renew();
    const page = await open();
    await page.getByText('Safe mode', { exact: true }).waitFor();
    await page.getByText('Start it without --safe to go on.').waitFor();
    expect(await page.getByText(/^Everything is well/).count()).to.equal(0);
  });
});
