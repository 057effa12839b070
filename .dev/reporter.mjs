// Mocha's spec output, and the totals of the run added to the file that TEST_TOTALS names.
import { appendFileSync } from 'node:fs';
import Mocha from 'mocha';

const exitLimit = 10_000;
const file = process.env.TEST_TOTALS;

function report(totals) {
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(totals)}\n`);
}

function failWhenStillOpen() {
  const open = process
    .getActiveResourcesInfo()
    .filter((name) => !name.startsWith('TTY') && !name.startsWith('Pipe'));
  console.error(`\n  The tests are over, but something keeps the process open: ${open.join(', ')}.\n`);
  report({ passed: 0, failed: 1, skipped: [] });
  process.exit(1);
}

export default class Reporter extends Mocha.reporters.Spec {
  constructor(runner, options) {
    super(runner, options);
    const skipped = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.once('end', () => {
      const { passes, failures } = runner.stats;
      report({ passed: passes, failed: failures, skipped });
      setTimeout(failWhenStillOpen, exitLimit).unref();
    });
  }
}
