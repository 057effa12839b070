// `npm run soak`: the built gateway with devices, brokers and clients for hours, in which processes are killed and devices and brokers
// are away, at random from a seed. Tells what grew and what was lost.
import { setTimeout as sleep } from 'node:timers/promises';
import { ErrorCode } from '@tagway/schemas';
import { optionsOf } from '../kit/options.ts';
import { random } from '../kit/mutations.ts';
import { until } from '../kit/until.ts';
import { Changes } from './changes.ts';
import { Disturbances } from './disturbances.ts';
import { counter, Field, watched } from './field.ts';
import { Churn } from './churn.ts';
import { Derived } from './derived.ts';
import { longestPause, Pauses, read, repeat, Writes } from './load.ts';
import { LogErrors } from './log-errors.ts';
import { Machine } from './machine.ts';
import { Meter } from './meter.ts';
import { growthOf, growthTable, lostBySubscribers, type Lost } from './report.ts';
import { Session } from './session.ts';

const usage = `Usage: npm run soak -- [options]

  --hours N   How long, 1 unless given; 0.02 is a try of a minute. Processes are killed in the first third of each two hours, or of a
              shorter run. In the rest devices and brokers are away now and then, and memory and descriptors can be followed.
  --seed S    What is done when. A run prints its seed; the same seed does the same, as far as the machine is as fast.
  --bound N   Megabytes per hour that a process may grow, 10 unless given.
  --churn N   A group of N tags is made, polled, subscribed to and deleted every ten seconds beside the rest.
  --calm      Nothing is killed, no device or broker is away, and no process is asked to collect its garbage.
  --help      Print this text and end.

It ends with code 1 when something was lost, did not work again, or grew beyond the bound.
`;

const options = optionsOf(usage, {
  hours: { type: 'string', default: '1' },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  bound: { type: 'string', default: '10' },
  churn: { type: 'string', default: '0' },
  calm: { type: 'boolean', default: false },
});

function positive(name: 'hours' | 'seed' | 'bound' | 'churn'): number {
  const number = Number(options[name]);
  if (!Number.isFinite(number) || number <= 0) throw new Error(`--${name} takes a number above 0.`);
  return number;
}

/** Milliseconds in which a driver may not have dialled its device again that is back; until then its samples hold errors. */
const redial = 20_000;

/** Milliseconds from one collection of all garbage to the next. */
const heapPause = 120_000;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const stamp = (): string => new Date().toISOString().slice(11, 19);

