import { DataType } from '@tagway/schemas';
import { expect } from 'chai';
import type { Locator, Page } from 'playwright-core';
import { describePage } from '../kit/browser.ts';
import { connected } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { EtherNetIpPlc } from '../world/ethernetip-plc.ts';
import { hasSnmp, SnmpDaemon } from '../world/snmp-daemon.ts';
import { usePage } from './fixture.ts';

describePage('browsing a controller and an agent', function () {
  this.timeout(60_000);
  const { plant, open, tagsOf } = usePage();
  let plc: EtherNetIpPlc | undefined;
  let daemon: SnmpDaemon | undefined;
  after(() => Promise.all([plc?.stop(), daemon?.stop()]));
  const folder = useFolder('browse-devices');

  async function browse(
    node: string,
    plugin: string,
    params: object,
  ): Promise<[page: Page, dialog: Locator]> {
    const { client } = plant;
    await client.ok('POST', '/node', { name: node, plugin, params: { ...params } });
    await client.ok('POST', '/group', { node, name: 'g', interval: 1000 });
    await connected(client, node);
    const page = await open(`#/nodes/${node}/groups/g`);
    await page.getByRole('button', { name: 'Browse the device' }).click();
    return [page, page.getByRole('dialog')];
  }

  it('lists the tags of a Logix controller with their types, and makes tags of them that are read', async () => {
    plc = await EtherNetIpPlc.start();
    const [page, dialog] = await browse('press', 'EtherNet/IP', plc.settings);
    const level = dialog.getByRole('row', { name: /\bLevel\b/ });
    await level.waitFor();
    expect(await level.innerText()).to.include('INT');
    await level.getByRole('checkbox').check();
    await dialog
      .getByRole('row', { name: /\bRate\b/ })
      .getByRole('checkbox')
      .check();
    await dialog.getByRole('button', { name: 'Open Setpoints', exact: true }).click();
    await dialog.getByRole('row', { name: /\[1\]/ }).first().getByRole('checkbox').check();
    await dialog.getByRole('button', { name: 'Add 3 tags' }).click();
    await page.getByText('3 tags are added.').waitFor();
    const tags = await tagsOf('g', 'press');
    expect(tags.map(({ address, type }) => [address, type])).to.have.deep.members([
      ['Level', DataType.INT16],
      ['Rate', DataType.FLOAT],
      ['Setpoints[1]', DataType.FLOAT],
    ]);
    await page.getByRole('row', { name: /Level/ }).waitFor();
    const read = await plant.client.ok<{ tags: { error?: number }[] }>('POST', '/read', {
      node: 'press',
      group: 'g',
      sync: true,
    });
    expect(read.tags.filter(({ error }) => error !== undefined)).to.deep.equal([]);
  });

  (hasSnmp ? it : it.skip)(
    `lists the objects of an agent by their names${hasSnmp ? '' : ' (skipped: snmpd and snmp are not installed)'}`,
    async () => {
      daemon = await SnmpDaemon.start(folder('snmpd'), [
        'rocommunity public 127.0.0.1',
        'sysName a switch',
        'sysServices 72',
      ]);
      const [page, dialog] = await browse('switch', 'SNMP', { host: '127.0.0.1', port: daemon.port });
      await dialog
        .getByRole('button', { name: /^Open / })
        .first()
        .waitFor();
      await dialog.getByRole('button', { name: /^Open system\b/ }).click();
      const name = dialog.getByRole('row', { name: /\bsysName\b/ });
      await name.getByRole('checkbox').check();
      await dialog.getByRole('button', { name: 'Add 1 tag' }).click();
      await page.getByText('1 tag is added.').waitFor();
      const [tag] = await tagsOf('g', 'switch');
      expect(tag).to.include({ type: DataType.STRING });
      const read = await plant.client.ok<{ tags: { value?: unknown }[] }>('POST', '/read', {
        node: 'switch',
        group: 'g',
        sync: true,
      });
      expect(read.tags.map(({ value }) => value)).to.deep.equal(['a switch']);
    },
  );
});
