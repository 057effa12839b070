import type { StatusReply } from '@tagway/schemas';
import { describePage } from '../kit/browser.ts';
import { usePage } from './fixture.ts';

const source: NonNullable<StatusReply['source']> = {
  url: 'git+https://git.example/plant.git#main',
  commit: '0123456789abcdef0123456789abcdef01234567',
  subject: 'a faster kiln',
  author: 'operator',
  drift: { mode: 'report', differences: 3 },
  locked: false,
  problem: { message: 'drivers/kiln.yaml: The field setings is not known.', since: Date.now() },
};

// Of the gateway only what it says of its source is made up here: test/config-git.test.ts has real ones.
describePage('the page of a gateway that follows a source', function () {
  const { plant, open } = usePage();

  it('says on every page who manages the configuration, which commit is applied, and what is not as it should be', async () => {
    const page = await open('nothing');
    await page.route('**/api/v2/status', (route) => route.fulfill({ json: { status: 'ready', source } }));
    for (const place of ['drivers', 'logs']) {
      await page.goto(`${plant.gateway.url}/#/${place}`);
      const managed = /managed by git\+https:\/\/git\.example\/plant\.git#main, commit/;
      for (const text of [managed, 'a faster kiln', '3 things here', 'The field setings is not known'])
        await page.getByText(text).first().waitFor();
      await page.getByText('0123456789ab', { exact: true }).waitFor();
    }
  });

  it('says where changes are refused', async () => {
    const page = await open('nothing');
    const locked = { ...source, locked: true, problem: null, drift: { mode: 'revert', differences: 0 } };
    await page.route('**/api/v2/status', (route) =>
      route.fulfill({ json: { status: 'ready', source: locked } }),
    );
    await page.goto(`${plant.gateway.url}/#/drivers`);
    await page.getByText('changes here are refused').waitFor();
  });
});
