// Jobs: one Node process each, a check or a mocha run, with its output kept together and its outcome counted.
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { cpus, freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pool, run } from './process.mjs';
import { inRoot, nodeBinary, readJson } from './workspace.mjs';

const mocha = inRoot('node_modules', 'mocha', 'bin', 'mocha.js');

/** Sources without their types, and compiled, for the thousands of processes of a run: a third less CPU time. */
const compileCache = inRoot('node_modules', '.cache', 'node');

/** See strip.mjs. */
export async function stripTypes() {
  const args = ['--no-warnings', '--expose-internals', inRoot('.dev', 'strip.mjs')];
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache };
  const { code, output } = await run(nodeBinary(), args, { capture: true, env });
  if (code !== 0) throw new Error(`.dev/strip.mjs failed:\n${output}`);
}

/** Runs test files straight from source, in the folder of their package. */
export const mochaJob = (title, cwd, args, timeout) => ({
  title,
  cwd,
  isTest: true,
  args: [
    '--conditions=source',
    mocha,
    ...['--reporter', inRoot('.dev', 'reporter.mjs'), '--timeout', `${timeout}`, '--forbid-only'],
    process.stdout.isTTY ? '--color' : '--no-color',
    ...args,
  ],
});

/** Runs a job in a temporary folder of its own, so that what a test leaves there is noticed. */
async function runProcess({ cwd, args, isTest = false }, isStreamed) {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-test-'));
  const clean = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clean);
  const totals = join(folder, 'totals');
  const tests = isTest ? { TEST_TOTALS: totals, TMPDIR: folder } : {};
  const env = { ...process.env, NODE_COMPILE_CACHE: compileCache, ...tests };
  const { code, output } = await run(nodeBinary(), args, { cwd, capture: !isStreamed, env });
  const left = readdirSync(folder).filter((name) => name !== 'totals' && name !== 'totals-figures');
  const figures = existsSync(`${totals}-figures`) ? readFileSync(`${totals}-figures`, 'utf8').trim() : '';
  const result = {
    ...{ passed: 0, failed: 0, skipped: [], ...(existsSync(totals) && readJson(totals)) },
    isGood: code === 0 && left.length === 0,
    output: `${output.trimEnd()}${left.length > 0 ? `\nTemporary files were left behind: ${left.join(', ')}.` : ''}`,
    figures: figures === '' ? [] : figures.split('\n').map((line) => JSON.parse(line)),
  };
  process.off('exit', clean);
  clean();
  return result;
}

async function runJob(job, isStreamed) {
  const begin = Date.now();
  if (isStreamed) console.log(`\n── ${job.title}`);
  const { isGood, output, ...result } = await runProcess(job, isStreamed);
  // A check that fails and a process that ends before its tests could be counted appear in the totals too.
  if (!isGood && result.failed === 0) result.failed = 1;
  const facts = [`${((Date.now() - begin) / 1000).toFixed(1)} s`];
  if (result.cpu !== undefined) facts.push(`${result.cpu.toFixed(1)} s of CPU`);
  if (job.isTest) facts.push(`${result.passed} passed`);
  if (result.skipped.length > 0) facts.push(`${result.skipped.length} skipped`);
  // A job without failures is one line. One with failures is shown whole, at once, between lines that name it.
  if (!isGood && output !== '') console.log(`\n── ${job.title}\n${output}`);
  console.log(`${isGood ? 'ok    ' : 'FAILED'}  ${job.title} (${facts.join(', ')})`);
  if (isGood && !isStreamed) for (const title of result.skipped) console.log(`          skipped: ${title}`);
  return { title: job.title, isGood, ...result };
}

/** Milliseconds that all cores together were idle, and that they had, since the machine started. */
function cpuTimes() {
  let idle = 0;
  let all = 0;
  for (const { times } of cpus()) {
    idle += times.idle;
    all += times.user + times.nice + times.sys + times.idle + times.irq;
  }
  return { idle, all };
}

/** A function that says whether, since it was last called, a quarter of the CPU time was unused, and two gigabytes of memory are free. */
export function roomForMore() {
  let last = cpuTimes();
  return () => {
    const now = cpuTimes();
    const isIdle = now.idle - last.idle > (now.all - last.all) / 4;
    last = now;
    return isIdle && freemem() > 2 ** 31;
  };
}

/**
 * Runs `jobs` on `width` lanes, of which the first one runs those of `before` first, and more beside them while `hasRoom` says so. A job with
 * a promise in `needs` is left out when that resolves to false. A single job shows its output as it comes.
 */
export async function runJobs(jobs, width, before, hasRoom) {
  const isStreamed = jobs.length + before.length === 1;
  const runNeeded = async (job) => ((await job.needs) === false ? [] : [await runJob(job, isStreamed)]);
  return (await pool(jobs, width, runNeeded, before, hasRoom)).flat();
}
