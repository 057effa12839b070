// The commands of the root package.json. Plain JavaScript without dependencies: it runs on the Node that a machine
// happens to have and fetches everything else, Node 24 included.
import { build } from './build.mjs';
import { check, typedoc } from './check.mjs';
import { dev } from './dev.mjs';
import { install } from './install.mjs';
import { withLock } from './lock.mjs';
import { run } from './process.mjs';
import { test } from './test.mjs';
import { Failure, inRoot, nodeBinary } from './workspace.mjs';

const help = `Usage: npm start | npm test | npm run build | package | check | dev | bench | soak | screens | trial:hostile | trial:pair   [-- arguments]

  start   installs and builds what changed, then runs the gateway with its demo plant; -- --help shows its options
  test    everything: check, unit tests, end-to-end tests
          -- unit | e2e | check         one of the three
          -- plugins/mqtt               the tests of one package, or of one test file
          -- unit --grep "late frame"   whatever follows goes to mocha
  build   installs and builds what changed
  package -- --out DIR   makes tagway-VERSION.tgz, which npm install -g takes without a registry
  check   generated files, types, lint, format and the rules of the repository
  dev     like start, and again after every change
  docs    writes the reference of the SDK and the kit to .docs/, from their docstrings
  bench   measures the built gateway; -- --help shows its options
  bench:page   the web page: the long form of its tests, and its figures; -- --help shows its options
  soak    runs the built gateway for hours, with kills and outages at random; -- --help shows its options
  screens takes the pictures of the web page in the README; -- --all DIR those of every place
  trial:hostile   the tests of e2e/hostile, each attack for a minute, or for HOSTILE_SECONDS
  trial:pair      two gateways and 200 faults at random; -- --help shows its options
`;

const prepare = () => withLock(async () => (await install(), await build()));

const commands = {
  async start(args) {
    await prepare();
    return runNode('host/demo/dist/main.js', args);
  },
  async build() {
    await prepare();
    return 0;
  },
  async package(args) {
    await prepare();
    // Loaded here, because it uses packages, which are there from now on.
    const { makePackage } = await import('./package.mjs');
    return makePackage(args);
  },
  async check() {
    await withLock(install);
    return check();
  },
  async test(args) {
    return test(args);
  },
  async dev(args) {
    await prepare();
    return dev(args);
  },
  async docs() {
    await withLock(install);
    const { code } = await run(nodeBinary(), typedoc, { decides: true });
    return code;
  },
  async bench(args) {
    await prepare();
    return runNode('e2e/bench/main.ts', args, ['--conditions=source']);
  },
  async 'bench:page'(args) {
    await prepare();
    process.env.PAGE_SECONDS ??= '90';
    const isShort = args.includes('--figures') || args.includes('--help');
    const tests = isShort ? 0 : await test(['e2e/page']);
    const figures = await runNode('e2e/bench/page/main.ts', args, ['--conditions=source']);
    return tests || figures;
  },
  async soak(args) {
    await prepare();
    return runNode('e2e/soak/main.ts', args, ['--conditions=source']);
  },
  async screens(args) {
    await prepare();
    return runNode('e2e/screens.ts', args, ['--conditions=source']);
  },
  async 'trial:hostile'(args) {
    process.env.HOSTILE_SECONDS ??= '60';
    return test(['e2e/hostile', ...args]);
  },
  async 'trial:pair'(args) {
    await prepare();
    return runNode('e2e/pair/main.ts', args, ['--conditions=source']);
  },
};

async function runNode(script, args, flags = []) {
  const { code } = await run(nodeBinary(), [...flags, inRoot(script), ...args], { decides: true });
  return code;
}

const [name = '', ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, name)) {
  console.error(name === '' ? help : `There is no command "${name}".\n\n${help}`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await commands[name](args);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    console.error(error.message);
    process.exitCode = 1;
  }
}
