// The commands of the root package.json. Plain JavaScript without dependencies: it runs on the Node that a machine
// happens to have and fetches everything else, Node 24 included.
import { accessSync, constants } from 'node:fs';
import { again, sourcesState } from './again.mjs';
import { build } from './build.mjs';
import { typedoc } from './check.mjs';
import { install } from './install.mjs';
import { withLock } from './lock.mjs';
import { run } from './process.mjs';
import { test } from './test.mjs';
import { version } from './version.mjs';
import { Failure, inRoot, nodeBinary } from './workspace.mjs';

const help = `Usage: npm start | npm test | npm run build | package | version | check | dev | bench | soak | screens | trial:hostile | trial:pair   [-- arguments]

  start   installs and builds what changed, then runs the gateway with its demo plant; -- --help shows its options
  test    everything: check, unit tests, end-to-end tests
          -- unit | e2e | check         one of the three
          -- plugins/mqtt               the tests of one package, or of one test file
          -- unit --grep "late frame"   whatever follows goes to mocha
  build   installs and builds what changed
  package -- --out DIR   makes tagway-VERSION.tgz, which npm install -g takes without a registry
  version -- VERSION     gives all packages a version, and moves the changes of .changeset into CHANGELOG.md
  check   generated files, types, lint, format and the rules of the repository
  dev     like start, and again after every change
  docs    writes the reference of the SDK and the kit to .docs/, from their docstrings
  bench   measures the built gateway; -- --help shows its options
  bench:page   the web page: the long form of its tests, and its figures; -- --help shows its options
  soak    runs the built gateway for hours, with kills and outages at random; -- --help shows its options
  screens takes the pictures of the web page in the README; -- --all DIR those of every place
  trial:hostile   the tests of e2e/hostile and of the plugins that listen, each attack for a minute, or for HOSTILE_SECONDS
  trial:pair      two gateways and 200 faults at random; -- --help shows its options
`;

/** Tests that attack the gateway, and those of plugins that attack what they listen with. */
const hostile = [
  'e2e/hostile',
  'plugins/iec104-server/test/link.test.ts',
  'plugins/modbus-server/test/link.test.ts',
];

const prepare = () => withLock(async () => (await install(), await build()));

/** Commands that run a script after a build. */
const scripts = {
  start: 'host/demo/dist/main.js',
  bench: 'e2e/bench/main.ts',
  soak: 'e2e/soak/main.ts',
  screens: 'e2e/page/screens.ts',
  'trial:pair': 'e2e/pair/main.ts',
};

const commands = {
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
  check: () => test(['check']),
  test,
  version,
  async dev(args) {
    await withLock(install);
    return again(sourcesState, (started) =>
      run(nodeBinary(), [inRoot('.dev/run.mjs'), 'start', ...args], { decides: true, started }),
    );
  },
  async docs() {
    await withLock(install);
    const { code } = await run(nodeBinary(), typedoc, { decides: true });
    return code;
  },
  async 'bench:page'(args) {
    await prepare();
    process.env.PAGE_SECONDS ??= '90';
    const isShort = ['--figures', '--tabs', '--fleet', '--help'].some((one) => args.includes(one));
    const tests = isShort ? 0 : await test(['e2e/page']);
    const figures = await runNode('e2e/bench/page/main.ts', args);
    return tests || figures;
  },
  async 'trial:hostile'(args) {
    process.env.HOSTILE_SECONDS ??= '60';
    const codes = [];
    for (const place of hostile) codes.push(await test([place, ...args]));
    return Math.max(...codes);
  },
};

async function runScript(script, args) {
  await prepare();
  return runNode(script, args);
}

async function runNode(script, args) {
  const flags = script.endsWith('.ts') ? ['--conditions=source'] : [];
  const { code } = await run(nodeBinary(), [...flags, inRoot(script), ...args], { decides: true });
  return code;
}

/** What a user can act on; undefined for a mistake of ours, which shows its stack. */
function sentenceOf(error) {
  if (error instanceof Failure) return error.message;
  if (error?.path === undefined) return undefined;
  // Below a read-only folder the system may say of a file that it is not there.
  const code = codeOf(() => accessSync(inRoot(), constants.W_OK)) ?? error.code;
  if (!['EROFS', 'EACCES', 'EPERM'].includes(code)) return undefined;
  const why = code === 'EROFS' ? 'its file system is read-only' : 'this user may not';
  return `${error.path} cannot be written: ${why}. The command installs and builds in ${inRoot()}: make it writable, or copy it elsewhere.`;
}

function codeOf(work) {
  try {
    work();
    return undefined;
  } catch (error) {
    return error.code;
  }
}

// Such as of `npm start -- --help | head`: nobody reads any more.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

const [name = '', ...args] = process.argv.slice(2);
if (!Object.hasOwn(commands, name) && !Object.hasOwn(scripts, name)) {
  console.error(name === '' ? help : `There is no command "${name}".\n\n${help}`);
  process.exitCode = 2;
} else {
  try {
    process.exitCode = await (commands[name]?.(args) ?? runScript(scripts[name], args));
  } catch (error) {
    const sentence = sentenceOf(error);
    if (sentence === undefined) throw error;
    console.error(sentence);
    process.exitCode = 1;
  }
}
