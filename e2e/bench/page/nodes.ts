import { Chromium } from '../../kit/browser.ts';
import { modbusSettings } from '../../kit/configure.ts';
import { Gateway } from '../../kit/gateway.ts';
import type { Report } from '../report.ts';

const count = 500;
const name = `the page, ${count} nodes`;

/** How long the list of nodes takes to open. */
export async function measureNodes(report: Report): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const gateway = opened.adopt(await Gateway.start(), (it) => it.dispose());
  const client = await gateway.client();
  const params = modbusSettings(1);
  for (let at = 0; at < count; at += 1)
    await client.ok('POST', '/node', { name: `pump ${at}`, plugin: 'Modbus TCP', params });

  const chromium = opened.adopt(await Chromium.start(), (it) => it.stop());
  const page = await chromium.open(gateway, '#/apps', { as: { token: client.token ?? '', user: 'admin' } });
  const times: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await page.getByRole('link', { name: 'Apps' }).click();
    const begun = performance.now();
    await page.getByRole('link', { name: 'Drivers' }).click();
    await page.getByText(`${count} of ${count}`).waitFor();
    await page.getByRole('link', { name: 'pump 0', exact: true }).waitFor();
    times.push(performance.now() - begun);
  }
  report.add(name, 'the list is open, best of 5', Math.min(...times), 'ms', { most: 1000 });
}
