// `npm run bench`: what the built gateway does per second and what it costs, beside the targets or beside another
// checkout's gateway.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { optionsOf } from '../kit/options.ts';
import { brokerKind } from '../world/brokers.ts';
import { measurements } from './measurements.ts';
import { readFigures, writeNumbers } from './numbers.ts';
import { pairTable, pairUp } from './pairs.ts';
import { driverSettings } from './plant.ts';
import { Report } from './report.ts';
import type { Measure, MeasureContext } from './setup.ts';

const usage = `Usage: npm run bench -- [options]

  --quick         Short windows: about a quarter of an hour instead of an hour.
  --only NAMES    Only the measurements whose names contain one of NAMES, such as http,write; may be given several times.
  --json FILE     Write the figures to a file as well.
  --numbers FILE  Write the figures that an earlier run wrote with --json into the tables of docs/benchmarks.md, and end.
  --against DIR   Measure this checkout's gateway and the one in DIR, another checkout that has been built, in turns, and
                  print the medians of both and their ratio with its spread. All else is this checkout's on both sides;
                  the floor is too, so that its ratio shows what the machine adds.
  --pairs N       How many turns --against takes; 7 unless given.
  --list          List the measurements and end.
  --help          Print this text and end.
`;

const options = optionsOf(usage, {
  quick: { type: 'boolean', default: false },
  only: { type: 'string', multiple: true, default: [] },
  json: { type: 'string' },
  numbers: { type: 'string' },
  against: { type: 'string' },
  pairs: { type: 'string', default: '7' },
  list: { type: 'boolean', default: false },
});

const { quick } = options;
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, broker ${brokerKind}`;
const conditions = [
  `INT16 tags on consecutive holding registers of a Modbus TCP device, one group, one JSON message per cycle, QoS 0.`,
  `Driver settings: interval ${driverSettings.interval}, max_in_flight ${driverSettings.max_in_flight}. Device, broker, subscriber and`,
  `load generator run on the same machine as the gateway and are left out of its CPU and memory.`,
].join('\n');

function chooseMeasurements(): typeof measurements {
  const parts = options.only.flatMap((names) => names.split(/,(?! )/)).filter((part) => part !== '');
  const chosen = measurements.filter(
    ([name]) => options.only.length === 0 || parts.some((part) => name.includes(part)),
  );
  if (chosen.length === 0) throw new Error('No measurement has such a name; --list shows them.');
  return chosen;
}

/** Measures; says on the error output what could not be measured, and makes that the failure of the process. */
async function attempt(name: string, measure: Measure, run: Omit<MeasureContext, 'stack'>): Promise<void> {
  try {
    await using stack = new AsyncDisposableStack();
    await measure({ ...run, stack });
  } catch (error) {
    process.exitCode = 1;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${name} could not be measured: ${reason}\n`);
  }
}

/** Prints a table, and writes the figures to the file that is asked for. */
async function conclude(table: string, record: object, there = ''): Promise<void> {
  process.stdout.write(`\n${machine}\n${conditions}\n${there}\n${table}\n`);
  const text = JSON.stringify({ machine, quick, driverSettings, ...record }, null, 2);
  if (options.json !== undefined) await writeFile(options.json, `${text}\n`);
}

async function runOnce(): Promise<void> {
  const report = new Report();
  for (const [name, measure] of chooseMeasurements()) {
    process.stderr.write(`Measuring ${name} …\n`);
    report.group = name;
    await attempt(name, measure, { report, quick });
  }
  await conclude(report.table(), { figures: report.figures });
}

async function runPairs(folder: string): Promise<void> {
  const pairs = Number(options.pairs);
  if (!Number.isInteger(pairs) || pairs < 1)
    throw new Error('--pairs takes how often each side is measured, for example 7.');
  const against = resolve(folder);
  const main = resolve(against, 'host/dist/main.js');
  if (!existsSync(main)) throw new Error(`${folder} holds no built gateway: run "npm run build" there.`);
  const here = Array.from({ length: pairs }, () => new Report());
  const there = Array.from({ length: pairs }, () => new Report());
  for (const [name, measure] of chooseMeasurements()) {
    for (let pair = 0; pair < pairs; pair += 1) {
      process.stderr.write(`Measuring ${name}, pair ${pair + 1} of ${pairs} …\n`);
      const runs = [
        { report: here[pair]!, quick },
        { report: there[pair]!, quick, main },
      ];
      // Each side goes first in half of the pairs.
      for (const run of pair % 2 === 0 ? runs : runs.reverse()) await attempt(name, measure, run);
    }
  }
  const figures = pairUp(here, there);
  await conclude(pairTable(figures), { against, pairs, figures }, `There: ${against}\n`);
}

try {
  if (options.list) process.stdout.write(measurements.map(([name]) => `${name}\n`).join(''));
  else if (options.numbers !== undefined) await writeNumbers(await readFigures(options.numbers));
  else if (options.against !== undefined) await runPairs(options.against);
  else await runOnce();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
