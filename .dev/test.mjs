// `npm test`: checks, unit tests from source, end-to-end tests of the built gateway, and one line of totals.
import { existsSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { disturbed, settle } from './again.mjs';
import { build } from './build.mjs';
import { checkJobs } from './check.mjs';
import { hostileLine } from './hostile.mjs';
import { install } from './install.mjs';
import { addUp, mochaJob, runJobs } from './jobs.mjs';
import { withLock } from './lock.mjs';
import { alone, long } from './pace.mjs';
import { Failure, listFiles, readPackages, root } from './workspace.mjs';

/**
 * Tests mostly wait for devices and processes, so two of them share a core; a check keeps a core busy, and only one of
 * two cores is for those.
 */
function places() {
  const cores = availableParallelism();
  return { width: 2 * cores, heavy: Math.max(1, cores >> 1) };
}

const isTest = (file) => file.endsWith('.test.ts');

/**
 * Folders of a package that hold tests; those of `hostile` want to take the gateway down, those of `page` use it in a browser, and those of
 * `pair` are about two gateways.
 */
const testFolders = (path) =>
  ['test', 'hostile', 'page', 'pair'].map((name) => join(path, name)).filter((folder) => existsSync(folder));

const testFiles = ({ path }) =>
  testFolders(path)
    .flatMap((folder) => listFiles(folder))
    .filter(isTest);

function packagesWithTests() {
  return readPackages().filter((pack) => testFiles(pack).length > 0);
}

/** The package that a path names, or the package of the test file, or of the folder of such, that it names. */
function selectPath(name, packages) {
  const path = resolve(root, name);
  const owners = packages.filter(
    (pack) => path === pack.path || testFolders(pack.path).some((folder) => path.startsWith(folder)),
  );
  if (owners.length === 0 || !existsSync(path)) {
    throw new Failure(
      `"${name}" is not unit, e2e or check, nor a package with tests, nor a test file or folder of one.`,
    );
  }
  const [pack] = owners;
  if (path === pack.path) return pack;
  const files = statSync(path).isFile() ? [path] : listFiles(path).filter(isTest);
  return { ...pack, specs: files.map((file) => relative(pack.path, file).replaceAll(sep, '/')) };
}

function select(name) {
  const packages = packagesWithTests();
  const isEndToEnd = ({ folder }) => folder === 'e2e';
  const unit = packages.filter((pack) => !isEndToEnd(pack));
  const e2e = packages.filter(isEndToEnd);
  if (name === undefined) return { checks: true, unit, e2e };
  if (name === 'unit') return { checks: false, unit, e2e: [] };
  if (name === 'e2e') return { checks: false, unit: [], e2e };
  if (name === 'check') return { checks: true, unit: [], e2e: [] };
  const chosen = [selectPath(name, packages)];
  return { checks: false, unit: chosen.filter((pack) => !isEndToEnd(pack)), e2e: chosen.filter(isEndToEnd) };
}

const isLong = (name) => name.endsWith('/conformance.test.ts') || long.includes(name);

/** What of a package runs in one process: each end-to-end file, each file that takes long, and all others together. */
function partsOf(pack) {
  if (pack.specs !== undefined) return pack.specs.map((spec) => [spec]);
  const specs = testFiles(pack).map((file) => relative(pack.path, file).replaceAll(sep, '/'));
  const isOwn = (spec) =>
    pack.folder === 'e2e' || `${pack.folder}/${spec}` in alone || isLong(`${pack.folder}/${spec}`);
  const others = specs.filter((spec) => !isOwn(spec));
  return [...specs.filter(isOwn).map((spec) => [spec]), ...(others.length > 0 ? [others] : [])];
}

function testJobs(pack, args, build) {
  const isEndToEnd = pack.folder === 'e2e';
  const parts = partsOf(pack);
  return parts.map((specs) => {
    const title = specs.length === 1 ? `${pack.folder}/${specs[0]}` : pack.folder;
    const job = mochaJob(title, pack.path, [...specs, ...args], isEndToEnd ? 120_000 : 20_000);
    return { ...job, needs: isEndToEnd ? build : undefined, alone: title in alone };
  });
}

/** A gateway that does not build is a failure among others: the rest is still worth running. */
const buildJob = () => ({
  title: 'build',
  isHeavy: true,
  async work() {
    try {
      await withLock(build);
      return true;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      console.error(`${error.message} The end-to-end tests are left out.`);
      return false;
    }
  },
});

/** Long jobs first, so that none of them is left when everything else is over. */
function inOrder(jobs) {
  const rank = ({ title, work, isHeavy }) => {
    if (work !== undefined || isHeavy) return -1;
    if (long.includes(title)) return long.indexOf(title);
    return long.length + (isLong(title) ? 0 : 1);
  };
  return jobs.toSorted((one, other) => rank(one) - rank(other));
}

export async function test(args) {
  const hasName = args.length > 0 && !args[0].startsWith('-');
  const { checks, unit, e2e } = select(hasName ? args[0] : undefined);
  const mochaArgs = hasName ? args.slice(1) : args;
  await withLock(install);

  const begin = Date.now();
  const built = e2e.length > 0 || !hasName ? [buildJob()] : [];
  const tests = [...unit, ...e2e].flatMap((pack) => testJobs(pack, mochaArgs, built[0]));
  const checked = checks ? checkJobs().map((job) => ({ ...job, isHeavy: true })) : [];
  const jobs = inOrder([...built, ...checked, ...tests]);
  const first = await runJobs(jobs, places());
  const again = disturbed(jobs, first);
  if (again.length > 0) console.log('\nWhat failed runs once more, by itself.');
  const results = settle(first, again.length > 0 ? await runJobs(again, { width: 1 }) : []);

  const line = hostileLine(results);
  if (line !== undefined) console.log(`\n${line}`);
  const { passed, failed, skipped } = addUp(results);
  const minutes = ((Date.now() - begin) / 60_000).toFixed(1);
  const titles = (jobs) => jobs.map(({ title }) => title).join(', ');
  const bad = results.filter(({ isGood }) => !isGood);
  const unsteady = again.filter((job) => !bad.some(({ title }) => title === job.title));
  if (unsteady.length > 0)
    console.log(`\nFailed beside others and passed by itself, and is to be made steady: ${titles(unsteady)}`);
  console.log(
    `\n${results.length} jobs in ${minutes} min${bad.length > 0 ? `; failed: ${titles(bad)}` : ''}`,
  );
  console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  return failed === 0 && passed > 0 ? 0 : 1;
}
