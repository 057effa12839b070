import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import type { TagBody } from '../configure.ts';
import { sleep, until } from '../until.ts';
import { cpuSeconds } from './cpu-time.ts';
import { evaluate, rate } from './events.ts';
import type { EventCase, EventNote } from './events.ts';
import { Listener } from './listener.ts';
import type { Run } from './run.ts';
import { addGroup, addUplink, openStand, processTree } from './stand.ts';

export const iec104Cases: readonly EventCase[] = [
  { name: `IEC 104, ${rate} spontaneous changes/s on 10k objects`, points: 10_000 },
];

/** A station in a process of its own. */
class FastStation implements AsyncDisposable {
  readonly port: number;
  /** When its changes began, in milliseconds of the system's monotonic clock. */
  from = NaN;
  readonly #process: ReturnType<typeof fork>;

  private constructor(process: ReturnType<typeof fork>, port: number) {
    this.#process = process;
    this.port = port;
    process.on('message', ({ from }: { from: number }) => (this.from = from));
  }

  static async start(objects: number): Promise<FastStation> {
    const script = join(import.meta.dirname, 'iec104-station-process.ts');
    const child = fork(script, [String(objects), String(rate)], { execArgv: [] });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    return new FastStation(child, port);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#process, 'exit');
    this.#process.kill('SIGKILL');
    await exit;
  }
}

function bitStrings(count: number): TagBody[] {
  return Array.from({ length: count }, (_, index) => ({
    name: `tag${index}`,
    address: String(index + 1),
    attribute: Attribute.READ | Attribute.SUBSCRIBE,
    type: DataType.UINT32,
  }));
}

/** Spontaneous changes, from when the station has them to a subscriber: none may be missing. */
export async function measureIec104(test: EventCase, run: Run): Promise<void> {
  const { report, quick } = run;
  await using station = await FastStation.start(test.points);
  await using stand = await openStand(run);
  const { client, broker } = stand;
  await client.ok('POST', '/node', { name: 'plant', plugin: 'IEC60870-5-104' });
  await addGroup(stand, 'plant', 'group', 1_000, bitStrings(test.points));
  const listener = await Listener.start<EventNote>(broker.port, 'bench', 'arrival-listener-process.ts');
  try {
    await addUplink(stand, 'plant', 'group', 'bench');
    const params = { host: '127.0.0.1', port: station.port, interval: 0 };
    await client.ok('POST', '/node/setting', { node: 'plant', params });
    await until('changes arrive', async () => (await listener.take()).some(({ pairs }) => pairs.length > 0));
    await sleep(quick ? 2_000 : 5_000);
    await listener.take();
    const cpuNow = async (): Promise<number> => cpuSeconds(await processTree(stand));
    const [from, cpuBefore] = [performance.now(), await cpuNow()];
    await sleep(quick ? 8_000 : 30_000);
    const [to, cpu] = [performance.now(), (await cpuNow()) - cpuBefore];
    for (const { pairs, messages } of await listener.take()) {
      // From when a change came to how many tenths of milliseconds that is after it was due.
      const since = pairs.map((value, at) =>
        at % 2 === 0 ? value : (value - station.from - ((pairs[at - 1] ?? 0) * 1000) / rate) * 10,
      );
      evaluate(test, report, { pairs: since, messages }, (to - from) / 1000, cpu);
    }
  } finally {
    await listener.stop();
  }
}
