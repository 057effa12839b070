// A check step or a mocha run: one Node process each, its output kept together, its outcome counted.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pool, run } from './process.mjs';
import { inRoot, nodeBinary } from './workspace.mjs';

const mocha = inRoot('node_modules', 'mocha', 'bin', 'mocha.js');

/** Runs test files straight from source, in the folder of their package. */
export const mochaJob = (title, cwd, args, timeout) => ({
  title,
  cwd,
  counts: true,
  args: [
    '--conditions=source',
    mocha,
    ...['--reporter', inRoot('.dev', 'reporter.mjs'), '--timeout', `${timeout}`, '--forbid-only'],
    process.stdout.isTTY ? '--color' : '--no-color',
    ...args,
  ],
});

function readTotals(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const totals = { passed: 0, failed: 0, skipped: 0 };
  for (const line of lines) {
    for (const [name, count] of Object.entries(JSON.parse(line))) totals[name] += count;
  }
  return totals;
}

async function runJob({ title, cwd, args, counts = false }, capture, folder) {
  const begin = Date.now();
  if (!capture) console.log(`\n── ${title}`);
  const totalsFile = join(folder, 'totals');
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  // Tests have a temporary folder of their own, so that what one forgets to remove is seen. Other tools keep caches.
  const env = counts ? { ...process.env, TAGWAY_TOTALS: totalsFile, TMPDIR: temporary } : process.env;
  const { code, output } = await run(nodeBinary(), args, { cwd, capture, env });
  const totals = readTotals(totalsFile);
  const left = readdirSync(temporary);
  // A check that fails, a run that ends before mocha could count and a test that litters show in the totals too.
  if (totals.failed === 0 && (code !== 0 || left.length > 0)) totals.failed = 1;
  const isGood = totals.failed === 0;
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  if (capture && (counts || !isGood)) console.log(`\n── ${title}\n${output.trimEnd()}`);
  if (left.length > 0) console.log(`Temporary files were left behind: ${left.join(', ')}.`);
  console.log(`${isGood ? 'ok' : 'FAILED'}  ${title} (${seconds} s)`);
  return totals;
}

/** Runs jobs, `width` of them at a time, and adds up what they counted. */
export async function runJobs(jobs, width) {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-test-'));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clean);
  const all = await pool([...jobs.entries()], width, ([index, job]) =>
    runJob(job, width > 1 && jobs.length > 1, join(folder, `${index}`)),
  );
  process.off('exit', clean);
  clean();
  return all.reduce(addTotals, noTotals);
}

export const noTotals = { passed: 0, failed: 0, skipped: 0 };

export const addTotals = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
});
