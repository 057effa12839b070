import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readValues } from '../../configure.ts';
import { processesOf } from '../../processes.ts';
import { sleep } from '../../until.ts';
import { cpuSeconds } from '../cpu-time.ts';
import { Listener } from '../listener.ts';
import { int16Tags } from '../plant.ts';
import type { Report } from '../report.ts';
import { addDriver, addGroup, addUplink, openStand, startDriver, type Stand } from '../stand.ts';
import type { Seen } from './viewers-process.ts';

const count = 20;
const tags = 10_000;
const seconds = 30;

/** CPU that the gateway's own process takes, in percent of a core. */
async function hostLoad({ gateway }: Stand): Promise<number> {
  const host = (await processesOf(gateway.pid)).filter(({ pid }) => pid === gateway.pid);
  const [from, before] = [performance.now(), await cpuSeconds(host)];
  await sleep(seconds * 1000);
  const [to, after] = [performance.now(), await cpuSeconds(host)];
  return ((after - before) / ((to - from) / 1000)) * 100;
}

/** What twenty streams of one large group cost the gateway, and whether an app misses a cycle meanwhile. */
export async function measureViewers(report: Report): Promise<void> {
  await using stand = await openStand({});
  const { client, gateway, broker } = stand;
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', 1000, int16Tags(tags));
  const listener = await Listener.start(broker.port, 'bench');
  try {
    await addUplink(stand, 'plant', 'group', 'bench');
    await startDriver(stand, 'plant');
    await readValues(client, 'plant', 'group');
    await sleep(5000);
    const alone = await hostLoad(stand);

    const order = { url: gateway.url, token: client.token ?? '', count, node: 'plant', group: 'group' };
    const child = fork(join(import.meta.dirname, 'viewers-process.ts'), [JSON.stringify(order)], {
      execArgv: [],
    });
    await once(child, 'message');
    await listener.take();
    const from = performance.now();
    const watched = await hostLoad(stand);
    const due = Math.floor((performance.now() - from) / 1000);
    const arrivals = await listener.take();
    const answer = once(child, 'message');
    child.send('take');
    const [seen] = (await answer) as [Seen];
    child.kill('SIGKILL');

    const name = `${count} viewers of ${tags / 1000}k tags @ 1 s`;
    report.add(name, 'CPU of the host, nobody looks on', alone, '% of a core');
    report.add(name, 'CPU of the host, all look on', watched, '% of a core');
    report.add(name, 'more for each viewer', (watched - alone) / count, '% of a core', { most: 10 });
    report.add(name, 'values at each viewer', seen.values / count / seen.seconds, 'values/s', {
      least: tags * 0.97,
    });
    report.add(
      name,
      'cycles at the broker, of those due',
      Math.min(100, (100 * arrivals.length) / due),
      '%',
      {
        least: 100,
      },
    );
    const { missed_ticks: missed = 0 } = await client.ok<{ missed_ticks?: number }>('GET', '/node/state', {
      node: 'plant',
    });
    report.add(name, 'cycles that the driver missed', missed, 'cycles', { most: 0 });
  } finally {
    await listener.stop();
  }
}
