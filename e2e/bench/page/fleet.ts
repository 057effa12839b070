import { Chromium } from '../../kit/browser.ts';
import { Gateway } from '../../kit/gateway.ts';
import { ScriptedGateways } from '../../world/scripted-gateways.ts';
import type { Report } from '../report.ts';

const count = 200;
const name = `the page, a fleet of ${count} gateways`;
const rounds = 3;

/** How long the fleet takes to be seen whole, by a gateway that has asked none of the others yet. */
export async function measureFleet(report: Report): Promise<void> {
  await using opened = new AsyncDisposableStack();
  const others = opened.use(await ScriptedGateways.start(count));
  const gateway = opened.adopt(await Gateway.start(), (it) => it.dispose());
  const client = await gateway.client();
  await client.ok('PUT', '/fleet/gateways', { gateways: others.list });
  const chromium = opened.adopt(await Chromium.start(), (it) => it.stop());
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    if (round > 0) await gateway.restart();
    const page = await chromium.open(gateway, '', { as: { token: client.token ?? '', user: 'admin' } });
    await page.getByRole('link', { name: 'Fleet' }).waitFor();
    const begun = performance.now();
    await page.getByRole('link', { name: 'Fleet' }).click();
    // All have answered: none is asked for the first time any more.
    await page.getByText('160 good').waitFor();
    times.push(performance.now() - begun);
    await chromium.clear();
  }
  report.add(name, `all are seen after a start, best of ${rounds}`, Math.min(...times), 'ms', { most: 2000 });
}
