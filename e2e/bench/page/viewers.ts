import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { readValues, stateOf } from '../../kit/configure.ts';
import type { ProcessRow } from '../../kit/processes.ts';
import { sleep } from '../../kit/until.ts';
import { observe } from '../observation.ts';
import { openPublisher } from '../publisher.ts';
import type { Report } from '../report.ts';
import type { Order, Seen } from './viewers-process.ts';

const count = 20;
const tags = 10_000;
const milliseconds = 30_000;

/** What twenty streams of one large group cost the gateway, and whether an app misses a cycle meanwhile. */
export async function measureViewers(report: Report): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const publisher = await openPublisher({ stack }, { tags, interval: 1000 });
  const { client, gateway, listener, processes } = publisher;
  await publisher.start();
  await readValues(client, 'plant', 'group');
  await sleep(5000);
  const host = async (): Promise<ProcessRow[]> =>
    (await processes()).filter(({ pid }) => pid === gateway.pid);
  const alone = await observe(listener, host, milliseconds);

  const order: Order = { url: gateway.url, token: client.token ?? '', count, node: 'plant', group: 'group' };
  const script = join(import.meta.dirname, 'viewers-process.ts');
  const child = stack.adopt(fork(script, [JSON.stringify(order)], { execArgv: [] }), (it) => {
    it.kill('SIGKILL');
  });
  await once(child, 'message');
  const watched = await observe(listener, host, milliseconds);
  const answer = once(child, 'message');
  child.send('take');
  const [seen] = (await answer) as [Seen];

  const name = `${count} viewers of ${tags / 1000}k tags @ 1 s`;
  /** Percent of a core that the gateway's own process takes. */
  const [before, after] = [alone, watched].map(({ cpu, from, to }) => (cpu * 1e5) / (to - from));
  const more = ((after ?? NaN) - (before ?? NaN)) / count;
  report.add(name, 'CPU of the host, nobody looks on', before ?? NaN, '% of a core');
  report.add(name, 'CPU of the host, all look on', after ?? NaN, '% of a core');
  report.add(name, 'more for each viewer', more, '% of a core', { most: 10 });
  const perViewer = seen.values / count / seen.seconds;
  report.add(name, 'values at each viewer', perViewer, 'values/s', { least: tags * 0.97 });
  const due = Math.floor((watched.to - watched.from) / 1000);
  const kept = Math.min(100, (100 * watched.arrivals.length) / due);
  report.add(name, 'cycles at the broker, of those due', kept, '%', { least: 100 });
  const { missed_ticks: missed = 0 } = await stateOf(client, 'plant');
  report.add(name, 'cycles that the driver missed', missed, 'cycles', { most: 0 });
}
