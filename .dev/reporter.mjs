// Mocha's spec output, and the totals of the run in the file that TEST_TOTALS names.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import Mocha from 'mocha';

const exitLimit = 10_000;
const file = process.env.TEST_TOTALS;
const stat = '/proc/self/stat';

/** Seconds of CPU time of this process and of the processes below it that have ended, which only Linux counts. */
function cpuSeconds() {
  if (!existsSync(stat)) return undefined;
  const [, fields] = readFileSync(stat, 'utf8').split(') ');
  const ticks = fields.split(' ').slice(11, 15);
  return ticks.reduce((sum, count) => sum + Number(count), 0) / 100;
}

function failWhenStillOpen() {
  const open = process
    .getActiveResourcesInfo()
    .filter((name) => !name.startsWith('TTY') && !name.startsWith('Pipe'));
  console.error(`\n  The tests are over, but something keeps the process open: ${open.join(', ')}.\n`);
  process.exit(1);
}

export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.once('end', () => setTimeout(failWhenStillOpen, exitLimit).unref());
    process.once('exit', () => {
      const { passes: passed, failures: failed } = runner.stats;
      if (file !== undefined)
        writeFileSync(file, JSON.stringify({ passed, failed, skipped, cpu: cpuSeconds() }));
    });
  }
}
