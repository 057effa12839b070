// `npm run bench`: what the built gateway does per second and what it costs, beside the targets, an earlier run or
// another checkout's gateway.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { brokerKind } from '../brokers.ts';
import { comparison, readRecord } from './comparison.ts';
import { measurements } from './measurements.ts';
import { pairTable, pairUp } from './pairs.ts';
import { driverSettings } from './plant.ts';
import { Report } from './report.ts';
import type { Measure, Run } from './run.ts';

const usage = `Usage: npm run bench -- [options]

  --quick         Short windows: about five minutes instead of twelve.
  --only NAMES    Only the measurements whose names contain one of NAMES, such as http,write; may be given several times.
  --json FILE     Write the figures to a file as well.
  --compare FILE  Print the figures beside those that an earlier run wrote with --json, with their ratios.
  --against DIR   Measure this checkout's gateway and the one in DIR, another checkout that has been built, in turns, and
                  print the medians of both and their ratio with its spread. All else is this checkout's on both sides;
                  the floor is too, so that its ratio shows what the machine adds.
  --pairs N       How many turns --against takes, 7 unless given.
  --list          List the measurements and end.
  --help          Print this text and end.
`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    compare: { type: 'string' },
    against: { type: 'string' },
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

function choose(): typeof measurements {
  const parts = options.only.flatMap((names) => names.split(/,(?! )/));
  const chosen = measurements.filter(
    ([name]) => parts.length === 0 || parts.some((part) => part !== '' && name.includes(part)),
  );
  if (chosen.length === 0) throw new Error('No measurement has such a name; --list shows them.');
  return chosen;
}

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
  for (const [name, measure] of choose()) {
    process.stderr.write(`Measuring ${name} …\n`);
    await attempt(name, measure, { report, quick });
  }
  process.stdout.write(`\n${machine}\n${conditions}\n\n${report.table()}\n`);
  const record = { machine, quick, driverSettings, figures: report.figures };
  await writeJson(record);
  if (earlier !== undefined) process.stdout.write(`\n${comparison(record, earlier)}\n`);
}

async function runPairs(folder: string): Promise<void> {
  const pairs = Number(options.pairs);
  if (!Number.isInteger(pairs) || pairs < 1)
    throw new Error('--pairs takes how often each side is measured, for example 7.');
  if (options.compare !== undefined) throw new Error('--compare and --against do not go together.');
  const main = resolve(folder, 'host/dist/main.js');
  if (!existsSync(main)) throw new Error(`${folder} holds no built gateway: run "npm run build" there.`);
  const here = Array.from({ length: pairs }, () => new Report());
  const there = Array.from({ length: pairs }, () => new Report());
  for (const [name, measure] of choose()) {
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
  const figures = pairUp(here, there);
  process.stdout.write(`\n${machine}\n${conditions}\nThere: ${resolve(folder)}\n\n${pairTable(figures)}\n`);
  await writeJson({ machine, quick, driverSettings, against: resolve(folder), pairs, figures });
}

try {
  if (options.help) process.stdout.write(usage);
  else if (options.list) process.stdout.write(measurements.map(([name]) => `${name}\n`).join(''));
  else if (options.against !== undefined) await runPairs(options.against);
  else await runOnce();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
