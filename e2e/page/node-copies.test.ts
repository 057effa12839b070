import { NodeCommand, RunningState, type StatesReply } from '@tagway/schemas';
import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { addBoiler, addMqtt, connected, registerTags } from '../kit/configure.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

describePage('nodes in the page, several at once and again', function () {
  const { plant, open, groupsOf, settingsOf, subscriptionsOf, tagsOf } = usePage();
  before(async () => {
    await addBoiler(plant, 'fast', registerTags(3));
    await addMqtt(plant.client, 'uplink', 1);
    await plant.client.ok('POST', '/subscribe', { app: 'uplink', driver: 'boiler', group: 'fast' });
    await connected(plant.client, 'boiler');
  });

  const runningOf = async (node: string): Promise<number | undefined> =>
    (await plant.client.ok<StatesReply>('GET', '/node/state')).states.find((one) => one.node === node)
      ?.running;
  const more = async (page: Page, name: string, item: string): Promise<void> => {
    await page.getByRole('button', { name: `More for ${name}` }).click();
    await page.getByRole('menuitem', { name: item, exact: true }).click();
  };

  it('are copied as a stopped node with secrets, groups, tags and subscriptions, also over a restart', async () => {
    await plant.client.ok('POST', '/node', {
      name: 'cloud',
      plugin: 'MQTT',
      params: { host: '127.0.0.1', port: 1, 'client-id': 'c', username: 'u', password: 'very-secret' },
    });
    await plant.client.ok('POST', '/subscribe', { app: 'cloud', driver: 'boiler', group: 'fast' });
    const page = await open('#/drivers');
    await more(page, 'boiler', 'Copy');
    await page.getByRole('textbox', { name: 'Name' }).fill('kettle');
    await page.keyboard.press('Enter');
    await page.getByText('kettle is a copy of boiler.').waitFor();
    await page.getByRole('textbox', { name: 'Port', exact: true }).waitFor();
    await page.goto(`${plant.gateway.url}/#/apps`);
    await more(page, 'cloud', 'Copy');
    await page.getByRole('textbox', { name: 'Name' }).fill('cloud 2');
    await page.keyboard.press('Enter');
    await page.getByText('cloud 2 is a copy of cloud.').waitFor();
    const check = async (): Promise<void> => {
      expect(await tagsOf('fast', 'kettle')).to.deep.equal(await tagsOf('fast'));
      expect(await groupsOf('kettle')).to.deep.equal(await groupsOf());
      expect(await settingsOf('kettle')).to.deep.equal(await settingsOf());
      expect(await runningOf('kettle')).to.equal(RunningState.STOPPED);
      expect(await subscriptionsOf('cloud 2')).to.deep.equal(await subscriptionsOf('cloud'));
      const { params } = await plant.client.ok<{ params: object }>('GET', '/node/setting', {
        node: 'cloud 2',
        secrets: 'true',
      });
      expect(params).to.include({ password: 'very-secret' });
    };
    await check();
    await plant.gateway.restart();
    await plant.renew();
    await check();
    const taken = await plant.client.call('POST', '/node/clone', { name: 'boiler', new_name: 'kettle' });
    expect([taken.status, taken.body.error]).to.deep.equal([409, 2002]);
    for (const name of ['cloud', 'cloud 2']) await plant.client.ok('DELETE', '/node', { name });
  });

  it('are started and stopped together; which of them failed is said with the reason, and tried again', async () => {
    await plant.client.ok('POST', '/node', { name: 'unset', plugin: 'Modbus TCP' });
    const page = await open('#/drivers');
    for (const name of ['boiler', 'kettle', 'unset'])
      await page.getByRole('checkbox', { name: `Select ${name}`, exact: true }).check();
    await page.getByRole('button', { name: 'Start', exact: true }).click();
    const failed = page.getByRole('alert').filter({ hasText: '1 of 2 failed' });
    await failed.getByText(/^unset: /).waitFor();
    await until('the copy runs', async () => (await runningOf('kettle')) === RunningState.RUNNING);
    await plant.client.ok('POST', '/node/setting', { node: 'unset', params: await settingsOf() });
    await plant.client.call('POST', '/node/ctl', { node: 'unset', cmd: NodeCommand.STOP });
    await failed.getByRole('button', { name: 'Retry those' }).click();
    await page.getByText('1 of 1 done.').waitFor();
    expect(await runningOf('unset')).to.equal(RunningState.RUNNING);
    // The page knows that all three run a moment later.
    const stops = page.getByRole('button', { name: /^Stop (boiler|kettle|unset)$/ });
    await until('all three run', async () => (await stops.count()) === 3);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByText('3 of 3 done.').waitFor();
    for (const name of ['boiler', 'kettle', 'unset'])
      expect(await runningOf(name), name).to.equal(RunningState.STOPPED);
    await plant.client.ok('POST', '/node/ctl', { node: 'boiler', cmd: NodeCommand.START });
  });

  it('are there again after a deletion is undone: a node, a group, a tag', async () => {
    const before = [
      await settingsOf(),
      await groupsOf(),
      await tagsOf('fast'),
      await subscriptionsOf('uplink'),
    ];
    const now = async (): Promise<unknown[]> => [
      await settingsOf(),
      await groupsOf(),
      await tagsOf('fast'),
      await subscriptionsOf('uplink'),
    ];
    const undo = async (page: Page, name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText(name).waitFor();
    };
    const page = await open('#/drivers');
    await more(page, 'boiler', 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('boiler is deleted.').waitFor();
    expect((await plant.client.call('GET', '/group', { node: 'boiler' })).status).to.equal(404);
    expect(await subscriptionsOf('uplink')).to.deep.equal([]);
    await undo(page, 'boiler is there again.');
    expect(await now()).to.deep.equal(before);
    await connected(plant.client, 'boiler');
    const again = await plant.client.call('POST', '/node/undelete', { name: 'boiler' });
    expect([again.status, again.body.error], 'it is kept once').to.deep.equal([404, 2003]);

    // A group that an app subscribes to is not deleted.
    await plant.client.ok('DELETE', '/subscribe', { app: 'uplink', driver: 'boiler', group: 'fast' });
    await page.goto(`${plant.gateway.url}/#/nodes/boiler/groups`);
    await page.getByRole('button', { name: 'Delete fast' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('fast is deleted.').waitFor();
    expect(await groupsOf()).to.deep.equal([]);
    await undo(page, 'fast is there again.');
    expect([await groupsOf(), await tagsOf('fast')]).to.deep.equal(before.slice(1, 3));

    await page.goto(`${plant.gateway.url}/#/nodes/boiler/groups/fast`);
    await page.getByRole('checkbox', { name: 'Select tag1' }).check();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('1 tag is deleted.').waitFor();
    await until('the tag is gone', async () => (await tagsOf('fast')).length === 2);
    await undo(page, '1 tag is added.');
    const names = (await tagsOf('fast')).map(({ name }) => name);
    expect(names.toSorted()).to.deep.equal(['tag0', 'tag1', 'tag2']);
  });
});
