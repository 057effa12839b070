// `npm run bench`: what the built gateway does per second and what it costs, beside the targets, an earlier run or
// another checkout's gateway.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brokerKind } from '../brokers.ts';
import { comparison, readRecord } from './comparison.ts';
import { dataPathCases } from './data-path.ts';
import { measurements } from './measurements.ts';
import { writeNumbers } from './numbers.ts';
import { pairTable, pairUp } from './pairs.ts';
import { driverSettings } from './plant.ts';
import { Report } from './report.ts';
import type { Measure, Run } from './run.ts';
import { measureTogether } from './together.ts';

const usage = `Usage: npm run bench -- [options]

  --quick         Short windows: about twelve minutes instead of an hour.
  --only NAMES    Only the measurements whose names contain one of NAMES, such as http,write; may be given several times.
  --json FILE     Write the figures to a file as well.
  --compare FILE  Print the figures beside those that an earlier run wrote with --json, with their ratios.
  --numbers FILE  Write the figures that an earlier run wrote with --json into the tables of e2e/NUMBERS.md, and end.
  --against DIR   Measure this checkout's gateway and the one in DIR, another checkout that has been built, in turns, and
                  print the medians of both and their ratio with its spread. All else is this checkout's on both sides;
                  the floor is too, so that its ratio shows what the machine adds.
  --together DIR  Run the two gateways at the same time on the rows of the data path and print what each of their processes
                  takes, with the ratios: what else the machine does bears on both, so a few minutes tell what --against
                  needs an hour for.
  --pairs N       How many turns --against takes, and how many windows of ten seconds --together; 7 unless given.
  --list          List the measurements and end.
  --help          Print this text and end.
`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    compare: { type: 'string' },
    numbers: { type: 'string' },
    against: { type: 'string' },
    together: { type: 'string' },
    pairs: { type: 'string', default: '7' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const { quick } = options;
const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, broker ${brokerKind}`;
const conditions = [
  `INT16 tags on consecutive holding registers of a Modbus TCP device, one group, one JSON message per cycle, QoS 0.`,
  `Driver settings: interval ${driverSettings.interval}, max_in_flight ${driverSettings.max_in_flight}. Device, broker, subscriber and`,
  `load generator run on the same machine as the gateway and are left out of its CPU and memory.`,
].join('\n');

function choose<T>(all: readonly T[], nameOf: (one: T) => string): readonly T[] {
  const parts = options.only.flatMap((names) => names.split(/,(?! )/));
  const chosen = all.filter(
    (one) => parts.length === 0 || parts.some((part) => part !== '' && nameOf(one).includes(part)),
  );
  if (chosen.length === 0) throw new Error('No measurement has such a name; --list shows them.');
  return chosen;
}

const chooseMeasurements = (): typeof measurements => choose(measurements, ([name]) => name);

/** Says on the error output what could not be measured, and that the process has failed. */
async function attempt(name: string, measure: Measure, run: Run): Promise<void> {
  try {
    await measure(run);
  } catch (error) {
    process.exitCode = 1;
    const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
    process.stderr.write(`${name} could not be measured: ${reason}\n`);
  }
}

async function writeJson(record: object): Promise<void> {
  if (options.json !== undefined) await writeFile(options.json, `${JSON.stringify(record, null, 2)}\n`);
}

async function runOnce(): Promise<void> {
  const earlier = options.compare === undefined ? undefined : await readRecord(options.compare);
  const report = new Report();
  for (const [name, measure] of chooseMeasurements()) {
    process.stderr.write(`Measuring ${name} …\n`);
    report.group = name;
    await attempt(name, measure, { report, quick });
  }
  process.stdout.write(`\n${machine}\n${conditions}\n\n${report.table()}\n`);
  const record = { machine, quick, driverSettings, figures: report.figures };
  await writeJson(record);
  if (earlier !== undefined) process.stdout.write(`\n${comparison(record, earlier)}\n`);
}

/** The reports of this checkout's gateway and of the one in a folder, one per pair of measurements. */
function reportsOfPairs(folder: string): { main: string; here: Report[]; there: Report[] } {
  const pairs = Number(options.pairs);
  if (!Number.isInteger(pairs) || pairs < 1)
    throw new Error('--pairs takes how often each side is measured, for example 7.');
  if (options.compare !== undefined) throw new Error('--compare is for one gateway, not for two.');
  const main = resolve(folder, 'host/dist/main.js');
  if (!existsSync(main)) throw new Error(`${folder} holds no built gateway: run "npm run build" there.`);
  const reports = (): Report[] => Array.from({ length: pairs }, () => new Report());
  return { main, here: reports(), there: reports() };
}

async function tellPairs(folder: string, here: readonly Report[], there: readonly Report[]): Promise<void> {
  const figures = pairUp(here, there);
  process.stdout.write(`\n${machine}\n${conditions}\nThere: ${resolve(folder)}\n\n${pairTable(figures)}\n`);
  await writeJson({ machine, quick, driverSettings, against: resolve(folder), pairs: here.length, figures });
}

async function runTogether(folder: string): Promise<void> {
  const { main, here, there } = reportsOfPairs(folder);
  for (const test of choose(dataPathCases, ({ name }) => name)) {
    process.stderr.write(`Measuring ${test.name} with both gateways …\n`);
    const measure = (): Promise<void> =>
      measureTogether(test, [
        here.map((report) => ({ report, quick })),
        there.map((report) => ({ report, quick, main })),
      ]);
    await attempt(test.name, measure, { report: new Report(), quick });
  }
  await tellPairs(folder, here, there);
}

async function runPairs(folder: string): Promise<void> {
  const { main, here, there } = reportsOfPairs(folder);
  const pairs = here.length;
  for (const [name, measure] of chooseMeasurements()) {
    for (let pair = 0; pair < pairs; pair += 1) {
      process.stderr.write(`Measuring ${name}, pair ${pair + 1} of ${pairs} …\n`);
      const runs: Run[] = [
        { report: here[pair] as Report, quick },
        { report: there[pair] as Report, quick, main },
      ];
      // Each side goes first in half of the pairs.
      for (const run of pair % 2 === 0 ? runs : runs.reverse()) await attempt(name, measure, run);
    }
  }
  await tellPairs(folder, here, there);
}

try {
  if (options.help) process.stdout.write(usage);
  else if (options.list) process.stdout.write(measurements.map(([name]) => `${name}\n`).join(''));
  else if (options.numbers !== undefined) await writeNumbers((await readRecord(options.numbers)).figures);
  else if (options.together !== undefined) await runTogether(options.together);
  else if (options.against !== undefined) await runPairs(options.against);
  else await runOnce();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
