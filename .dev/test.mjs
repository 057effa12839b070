// `npm test`: checks, unit tests from source, end-to-end tests of the built gateway, and one line of totals.
import { existsSync, statSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { build } from './build.mjs';
import { checkJobs } from './check.mjs';
import { install } from './install.mjs';
import { addTotals, mochaJob, noTotals, runJobs } from './jobs.mjs';
import { withLock } from './lock.mjs';
import { Failure, listFiles, readPackages, root } from './workspace.mjs';

function packagesWithTests() {
  return readPackages().filter(({ path }) => {
    const folder = join(path, 'test');
    return existsSync(folder) && listFiles(folder).some((file) => file.endsWith('.test.ts'));
  });
}

/** The package that a path names, or the package of the test file that it names. */
function selectPath(name, packages) {
  const path = resolve(root, name);
  const owners = packages.filter((pack) => path === pack.path || path.startsWith(join(pack.path, 'test')));
  if (owners.length === 0 || !existsSync(path)) {
    throw new Failure(
      `"${name}" is not unit, e2e or check, nor a package with tests, nor a test file of one.`,
    );
  }
  return statSync(path).isFile() ? { ...owners[0], spec: relative(owners[0].path, path) } : owners[0];
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

const jobOf = (pack, args, timeout) =>
  mochaJob(pack.folder, pack.path, [pack.spec ?? 'test/**/*.test.ts', ...args], timeout);

/** A gateway that does not build is a failure among others: the rest is still worth running. */
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

export async function test(args) {
  const hasName = args.length > 0 && !args[0].startsWith('-');
  const { checks, unit, e2e } = select(hasName ? args[0] : undefined);
  const mochaArgs = hasName ? args.slice(1) : args;
  await withLock(install);

  const jobs = unit.map((pack) => jobOf(pack, mochaArgs, 20_000));
  let totals = await runJobs(checks ? [...checkJobs(), ...jobs] : jobs, 2);
  if (e2e.length > 0 || !hasName) {
    const isBuilt = await tryBuild();
    const more = isBuilt
      ? await runJobs(
          e2e.map((pack) => jobOf(pack, mochaArgs, 120_000)),
          1,
        )
      : { ...noTotals, failed: 1 };
    totals = addTotals(totals, more);
  }

  const { passed, failed, skipped } = totals;
  console.log(`\n${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
  return failed === 0 && passed > 0 ? 0 : 1;
}