async function soak(hours: number, seed: number, bound: number): Promise<boolean> {
  const pick = random(seed);
  await using stack = new AsyncDisposableStack();
  const field = stack.adopt(await Field.open(), (it) => it.close());
  say(`Soak of ${hours} h with seed ${seed}: ${field.peers}; Node ${process.version}.`);

  const session: Session = new Session(field.gateway, () => disturbances.isUp, say);
  const corners = [0, 1].map((index) => new Changes(session, index, random(seed + index + 1)));
  const churn = options.churn === '0' ? undefined : new Churn(session, positive('churn'));
  const pauses = new Pauses(session);
  const writes = new Writes(session, field);
  const derived = new Derived(session);
  const disturbances = new Disturbances(field, pick, async (again) => {
    await logs.collect(session).catch((error: unknown) => session.fail(error));
    session.forget();
    await again();
  });
  const logs = new LogErrors();
  const meter = new Meter(field.gateway);
  const machine = new Machine(() => meter.present.keys());
  stack.defer(() => machine.stop());
  const begun = performance.now();
  const interrupted = new AbortController();
  process.once('SIGINT', () => interrupted.abort());
  const signal = AbortSignal.any([interrupted.signal, AbortSignal.timeout(Math.round(hours * 3_600_000))]);

  await until('samples of everything arrive', () =>
    [...watched.map(({ key }) => key), `${counter.node}/${counter.group}`].every(
      (key) => field.steady.latest(key) > 0 && field.uplink.latest(key) > 0,
    ),
  );
  for (const corner of corners) await corner.begin();
  await churn?.begin(field.device.port);
  const from = Date.now();

  const isAway = (): boolean => {
    const now = Date.now();
    return disturbances.windows.some(
      ({ what, to }) => /^gateway$|plant|modbus-tcp/.test(what) && now <= to + redial,
    );
  };
  let busy = 0;
  /** A plugin whose runner was killed cannot be asked about a change for a moment. */
  const bear = (error: unknown): void => {
    const now = Date.now();
    const isKilled = disturbances.windows.some(
      ({ what, to }) => /^gateway$|^runner/.test(what) && now <= to + 5000,
    );
    if (!isKilled || !String(error).includes(`"error":${ErrorCode.BUSY},`)) throw error;
    busy += 1;
  };
  const reading = random(seed + 100);
  const loads = [
    ...corners.map((corner) => repeat(session, 300, signal, () => corner.next().catch(bear))),
    ...[0, 1, 2].map(() => repeat(session, 150, signal, () => read(session, reading))),
    repeat(session, 200, signal, () => writes.next(isAway)),
    repeat(session, 100, signal, () => pauses.next()),
    repeat(session, 2000, signal, () => derived.next()),
    ...(churn === undefined ? [] : [repeat(session, 0, signal, () => churn.next().catch(bear))]),
    repeat(session, 5000, signal, () => (disturbances.isUp ? meter.take() : Promise.resolve())),
    ...(options.calm
      ? []
      : [
          repeat(session, heapPause, signal, () =>
            disturbances.isUp ? meter.takeHeaps() : Promise.resolve(),
          ),
        ]),
    repeat(session, 30_000, signal, () => logs.collect(session)),
    repeat(session, 60_000, signal, async () => say(progress())),
  ];

  function progress(): string {
    const memory = [...meter.latest()].map(([kind, value]) => `${kind} ${value.toFixed(0)}`).join(', ');
    const disturbed = [...disturbances.counts.values()].reduce((sum, count) => sum + count, 0);
    return (
      `${stamp()} ${disturbed} disturbances; arrived ${field.steady.count} and ${field.uplink.count}; ` +
      `${session.calls} calls, ${writes.acknowledged} writes; ${session.failures.length} failures; MB: ${memory}`
    );
  }

  const period = Math.min(hours, 2) * 3_600_000;
  while (!signal.aborted) {
    await sleep(3000 + pick(15_000), undefined, { signal }).catch(() => undefined);
    const isRough = ((performance.now() - begun) % period) * 3 < period;
    if (!signal.aborted && !options.calm) await disturbances.next(isRough);
  }
  await Promise.all(loads);

  await disturbances.settle();
  const cached = async (): Promise<boolean> => {
    const text = await (await fetch(new URL('/api/v2/metrics', field.gateway.url))).text();
    return /^tagway_cached_msgs\{node="uplink"\} 0$/m.test(text);
  };
  await until('the cache of the uplink is empty', cached, { within: 120_000, every: 500 }).catch(
    (error: unknown) => disturbances.stuck.push(String(error)),
  );
  const to = Date.now() - 3000;
  await sleep(2000);
  await derived.verify().catch((error: unknown) => session.fail(error));
  for (const corner of corners) await corner.verify().catch((error: unknown) => session.fail(error));
  await logs.collect(session).catch((error: unknown) => session.fail(error));

  const lost: Lost[] = [
    ...lostBySubscribers(field, [...disturbances.windows, ...machine.windows], from, to),
    named('acknowledged writes lost', writes.lost),
    named(
      'acknowledged changes of the configuration lost',
      corners.flatMap((corner) => corner.lost),
    ),
    named('transitions of alarms lost, twice or out of order', derived.broken),
    named('totals that lost more than what was not saved', derived.fallen),
    named('calls of the API that failed', session.failures),
    named('times that something did not work again', disturbances.stuck),
    named('messages that are no samples', [...field.steady.strange, ...field.uplink.strange]),
  ];
  const hour = 1 / 3600;
  const growth = growthOf(
    meter.kinds,
    { warmUp: Math.min(0.25, hours / 4), bucket: 30 * hour },
    { memory: { perHour: bound, least: 10 }, descriptors: { perHour: 4, least: 4 } },
  );

  say(`\nDisturbances: ${[...disturbances.counts].map(([what, count]) => `${what} ${count}`).join(', ')}.`);
  say(
    `API: ${session.calls} calls, slowest ${session.slowest.toFixed(0)} ms; ${writes.acknowledged} writes and ` +
      `${corners.reduce((sum, { acknowledged }) => sum + acknowledged, 0)} changes acknowledged, ${writes.refused} writes and ${busy} changes refused; ` +
      `slowest start after a kill ${disturbances.slowestStart.toFixed(0)} ms.`,
  );
  const excused = [...disturbances.windows, ...machine.windows];
  const unexcused = pauses.long.filter(
    (pause) => !excused.some(({ from, to }) => from < pause.to && pause.from < to),
  );
  say(
    `Pauses: of ${pauses.count} answers to the simplest question the slowest took ${pauses.slowest} ms; ${pauses.long.length} took more than ` +
      `${longestPause} ms, ${unexcused.length} of them while nothing was killed or away and the machine had a core.`,
  );
  if (churn !== undefined) say(`Churn: ${churn.rounds} groups of ${options.churn} tags.`);
  say(`Alarms: ${derived.transitions} transitions.`);
  say(
    `Samples: ${field.steady.count} at the broker that stayed, ${field.uplink.count} at the one that did not. ` +
      `The machine had no core for the gateway when it wanted one in ${((machine.held / (to - from)) * 100).toFixed(1)} % of the time.\n`,
  );
  say(growthTable(growth, meter.heaps));
  say(`\nLines of the log that are errors: ${logs.count}`);
  for (const [text, count] of logs.counts) say(`  ${count} × ${logs.first.get(text) ?? text}`);
  say('');
  for (const { what, count, where } of lost) {
    say(`${count === 0 ? 'ok   ' : 'LOST '} ${what}: ${count}`);
    for (const place of where.slice(0, 20)) say(`        ${place}`);
  }
  return lost.every(({ count }) => count === 0) && !growth.some(({ isBeyond }) => isBeyond);
}

const named = (what: string, where: readonly string[]): Lost => ({ what, count: where.length, where });

const isGood = await soak(positive('hours'), positive('seed'), positive('bound'));
process.exitCode = isGood ? 0 : 1;
