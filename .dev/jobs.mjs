// A check step or a mocha run: one Node process each, its output kept together, its outcome counted.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './process.mjs';
import { schedule } from './schedule.mjs';
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

function readLines(file) {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line));
}

/** What a process printed and counted, and what it left in its temporary folder. */
async function runProcess({ cwd, args, counts = false }, isStreamed, folder) {
  const totalsFile = join(folder, 'totals');
  const temporary = join(folder, 'tmp');
  mkdirSync(temporary, { recursive: true });
  // Tests have a temporary folder of their own, so that what one forgets to remove is seen. Other tools keep caches.
  const own = { TEST_TOTALS: totalsFile, TEST_FIGURES: `${totalsFile}-figures`, TMPDIR: temporary };
  const env = counts ? { ...process.env, ...own } : process.env;
  const { code, output } = await run(nodeBinary(), args, { cwd, capture: !isStreamed, env });
  const left = readdirSync(temporary);
  const note = left.length > 0 ? `\nTemporary files were left behind: ${left.join(', ')}.` : '';
  return {
    isDone: code === 0 && left.length === 0,
    output: `${output.trimEnd()}${note}`,
    ...readLines(totalsFile).reduce(addTotals, noTotals),
    figures: readLines(own.TEST_FIGURES),
  };
}

async function runOwn(job) {
  return { isDone: await job.work(), output: '', ...noTotals };
}

const countOf = ({ passed, skipped }) =>
  `${passed} passed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`;

async function runJob(job, isStreamed, folder) {
  const begin = Date.now();
  if (isStreamed) console.log(`\n── ${job.title}`);
  const { isDone, output, ...totals } = await (job.work ? runOwn(job) : runProcess(job, isStreamed, folder));
  // A check that fails, a run that ends before mocha could count and a test that litters show in the totals too.
  if (!isDone && totals.failed === 0) totals.failed = 1;
  const isGood = totals.failed === 0;
  const seconds = (Date.now() - begin) / 1000;
  const facts = [`${seconds.toFixed(1)} s`, ...(job.counts ? [countOf(totals)] : [])];
  // What went well is one line. What failed is shown as a whole, at once, between lines that name it.
  if (!isGood && output !== '') console.log(`\n── ${job.title}\n${output}`);
  console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${job.title} (${facts.join(', ')})`);
  if (isGood && !isStreamed) for (const title of totals.skipped) console.log(`          skipped: ${title}`);
  return { title: job.title, isGood, seconds, ...totals };
}

/**
 * Runs jobs side by side, as many as `places` says (see schedule.mjs), and resolves to what each of them counted. A single
 * job shows its output as it comes.
 */
export async function runJobs(jobs, places) {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-test-'));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clean);
  const isStreamed = jobs.filter(({ work }) => work === undefined).length === 1;
  const results = await schedule(jobs, places, (job) =>
    runJob(job, isStreamed && job.work === undefined, join(folder, `${jobs.indexOf(job)}`)),
  );
  process.off('exit', clean);
  clean();
  return results;
}

const noTotals = { passed: 0, failed: 0, skipped: [] };

const addTotals = (a, b) => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: [...a.skipped, ...b.skipped],
});

/** What jobs counted, by their results. */
export const addUp = (results) => results.reduce(addTotals, noTotals);
