import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { axeFindings, describePage } from '../kit/browser.ts';
import { modbusSettings } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { until } from '../kit/until.ts';
import { usePage } from './fixture.ts';

/** The cells of the table, row by row. */
type Rows = readonly (readonly string[])[];

describePage('the table of open ports', function () {
  this.timeout(90_000);
  const { plant, open } = usePage();
  let dialIn: number;
  let station: number;
  let opc: number;

  before(async () => {
    dialIn = await freePort();
    station = await freePort();
    opc = await freePort();
  });

  const add = async (node: string, plugin: string, params: object): Promise<void> => {
    await plant.client.ok('POST', '/node', { name: node, plugin });
    await plant.client.ok('POST', '/node/setting', { node, params });
  };
  const rowsOf = async (page: Page, name: string): Promise<Rows> => {
    const rows = await page.getByRole('table', { name }).getByRole('row').all();
    const cells = rows.slice(1).map((row) => row.getByRole('cell').allInnerTexts());
    return (await Promise.all(cells)).map((row) => row.map((text) => text.trim().replace(/\s+/g, ' ')));
  };
  /** The page looks every ten seconds. */
  const shows = async (page: Page, name: string, expected: Rows): Promise<void> => {
    const rows = await until(
      `there are ${expected.length} rows`,
      async () => {
        const found = await rowsOf(page, name);
        return found.length === expected.length && found;
      },
      { within: 40_000 },
    );
    expect(rows).to.deep.equal(expected);
  };

  it('says of each place who is let in, whether it is encrypted, and whether writes are taken', async () => {
    const page = await open('#/about');
    await page.getByText('No node takes connections.').waitFor();
    await add('meter', 'Modbus TCP', modbusSettings(dialIn, { connection_mode: 1 }));
    await add('station', 'IEC60870-5-104 Server', { host: '0.0.0.0', port: station, commands: true });
    await add('opc', 'OPC UA Server', { host: '127.0.0.1', port: opc, security_mode: 1 });
    const title = 'Open ports of nodes';
    await shows(page, title, [
      ['meter', `127.0.0.1:${dialIn} Modbus TCP`, 'everybody on this machine', 'not required', 'no'],
      [
        'station',
        `0.0.0.0:${station} IEC 60870-5-104`,
        'everybody who reaches the address',
        'not required',
        'yes',
      ],
      ['opc', `127.0.0.1:${opc} OPC UA`, 'those that its settings name', 'required', 'yes'],
    ]);
    expect(await axeFindings(page)).to.deep.equal([]);
    await page.getByRole('table', { name: title }).getByRole('link', { name: 'meter' }).click();
    await page.getByRole('heading', { name: 'meter' }).waitFor();
  });

  it('is there in Chinese after a start of the gateway, without a node that has been stopped', async () => {
    await plant.gateway.restart();
    await plant.renew();
    const page = await open('#/about', { language: 'zh' });
    const title = '节点开放的端口';
    const rows: Rows = [
      ['meter', `127.0.0.1:${dialIn} Modbus TCP`, '本机上的所有人', '不要求', '否'],
      ['station', `0.0.0.0:${station} IEC 60870-5-104`, '所有能到达该地址的人', '不要求', '是'],
      ['opc', `127.0.0.1:${opc} OPC UA`, '其设置中指定的对象', '必须', '是'],
    ];
    await shows(page, title, rows);
    expect(await axeFindings(page)).to.deep.equal([]);
    await plant.client.ok('POST', '/node/ctl', { node: 'station', cmd: 1 });
    await shows(
      page,
      title,
      rows.filter(([node]) => node !== 'station'),
    );
  });
});
