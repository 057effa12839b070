// `npm run bench`: what the built gateway does per second and what it costs, beside the targets.
import { writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { brokerKind } from '../brokers.ts';
import { measureCache } from './cache.ts';
import { dataPathCases, measureDataPath } from './data-path.ts';
import { measureHttp } from './http.ts';
import { measureIdle } from './idle.ts';
import { measureLists } from './lists.ts';
import { measureOpcUa, measureOpcUaStart, opcUaCases } from './opcua.ts';
import { Report } from './report.ts';
import { driverSettings } from './stand.ts';
import { measureStartUp } from './start-up.ts';
import { measureTags } from './tags.ts';
import { measureWrites } from './writes.ts';

const usage = `Usage: npm run bench -- [options]

  --quick        Short windows: about two minutes instead of six.
  --only NAME    Only the measurements whose name contains NAME; may be given several times.
  --json FILE    Write the figures to a file as well.
  --list         List the measurements and end.
  --help         Print this text and end.
`;

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

type Measure = (report: Report, quick: boolean) => Promise<void>;

const measurements: readonly (readonly [name: string, measure: Measure])[] = [
  ...dataPathCases.map((test): [string, Measure] => [
    test.name,
    (report, quick) => measureDataPath(test, report, quick),
  ]),
  ['cache', measureCache],
  ['idle memory', measureIdle],
  ['write latency', measureWrites],
  ['http', measureHttp],
  ['lists of a large gateway', measureLists],
  ['adding tags', measureTags],
  ['OPC UA, start-up and memory', measureOpcUaStart],
  ...opcUaCases.map((test): [string, Measure] => [
    test.name,
    (report, quick) => measureOpcUa(test, report, quick),
  ]),
  ['start-up with 10k tags', (report, quick) => measureStartUp(10_000, report, quick)],
  ['start-up with 100k tags', (report, quick) => measureStartUp(100_000, report, quick)],
];

async function run(): Promise<void> {
  const chosen = measurements.filter(
    ([name]) => options.only.length === 0 || options.only.some((part) => name.includes(part)),
  );
  if (chosen.length === 0) throw new Error('No measurement has such a name; --list shows them.');
  const report = new Report();
  let failed = 0;
  for (const [name, measure] of chosen) {
    process.stderr.write(`Measuring ${name} …\n`);
    try {
      await measure(report, options.quick);
    } catch (error) {
      failed += 1;
      process.stderr.write(
        `${name} could not be measured: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
      );
    }
  }
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown processor'}, Node ${process.version}, broker ${brokerKind}`;
  const conditions = [
    `INT16 tags on consecutive holding registers of a Modbus TCP device, one group, one JSON message per cycle, QoS 0.`,
    `Driver settings: interval ${driverSettings.interval}, max_in_flight ${driverSettings.max_in_flight}. Device, broker, subscriber and`,
    `load generator run on the same machine as the gateway and are left out of its CPU and memory.`,
  ].join('\n');
  process.stdout.write(`\n${machine}\n${conditions}\n\n${report.table()}\n`);
  if (options.json !== undefined) {
    const text = JSON.stringify(
      { machine, quick: options.quick, driverSettings, figures: report.figures },
      null,
      2,
    );
    await writeFile(options.json, `${text}\n`);
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

if (options.help) process.stdout.write(usage);
else if (options.list) process.stdout.write(measurements.map(([name]) => `${name}\n`).join(''));
else await run();
