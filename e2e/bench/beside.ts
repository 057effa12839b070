import { sleep } from '../until.ts';
import { openFloor } from './floor.ts';
import { Listener } from './listener.ts';
import { measureLoad } from './load.ts';
import type { Load } from './load.ts';
import { observe, periodErrors } from './observation.ts';
import type { Observation } from './observation.ts';
import { int16Tags } from './plant.ts';
import { percentile, ratioOf } from './report.ts';
import type { Target } from './report.ts';
import type { Run } from './run.ts';
import { addDriver, addGroup, addUplink, openStand, processTree, startDriver } from './stand.ts';
import type { Stand } from './stand.ts';
import { warmUp } from './warm-up.ts';

const tags = 10_000;
/** Milliseconds. */
const interval = 100;
/** Requests per second. */
const rate = 1_000;

/** A gateway that publishes ten thousand tags ten times a second, and what a subscriber sees of it meanwhile. */
interface Busy {
  readonly stand: Stand;
  watch(work: number | (() => Promise<unknown>)): Promise<Observation>;
}

async function withBusy(
  run: Run,
  prepare: (stand: Stand) => Promise<void>,
  work: (busy: Busy) => Promise<void>,
): Promise<void> {
  await using stand = await openStand(run);
  await addDriver(stand, 'plant');
  await addGroup(stand, 'plant', 'group', interval, int16Tags(tags));
  await prepare(stand);
  const listener = await Listener.start(stand.broker.port, 'bench');
  try {
    await addUplink(stand, 'plant', 'group', 'bench');
    await startDriver(stand, 'plant');
    await warmUp(run, 1_000 / interval);
    await work({ stand, watch: (during) => observe(listener, () => processTree(stand), during) });
  } finally {
    await listener.stop();
  }
}

const loadOf = ({ client, gateway }: Stand): Pick<Load, 'port' | 'token' | 'warmUp'> => ({
  port: Number(new URL(gateway.url).port),
  token: client.token ?? '',
  warmUp: 0,
});

/** A thousand reads of a thousand tags per second, all of which are polled ten times a second. */
export async function measureReadsBeside(run: Run): Promise<void> {
  const { report, quick } = run;
  const name = `POST /read of 1000 tags at ${rate}/s beside 10k tags @ 100 ms`;
  const seconds = quick ? 5 : 20;
  const prepare = (stand: Stand): Promise<void> =>
    addGroup(stand, 'plant', 'read', interval, int16Tags(1_000));
  await withBusy(run, prepare, async ({ stand, watch }) => {
    const alone = await watch(seconds * 1_000);
    const question = { method: 'POST', path: '/read', body: { node: 'plant', group: 'read' } } as const;
    let latencies: readonly number[] = [];
    const beside = await watch(async () => {
      latencies = await measureLoad({ ...loadOf(stand), connections: 8, seconds, rate, question });
    });
    report.add(name, 'reads answered', latencies.length / seconds, 'requests/s', { least: rate * 0.98 });
    report.add(name, 'latency p50', percentile(latencies, 0.5), 'ms');
    report.add(name, 'latency p99', percentile(latencies, 0.99), 'ms');
    // What the samples of the same time would have cost alone.
    const samples = (alone.cpu / alone.arrivals.length) * beside.arrivals.length;
    report.add(name, 'CPU per read', ((beside.cpu - samples) * 1e3) / latencies.length, 'ms');
    addPeriods(run, name, '', beside, undefined);
  });
}

/**
 * How evenly samples are published, alone and while ten thousand tags are added again and again and a client reads large groups. The floor
 * does the same job beside, and bears what the machine does to whoever wants to be punctual on it then.
 */
export async function measureJitter(run: Run): Promise<void> {
  const name = 'jitter, 10k tags @ 100 ms';
  const milliseconds = run.quick ? 10_000 : 40_000;
  await using floor = await openFloor({ tags, interval });
  const listener = await Listener.start(floor.uploads.brokerPort, 'bench');
  const prepare = async (stand: Stand): Promise<void> => {
    await addDriver(stand, 'spare');
    await floor.uploads.start();
  };
  try {
    await withBusy(run, prepare, async ({ stand, watch }) => {
      const watchBoth = async (when: string, work: Parameters<Busy['watch']>[0]): Promise<void> => {
        const seen = await watch(work);
        const late = addPeriods(run, name, when, seen, { most: 5 });
        const arrivals = (await listener.take()).filter(({ at }) => at >= seen.from && at < seen.to);
        const floorLate = percentile(periodErrors({ ...seen, arrivals }, interval), 0.99);
        run.report.add(name, `p99 of the floor at the same time${when}`, floorLate, 'ms');
        run.report.add(name, `p99 ÷ that of the floor${when}`, ratioOf(late, floorLate), '× floor', {
          most: 2,
        });
      };
      await watchBoth(', alone', milliseconds);
      const question = { method: 'POST', path: '/read', body: { node: 'plant', group: 'group' } } as const;
      const added: number[] = [];
      await watchBoth(', while 10k tags are added every 2 s and read 50 times a second', async () => {
        const seconds = milliseconds / 1000;
        const reads = measureLoad({ ...loadOf(stand), connections: 1, seconds, rate: 50, question });
        const end = performance.now() + milliseconds;
        for (let count = 0; performance.now() < end; count += 1) {
          const from = performance.now();
          await addGroup(stand, 'spare', `group ${count}`, interval, int16Tags(tags));
          const took = performance.now() - from;
          added.push(took);
          await sleep(Math.max(0, 2_000 - took));
        }
        await reads;
      });
      run.report.add(name, 'adding 10k tags meanwhile p50', percentile(added, 0.5), 'ms');
    });
  } finally {
    await listener.stop();
  }
}

/** Returns the 99th percentile in milliseconds. */
function addPeriods(
  { report }: Run,
  name: string,
  when: string,
  observation: Observation,
  target: Target | undefined,
): number {
  const errors = periodErrors(observation, interval);
  report.add(name, `publish period |Δ − nominal| p50${when}`, percentile(errors, 0.5), 'ms');
  const p99 = percentile(errors, 0.99);
  report.add(name, `publish period |Δ − nominal| p99${when}`, p99, 'ms', target);
  return p99;
}
