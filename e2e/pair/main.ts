// `npm run trial:pair`: two gateways, one plant. Does to them and to etcd what a seed says, and judges by what the field device saw.
import { optionsOf } from '../kit/options.ts';
import { random } from '../kit/mutations.ts';
import { noCertificates, tryCertificates } from './certificates-trial.ts';
import { ChangesTrial } from './changes-trial.ts';
import { noClock } from './clock.ts';
import { type FaultRow, lineOf, shuffled, tryFault } from './fault-trial.ts';
import { type Fault, faults, type Pick } from './faults.ts';
import type { Outcome } from './judge.ts';
import { tryMistakes } from './mistakes-trial.ts';
import { noGate } from './network.ts';
import { noPair, Pair } from './pair.ts';
import { tryRefusals } from './refusals-trial.ts';
import { faultReport } from './report.ts';
import { trySamples } from './samples-trial.ts';
import { noDisk, tryBusySwitches, tryFullDisk, tryWipedEtcd } from './standby-trial.ts';
import { tryFlapping, tryPlugin, tryStaleCopy, tryUpgrades } from './service-trial.ts';

const usage = `Usage: npm run trial:pair -- [options]

  --quick       One fault of each important kind, and the other trials in small.
  --seed N      What happens when. A run prints its seed.
  --faults N    How many faults, 240 unless given: two of three with the gate of the kernel, the others without it.
  --only NAMES  Parts of the trial, with "," between them: ${partNames().join(', ')}.
  --kind TEXT   Only faults whose name contains this.
  --no-gate     All faults without the gate of the kernel.
  --help        Print this text and end.

It ends with code 1 when something was not as it is promised.
`;

function partNames(): string[] {
  return [
    ...['faults', 'changes', 'samples', 'upgrades', 'flapping', 'stale', 'plugin', 'mistakes', 'refusals'],
    ...['disk', 'busy', 'wiped', 'certificates'],
  ];
}

const options = optionsOf(usage, {
  quick: { type: 'boolean', default: false },
  seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  faults: { type: 'string' },
  only: { type: 'string', default: partNames().join(',') },
  kind: { type: 'string', default: '' },
  'no-gate': { type: 'boolean', default: false },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const stamp = (): string => new Date().toISOString().slice(11, 19);

/** Tries a number of faults on a pair; those that need a clock are left out where there is none. */
async function tryFaults(pair: Pair, count: number, hasGate: boolean, pick: Pick): Promise<FaultRow[]> {
  const isWanted = ({ kind, needsClock, isQuick }: Fault): boolean =>
    kind.includes(options.kind) &&
    !(needsClock === true && noClock !== undefined) &&
    !(options.quick && options.kind === '' && isQuick !== true);
  const rows: FaultRow[] = [];
  for (const fault of shuffled(faults.filter(isWanted), pick)) {
    if (rows.length >= count) break;
    const row = await tryFault(pair, fault, pick, hasGate);
    rows.push(row);
    say(`${stamp()} ${rows.length}/${count} ${lineOf(row)}`);
    // What is stuck for one fault is stuck for all that follow.
    if (row.stuck !== undefined) break;
  }
  return rows;
}

async function trial(seed: number): Promise<boolean> {
  const pick = random(seed);
  const wanted = new Set(options.only.split(','));
  const { quick } = options;
  say(`Trial of a pair with seed ${seed}; Node ${process.version}.`);
  const outcomes: Outcome[] = [];
  const all = Number(
    options.faults ?? (quick ? faults.filter(({ isQuick }) => isQuick === true).length : 240),
  );
  const ungated = options['no-gate'] ? all : quick ? 0 : Math.floor(all / 3);

  /** One part, if it is wanted; its result is said at once, and again at the end. */
  const part = async (name: string, work: () => Promise<Outcome>): Promise<void> => {
    if (!wanted.has(name)) return;
    const outcome = await work().catch((error: unknown) => ({
      lines: [],
      broken: [`${name}: ${String(error)}`],
    }));
    outcomes.push(outcome);
    for (const line of [...outcome.lines, ...outcome.broken.map((what) => `BROKEN ${what}`)])
      say(`${stamp()} ${line}`);
  };

  const certificates = { hasGate: noGate === undefined };
  if (noCertificates === undefined) await part('certificates', () => tryCertificates(certificates));
  const rows: FaultRow[] = [];
  if (options.only !== 'faults' || all > ungated) {
    await using pair = await Pair.open({ hasClock: noClock === undefined });
    await pair.configure();
    await part('plugin', () => tryPlugin(pair));
    await part('stale', () => tryStaleCopy(pair));
    await part('mistakes', () => tryMistakes(pair, true));
    await part('refusals', () => tryRefusals(pair));
    if (noDisk === undefined) await part('disk', () => tryFullDisk(pair));
    await part('busy', () => tryBusySwitches(pair, quick ? 4 : 20));
    await part('wiped', () => tryWipedEtcd(pair));
    await part('samples', () => trySamples(pair, quick ? 2 : 20));
    await part('upgrades', () => tryUpgrades(pair, quick ? 2 : 10));
    await part('changes', () =>
      new ChangesTrial(pair, { count: quick ? 300 : 10_000, kills: quick ? 3 : 40, pick }).run(),
    );
    if (!quick) await part('flapping', () => tryFlapping(pair, pick, 5));
    if (wanted.has('faults') && all > ungated)
      rows.push(...(await tryFaults(pair, all - ungated, true, pick)));
  }
  if (wanted.has('faults') && ungated > 0) {
    await using pair = await Pair.open({ hasGate: false, hasClock: noClock === undefined });
    await pair.configure();
    rows.push(...(await tryFaults(pair, ungated, false, pick)));
  }
  if (wanted.has('faults')) outcomes.push(faultReport(rows));

  say('');
  for (const line of outcomes.flatMap(({ lines }) => lines)) say(line);
  const broken = outcomes.flatMap((outcome) => outcome.broken);
  say(broken.length === 0 ? '\nAll as it is promised.' : '');
  for (const what of broken) say(`BROKEN ${what}`);
  return broken.length === 0;
}

if (noPair !== undefined) {
  say(`Two gateways cannot be tried here: ${noPair}.`);
  process.exitCode = 1;
} else {
  process.once('SIGINT', () => process.exit(130));
  process.once('SIGTERM', () => process.exit(143));
  process.exitCode = (await trial(Number(options.seed))) ? 0 : 1;
}
