import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { Attribute, DataType } from '@tagway/schemas';
import { sleep, until } from '../kit/until.ts';
import { DeviceProcess } from '../world/device-process.ts';
import { Listener } from './listener.ts';
import { observe } from './observation.ts';
import type { Observation } from './observation.ts';
import type { Report } from './report.ts';
import { addGroup, addNode, addUplink, openSetup, processTree, startNode } from './setup.ts';
import type { MeasureContext } from './setup.ts';

/** Changes per second, over all points. */
const rate = 5_000;

/** A change as it came to the subscriber. */
interface SeenChange {
  /** Counted from 1. */
  readonly number: number;
  /** Milliseconds since it was due. */
  readonly late: number;
}

/** A driver that reports changes, and where they come from. */
interface Source {
  readonly plugin: string;
  readonly type: DataType;
  /** Address of the first point; the others follow. */
  readonly first: number;
  readonly settings: object;
  /** What a value says that came at `at`, in milliseconds of the system's monotonic clock. */
  readonly changeOf: (value: number, at: number) => SeenChange;
  /** Fills the data folder of the gateway. */
  readonly prepare?: (data: string) => Promise<void>;
}

export interface ChangeCase {
  readonly name: string;
  readonly points: number;
  readonly open: (points: number, stack: AsyncDisposableStack) => Source | Promise<Source>;
}

/** Factor by which the event source shifts the number of a change, to hold the tenths of milliseconds when it was due beside it. */
const stampRange = 2 ** 17;

const eventSource = (): Source => ({
  plugin: 'Event source',
  type: DataType.DOUBLE,
  first: 0,
  settings: { rate },
  changeOf(value, at) {
    const tenths = Math.floor(at * 10) - (value % stampRange);
    return {
      number: Math.floor(value / stampRange),
      late: (((tenths % stampRange) + stampRange) % stampRange) / 10,
    };
  },
  prepare: (data) =>
    cp(join(import.meta.dirname, 'event-source'), join(data, 'libraries', 'event-source'), {
      recursive: true,
    }),
});

/** A station of IEC 60870-5-104 that says when its changes began. */
class Station extends DeviceProcess {
  /** Milliseconds of the system's monotonic clock. */
  from = NaN;

  protected override heard({ from }: { readonly from: number }): void {
    this.from = from;
  }
}

async function iec104(objects: number, stack: AsyncDisposableStack): Promise<Source> {
  const station = new Station('bench/iec104-station-process.ts', { objects, rate });
  stack.defer(() => station.stop());
  await station.start();
  return {
    plugin: 'IEC60870-5-104',
    type: DataType.UINT32,
    first: 1,
    settings: { ...station.settings, interval: 0 },
    changeOf: (number, at) => ({ number, late: at - station.from - (number * 1000) / rate }),
  };
}

export const changeCases: readonly ChangeCase[] = [
  { name: `events, ${rate} changes/s on 10k points`, points: 10_000, open: eventSource },
  { name: `events, ${rate} changes/s on 10 points`, points: 10, open: eventSource },
  { name: `IEC 104, ${rate} spontaneous changes/s on 10k objects`, points: 10_000, open: iec104 },
];

/** Changes that a driver reports, from when they are due to a subscriber: none may be missing. */
export async function measureChanges(test: ChangeCase, run: MeasureContext): Promise<void> {
  const { points, open } = test;
  const { report, quick, stack } = run;
  const { plugin, type, first, settings, changeOf, ...prepare } = await open(points, stack);
  const setup = await openSetup(run, prepare);
  const tags = Array.from({ length: points }, (_, index) => ({
    name: `tag${index}`,
    address: String(first + index),
    attribute: Attribute.READ | Attribute.SUBSCRIBE,
    type,
  }));
  await addNode(setup, 'plant', plugin);
  await addGroup(setup, 'plant', 'group', 1_000, tags);
  const listener = await Listener.start(stack, setup.broker.port, 'bench', 'values');
  await addUplink(setup, 'plant', 'group');
  await startNode(setup, 'plant', settings);
  const haveCome = async (): Promise<boolean> =>
    (await listener.take()).some(({ values = [] }) => values.length > 0);
  await until('changes arrive', haveCome);
  await sleep(quick ? 2_000 : 5_000);
  const seen = await observe(listener, () => processTree(setup), quick ? 10_000 : 30_000);
  const changes = seen.arrivals.flatMap(({ values = [], at }) => values.map((value) => changeOf(value, at)));
  addChanges(test, report, changes, seen);
}

/** Adds what became of the changes. */
function addChanges(
  { name, points }: ChangeCase,
  report: Report,
  changes: readonly SeenChange[],
  { arrivals, cpu, from, to }: Observation,
): void {
  // What came within a second of the ends may have neighbours that came before or after the window.
  const first = (changes[0]?.number ?? 0) + rate;
  const last = (changes.at(-1)?.number ?? 0) - rate;
  const seen = new Set<number>();
  /** Per point the latest change that was seen. */
  const newest = new Float64Array(points);
  let twice = 0;
  let disordered = 0;
  for (const { number } of changes) {
    const latest = newest[number % points] ?? 0;
    if (seen.has(number)) twice += 1;
    else if (number < latest) disordered += 1;
    seen.add(number);
    newest[number % points] = Math.max(latest, number);
  }
  let lost = 0;
  for (let number = first; number <= last; number += 1) if (!seen.has(number)) lost += 1;
  const thousands = changes.length / 1000;
  const perSecond = seen.size / ((to - from) / 1000);
  report.add(name, 'changes at the subscriber', perSecond, 'changes/s', { least: rate * 0.99 });
  report.add(name, 'changes lost', lost, 'changes', { most: 0 });
  report.add(name, 'changes after a newer one of their point', disordered, 'changes', { most: 0 });
  report.add(name, 'changes that came twice', twice, 'changes', { most: 0 });
  const times = changes.map(({ late }) => late);
  report.addPercentiles(name, 'from due to the subscriber', times, { p99: { most: 50 } });
  report.add(name, 'messages per 1000 changes', arrivals.length / thousands, 'messages');
  report.add(name, 'CPU per 1000 changes', (cpu * 1e6) / thousands, 'µs');
}
