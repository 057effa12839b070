import type { Page } from 'playwright-core';
import { Chromium } from '../../kit/browser.ts';
import { readValues } from '../../kit/configure.ts';
import { sleep } from '../../kit/until.ts';
import { int16Tags } from '../plant.ts';
import type { Report } from '../report.ts';
import { addGroup, addNode, openSetup, processTree, startNode } from '../setup.ts';
import { longestTask, openingTime } from './scale.ts';

const name = 'five tabs, 10k changes/s';
const tabs = 5;
const tags = 10_000;
const milliseconds = 20_000;

/** How fast one group of ten thousand tags that all change opens, and what five people who look at it cost the gateway. */
export async function measureTabs(report: Report): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const setup = await openSetup({ stack }, { device: { changing: tags } });
  const { client, gateway } = setup;
  await addNode(setup, 'plant');
  await addGroup(setup, 'plant', 'group', 1000, int16Tags(tags));
  await startNode(setup, 'plant');
  await readValues(client, 'plant', 'group', 60_000);
  await sleep(5000);

  /** Percent of a core that the gateway's own process takes. */
  const share = async (): Promise<number> => {
    const cpu = async (): Promise<number> =>
      (await processTree(setup)).find(({ pid }) => pid === gateway.pid)?.cpu ?? NaN;
    const begun = performance.now();
    const from = await cpu();
    await sleep(milliseconds);
    return (((await cpu()) - from) * 1e5) / (performance.now() - begun);
  };
  const before = await share();

  const chromium = stack.adopt(await Chromium.start(), (it) => it.stop());
  const as = { token: client.token ?? '', user: 'admin' };
  const open = async (): Promise<Page> => {
    const page = await chromium.open(gateway, '#/live?g=plant%2Fgroup', { as });
    await page
      .getByRole('row')
      .nth(1)
      .getByText(/^-?\d+$/)
      .first()
      .waitFor({ timeout: 60_000 });
    return page;
  };
  const page = await open();
  const times: number[] = [];
  const tasks: number[] = [];
  for (let turn = 0; turn < 5; turn += 1)
    tasks.push(await longestTask(page, async () => void times.push(await openingTime(page))));
  report.add(
    name,
    '10k tags open, first value, median of 5',
    times.toSorted((a, b) => a - b)[2]! / 1000,
    's',
    { most: 1 },
  );
  report.add(name, 'CPU time of the longest task then', Math.max(...tasks), 'ms', { most: 100 });

  for (let more = 1; more < tabs; more += 1) await open();
  const watched = await share();
  await chromium.stop();
  await sleep(3000);
  const after = await share();
  const alone = (before + after) / 2;
  report.add(name, 'CPU of the host, nobody looks on', alone, '% of a core');
  report.add(name, 'more for five tabs', watched - alone, '% of a core', { most: 0.5 });
}
