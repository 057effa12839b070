/**
 * The simulation of the cluster at length: `table RUNS` prints what single faults cost, `storms COUNT FROM` has several faults at once.
 *
 *   node_modules/.bin/node --conditions=source host/test/cluster/trial.ts table 300
 *   node_modules/.bin/node --conditions=source host/test/cluster/trial.ts storms 200000
 */
import { type Kind, kinds } from './simulator/faults.ts';
import { single, stormy } from './simulator/runs.ts';
import type { WorldOptions } from './simulator/world.ts';

const [what = 'table', count = '300', from = '1'] = process.argv.slice(2);

if (what === 'storms') storms(Number(count), Number(from));
else table(Number(count));

function storms(runs: number, first: number): void {
  let failed = 0;
  for (let seed = first; seed < first + runs; seed++) {
    const { devices, wrongs } = stormy(seed);
    if (devices.late.length + wrongs.length === 0) continue;
    failed++;
    console.log(`Seed ${seed}: ${devices.late.length} late requests. ${wrongs.join(' ')}`);
  }
  console.log(
    `${runs} runs from seed ${first}, ${failed} failed; ${Math.round(process.cpuUsage().user / 1e6)} s of CPU.`,
  );
  process.exitCode = failed === 0 ? 0 : 1;
}

function table(runs: number): void {
  console.log('| Fault (1–16 s) | Late requests | Pause p50 / max | After its end p50 / max | Never again |');
  console.log('| --- | --- | --- | --- | --- |');
  for (const kind of kinds) row(kind, kind, runs);
  row('machine frozen', 'machine frozen', runs);
  row('unplugged', 'unplugged, without the gate in the kernel', runs, { gate: false });
  row('unplugged', 'unplugged, without the gate and the reset', runs, { gate: false, resets: false });
}

/** Seconds; a pause below two intervals is not counted. */
function row(kind: Kind, name: string, runs: number, options: Partial<WorldOptions> = {}): void {
  let late = 0;
  let lateRuns = 0;
  let never = 0;
  const pauses: number[] = [];
  const after: number[] = [];
  for (let seed = 1; seed <= runs; seed++) {
    const { world, from, to } = single(seed, kind, options);
    const { devices, wrongs } = world;
    late += devices.late.length;
    if (devices.late.length > 0) lateRuns++;
    never += wrongs.length;
    for (const pause of devices.pauses) {
      if (pause.to < from) continue;
      pauses.push((pause.to - pause.from) / 1000);
      if (pause.from < to && pause.to > to) after.push((pause.to - to) / 1000);
    }
  }
  const lateText = late === 0 ? '0' : `${late} in ${lateRuns} of ${runs} runs`;
  console.log(`| ${name} | ${lateText} | ${middleAndMost(pauses)} | ${middleAndMost(after)} | ${never} |`);
}

function middleAndMost(numbers: number[]): string {
  if (numbers.length === 0) return '';
  numbers.sort((a, b) => a - b);
  return `${numbers[numbers.length >> 1]!.toFixed(1)} / ${numbers.at(-1)!.toFixed(1)}`;
}
