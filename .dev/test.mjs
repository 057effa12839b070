// `npm test`: checks, unit tests from source, end-to-end tests of the built gateway, and one line of totals.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { build } from './build.mjs';
import { checkJobs } from './check.mjs';
import { hostileLine } from './hostile.mjs';
import { install } from './install.mjs';
import { mochaJob, roomForMore, runJobs, stripTypes } from './jobs.mjs';
import { withLock } from './lock.mjs';
import { Failure, inRoot, listFiles, readPackages, root } from './workspace.mjs';

/** Tests mostly wait for devices and processes, so that at least two of them share a core, and more while they leave it idle. */
const width = 2 * availableParallelism();

/** Packages with so many tests that each folder of them is a job. */
const wide = ['host'];

/** Jobs that take long, the longest first: they begin early, so that none of them is what a run waits for at its end. */
const long = [
  'e2e/test/config-git-access.test.ts',
  'host/test/http',
  'host/test/pair',
  'host/test/core',
  'host/test/runtime',
  'plugins/opcua',
  'plugins/opcua-server/test/conformance.test.ts',
  'plugins/opcua/test/conformance.test.ts',
  'sdk/pluginkit/test/conformance.test.ts',
  'plugins/modbus-server/test/conformance.test.ts',
  'plugins/mqtt',
  'e2e/test/third-party.test.ts',
  'e2e/page/looks.test.ts',
  'e2e/test/plugin-install.test.ts',
  'e2e/test/config-source.test.ts',
  'e2e/test/packed.test.ts',
  'e2e/page/login.test.ts',
  'e2e/test/fuzz.test.ts',
  'e2e/page/administration.test.ts',
  'e2e/test/config-folder.test.ts',
  'e2e/page/find.test.ts',
  'e2e/hostile/without-token.test.ts',
  'e2e/test/publish.test.ts',
  'e2e/test/outage.test.ts',
  'e2e/test/import.test.ts',
  'e2e/test/modbus-faults.test.ts',
  'e2e/test/sparkplug.test.ts',
  'e2e/test/kill.test.ts',
  'e2e/test/supervision.test.ts',
  'plugins/mqtt/test/flapping.test.ts',
];

/** Files that measure pauses of milliseconds between processes: they run after all others, one on a core, the longest first. */
const alone = [
  'e2e/test/pair-agent.test.ts',
  'e2e/pair/service.test.ts',
  'e2e/pair/faults.test.ts',
  'e2e/pair/opcua-server.test.ts',
  'e2e/pair/directory.test.ts',
  'host/test/pair/send-gate.test.ts',
  'e2e/pair/alarms.test.ts',
];

const isConformance = (title) => title.endsWith('/conformance.test.ts');

/** Folders of tests: `hostile` attacks the gateway, `page` uses it in a browser, and `pair` has two of them. */
const testFolders = ({ path }) =>
  ['test', 'hostile', 'page', 'pair'].map((name) => join(path, name)).filter((folder) => existsSync(folder));

const testFiles = (folder) => listFiles(folder).filter((file) => file.endsWith('.test.ts'));

/** Packages with their test files, all of them or those that `name` selects: a package, a folder or a file of tests. */
function select(name) {
  const all = readPackages()
    .map((pack) => ({ ...pack, files: testFolders(pack).flatMap(testFiles) }))
    .filter(({ files }) => files.length > 0);
  const isEndToEnd = ({ folder }) => folder === 'e2e';
  if (name === undefined) return all;
  if (name === 'check') return [];
  if (name === 'unit') return all.filter((pack) => !isEndToEnd(pack));
  if (name === 'e2e') return all.filter(isEndToEnd);
  const path = resolve(root, name);
  const owner = all.find(
    (pack) => pack.path === path || testFolders(pack).some((folder) => path.startsWith(folder)),
  );
  if (owner === undefined || !existsSync(path))
    throw new Failure(
      `"${name}" is not unit, e2e or check, nor a package with tests, nor a test file or folder of one.`,
    );
  if (owner.path === path) return [owner];
  const files = statSync(path).isFile() ? [path] : testFiles(path);
  return [{ ...owner, files, isSelected: true }];
}

