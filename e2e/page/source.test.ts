import type { StatusReply } from '@tagway/schemas';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { waitForSource } from '../kit/config-source.ts';
import { appFile, driverFile, writeFiles } from '../kit/configuration-files.ts';
import { useFolder } from '../kit/folder.ts';
import { until } from '../kit/until.ts';
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
});

describePage('the page of a gateway whose files others fill', function () {
  this.timeout(120_000);
  const { plant, open } = usePage();
  const folder = useFolder('page-source');
  const refused = /changed at the source of the configuration/;

  const start = async (drift: string): Promise<void> => {
    await plant.gateway.stop();
    const args = ['--config-source', folder('plant'), '--config-interval', '1', '--config-drift', drift];
    await plant.gateway.start(args);
    await plant.client.login();
    await waitForSource(plant.client, 'it is applied', ({ drift: { differences } }) => differences === 0);
  };
  /** At a place as the administrator, or as somebody else. */
  const at = async (place: string, user?: string, language: 'en' | 'zh' = 'en'): Promise<Page> => {
    if (user === undefined) return open(place, { language });
    const { token = '' } = await plant.gateway.anonymous().login(user, 'secret');
    return open(place, { as: { token, user }, language });
  };

  before(async () => {
    const driver = driverFile(1000, ['a', 'b']).replace('groups:', '# As the line needs it.\ngroups:');
    await writeFiles(folder('plant'), {
      'gateway.yaml': 'format: 1\n',
      'drivers/boiler.yaml': driver,
      'apps/cloud.yaml': appFile.replace('{ secret: broker }', 'p'),
      'templates/pump.yaml': 'plugin: Modbus TCP\ngroups: [{ name: fast, interval: 1000 }]\n',
    });
    for (const role of ['viewer', 'engineer'])
      await plant.client.ok('POST', '/users', { name: role, password: 'secret', role });
  });

  it('greys what is changed at the source where changes are refused, and says why; operators work on', async () => {
    await start('revert');
    const page = await at('#/drivers', 'engineer');
    await page.getByText('changes here are refused').waitFor();
    await until('nothing is added', () => page.getByRole('button', { name: 'Add a driver' }).isDisabled());
    await page.getByRole('button', { name: 'Stop boiler' }).click();
    await page.getByText('boiler is stopped.').waitFor();
    await page.getByRole('button', { name: 'More for boiler' }).click();
    await page.getByText(refused).waitFor();
    for (const name of ['Rename', 'Delete'])
      expect(await page.getByRole('menuitem', { name }).isDisabled(), name).to.equal(true);
    expect(await page.getByRole('menuitem', { name: 'debug' }).isDisabled()).to.equal(false);

    const greyed: readonly (readonly [string, readonly string[]])[] = [
      ['nodes/boiler/groups', ['Add a group', 'Import']],
      ['nodes/boiler/groups/fast', ['Add a tag']],
      ['nodes/cloud/subscriptions', ['Subscribe']],
      ['templates', ['Make a template', 'Import']],
      ['templates/pump', ['Add a group']],
      ['templates/pump/fast', ['Add a tag']],
    ];
    for (const [place, names] of greyed) {
      await page.goto(`${plant.gateway.url}/#/${place}`);
      await page.getByText(refused).first().waitFor();
      for (const name of names)
        expect(
          await page.getByRole('button', { name, exact: true }).first().isDisabled(),
          `${place} ${name}`,
        ).to.equal(true);
    }
    for (const place of ['nodes/boiler/settings', 'drivers/add', 'apps/add', 'transfer']) {
      await page.goto(`${plant.gateway.url}/#/${place}`);
      await page.getByText(refused).first().waitFor();
    }
    await page.goto(`${plant.gateway.url}/#/nodes/boiler/settings`);
    const host = page.getByRole('textbox', { name: 'IP address', exact: true });
    await host.waitFor();
    expect(await host.isDisabled()).to.equal(true);
    expect(await page.getByRole('button', { name: 'Save' }).count()).to.equal(0);
    expect(await page.getByRole('button', { name: 'Export to commit' }).count()).to.equal(0);
  });

  it('gives engineers a patch of what was changed here where changes are let', async () => {
    await start('report');
    const page = await at('#/nodes/boiler/groups', 'engineer');
    await page.getByText(/managed by/).waitFor();
    expect(await page.getByRole('button', { name: 'Export to commit' }).count()).to.equal(0);
    await plant.client.ok('PUT', '/group', { node: 'boiler', group: 'fast', interval: 250 });
    const button = page.getByRole('button', { name: 'Export to commit' });
    await button.waitFor();
    const saved = page.waitForEvent('download');
    await button.click();
    const patch = await saved;
    expect(patch.suggestedFilename()).to.equal('gateway.patch');
    const text = await readFile(await patch.path(), 'utf8');
    expect(text)
      .to.include('-    interval: 1000\n+    interval: 250\n')
      .and.to.include(' # As the line needs it.');

    const viewer = await at('#/nodes/boiler/groups', 'viewer');
    await viewer.getByText('1 thing here is not as it says').waitFor();
    expect(await viewer.getByRole('button', { name: 'Export to commit' }).count()).to.equal(0);
    const chinese = await at('#/nodes/boiler/groups', 'engineer', 'zh');
    await chinese.getByRole('button', { name: '导出以供提交' }).waitFor();
  });
});