/** The mocha runs of a package: one for each end-to-end file and each file that takes long, and one for all others, or for each folder of them. */
function testJobs({ folder, path, files, isSelected = false }, args, built) {
  const isEndToEnd = folder === 'e2e';
  const specs = files.map((file) => relative(path, file).replaceAll(sep, '/'));
  const isOwn = (spec) =>
    isEndToEnd ||
    isSelected ||
    isConformance(`${folder}/${spec}`) ||
    [...long, ...alone].includes(`${folder}/${spec}`);
  const others = specs.filter((spec) => !isOwn(spec));
  const partOf = (spec) =>
    wide.includes(folder) ? `${folder}/${spec.split('/').slice(0, 2).join('/')}` : folder;
  const job = (title, list) => mochaJob(title, path, [...list, ...args], isEndToEnd ? 180_000 : 40_000);
  return [
    ...specs
      .filter(isOwn)
      .map((spec) => ({ ...job(`${folder}/${spec}`, [spec]), ...(isEndToEnd && { needs: built }) })),
    ...[...new Set(others.map(partOf))].map((part) =>
      job(
        part,
        others.filter((spec) => partOf(spec) === part),
      ),
    ),
  ];
}

/** Long jobs and conformance suites that need no build, then the long ones that need it, then the rest. */
function inOrder(jobs) {
  const rank = ({ title, needs }) => {
    const index = long.includes(title) ? long.indexOf(title) : long.length;
    if (needs !== undefined) return index + long.length;
    return index === long.length && !isConformance(title) ? 2 * long.length : index;
  };
  return jobs.toSorted((one, other) => rank(one) - rank(other));
}

/** Resolves to false after a build that failed, which is a failure among others: the rest is still worth running. */
async function tryBuild() {
  try {
    await withLock(build);
    return true;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(`${error.message} The end-to-end tests are left out.`);
    return false;
  }
}

/** In CI a test may be skipped only for a reason that .ci/skips has. */
function forbiddenSkips(skipped) {
  if (process.env.CI === undefined) return [];
  const lines = readFileSync(inRoot('.ci', 'skips'), 'utf8').split('\n');
  const reasons = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return skipped.filter((title) => !reasons.some((reason) => title.includes(reason)));
}

export async function test(args) {
  const name = args.length > 0 && !args[0].startsWith('-') ? args[0] : undefined;
  const packages = select(name);
  await withLock(install);
  await stripTypes();

  const begin = Date.now();
  const built = packages.some(({ folder }) => folder === 'e2e') ? tryBuild() : Promise.resolve(true);
  const mochaArgs = name === undefined ? args : args.slice(1);
  const jobs = inOrder(packages.flatMap((pack) => testJobs(pack, mochaArgs, built)));
  const checks = name === undefined || name === 'check' ? checkJobs() : [];
  const isAlone = ({ title }) => jobs.length > 1 && alone.includes(title);
  const byAlone = (one, other) => alone.indexOf(one.title) - alone.indexOf(other.title);
  const beside = jobs.filter((job) => !isAlone(job));
  const results = await (jobs.length === 0
    ? runJobs(checks, 2, [])
    : runJobs(beside, width, checks, roomForMore()));
  results.push(...(await runJobs(jobs.filter(isAlone).toSorted(byAlone), availableParallelism(), [])));
  if (!(await built)) results.push({ title: 'build', isGood: false, passed: 0, failed: 1, skipped: [] });

  const line = hostileLine(results);
  if (line !== undefined) console.log(`\n${line}`);
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failed = results.reduce((sum, result) => sum + result.failed, 0);
  const skipped = results.flatMap((result) => result.skipped);
  const forbidden = forbiddenSkips(skipped);
  for (const title of forbidden) console.log(`Skipped for a reason that is not in .ci/skips: ${title}`);
  const minutes = ((Date.now() - begin) / 60_000).toFixed(1);
  const bad = results.filter(({ isGood }) => !isGood).map(({ title }) => title);
  console.log(
    `\n${results.length} jobs in ${minutes} min${bad.length > 0 ? `; failed: ${bad.join(', ')}` : ''}`,
  );
  console.log(`${passed} passed, ${failed} failed${skipped.length > 0 ? `, ${skipped.length} skipped` : ''}`);
  return failed === 0 && forbidden.length === 0 && passed > 0 ? 0 : 1;
}
