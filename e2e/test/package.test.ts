import { execFileSync } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { expect } from 'chai';
import { Child } from '../kit/child.ts';
import type { Client } from '../kit/client.ts';
import { pluginsOf } from '../kit/configuration.ts';
import { Gateway } from '../kit/gateway.ts';
import { runs } from '../kit/libraries.ts';
import { ended, homeIn, installPackage } from '../kit/installed.ts';
import type { Installed } from '../kit/installed.ts';
import { commandWith, emptyFolder, removeFolder } from '../kit/standalone.ts';
import { ownPlugins } from '../kit/own-plugins.ts';
import { workOf } from '../kit/plugin-works.ts';

const require = createRequire(import.meta.url);

/** The folder of a Node on the path that is older than the gateway needs. */
function olderNode(): string | undefined {
  return (process.env['PATH'] ?? '').split(delimiter).find((folder) => {
    const node = join(folder, 'node');
    if (!existsSync(node) || realpathSync(node) === realpathSync(process.execPath)) return false;
    const [major = 0, minor = 0] = execFileSync(node, ['--version'], { encoding: 'utf8' })
      .slice(1)
      .split('.')
      .map(Number);
    return major < 22 || (major === 22 && minor < 19);
  });
}

/** Whether a process can be started without any network but a loopback interface that is down. */
function canBeAlone(): boolean {
  try {
    execFileSync('unshare', ['--map-root-user', '--net', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** The native module for serial lines on each system, by what Node and the C library of a machine are called. */
const serialParts = [
  { platform: 'linux', arch: 'x64', libc: 'glibc', arm: '', machine: 62, loader: 'libc.so.6' },
  { platform: 'linux', arch: 'x64', libc: 'musl', arm: '', machine: 62, loader: 'libc.musl-x86_64.so.1' },
  { platform: 'linux', arch: 'arm64', libc: 'glibc', arm: '8', machine: 183, loader: 'libc.so.6' },
  { platform: 'linux', arch: 'arm64', libc: 'musl', arm: '8', machine: 183, loader: 'libc.so' },
  { platform: 'linux', arch: 'arm', libc: 'glibc', arm: '7', machine: 40, loader: 'libc.so.6' },
  { platform: 'linux', arch: 'arm', libc: 'glibc', arm: '6', machine: 40, loader: 'libc.so.6' },
  { platform: 'linux', arch: 'arm', libc: 'musl', arm: '7', machine: 40, loader: 'libc.so' },
] as const;

describe('the package', function () {
  this.timeout(180_000);
  let folder: string;
  let installed: Installed;

  before(async () => {
    folder = await emptyFolder();
    installed = await installPackage(folder);
  });
  after(() => removeFolder(folder));

  const textOf = (file: string): Promise<string> => readFile(join(installed.folder, file), 'utf8');

  it('is installed by npm without a network, in one piece, with no script, and nothing to compile', async () => {
    const beside = await readdir(join(installed.folder, '..'));
    expect(beside, 'all packages are inside').to.deep.equal(['tagway']);
    const files = await readdir(installed.folder, { recursive: true });
    // Beside the kit, which is projects and archives for authors.
    const own = files.filter((file) => !file.startsWith('host/dist/kit/'));
    const manifests = own.filter((file) => /(^|\/)package\.json$/.test(file));
    expect(manifests.length).to.be.greaterThan(ownPlugins.length);
    for (const file of manifests)
      expect(JSON.parse(await textOf(file)), file).not.to.have.property('scripts');
    expect(files.filter((file) => /binding\.gyp$|\.map$|\.d\.ts$/.test(file) && !file.includes('/kit/'))).to
      .be.empty;
    expect((await stat(installed.archive)).size).to.be.lessThan(9_000_000);
  });

  it('has the documentation, whose links lead to files that are there', async () => {
    const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/*.md', 'host/*.md', 'plugins/*/*.md'], {
      cwd: installed.folder,
    });
    const some = ['README.md', 'docs/operate.md', 'docs/plugins/contract.md', 'plugins/mqtt/README.md'];
    expect(pages).to.include.members(some);
    expect(await textOf('README.md'), 'what it says of pages that do not travel').to.not.include(
      'Contributing',
    );
    for (const page of pages)
      for (const [, target = ''] of (await textOf(page)).matchAll(/\]\((?![a-z]+:|#)([^()\s#]+)/g))
        expect(existsSync(join(installed.folder, dirname(page), target)), `${page}: ${target}`).to.equal(
          true,
        );
  });

  it('says its version and its options', async () => {
    const { version } = JSON.parse(await textOf('package.json')) as { version: string };
    const shown = { code: 0, stdout: `${version}\n`, stderr: '' };
    expect(await ended(installed.bin, ['--version'])).to.deep.equal(shown);
    const help = await ended(installed.bin, ['--help']);
    expect(help.code).to.equal(0);
    expect(help.stdout).to.match(/^Usage: tagway \[options]/);
  });

  it('runs with npx from the archive, without a network', async () => {
    const { version } = JSON.parse(await textOf('package.json')) as { version: string };
    await mkdir(join(folder, 'npx'));
    const args = ['--yes', '--package', installed.archive, 'tagway', '--version'];
    const said = await commandWith(homeIn(folder), join(folder, 'npx'), 'npx', ...args);
    expect(said).to.equal(`${version}\n`);
  });

  const older = olderNode();
  it(`says in one sentence that it needs a newer Node${older === undefined ? ' (there is no older one here)' : ''}`, async function () {
    if (older === undefined) this.skip();
    const args = ['--data', join(folder, 'never')];
    const { code, stdout, stderr } = await ended(installed.bin, args, { node: older });
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.match(
      /^Tagway needs Node\.js 22\.19 or newer, and this is \d+\.\d+\.\d+\. Install a newer one.*\.\n$/,
    );
    expect(existsSync(join(folder, 'never'))).to.equal(false);
  });

  const isAlone = canBeAlone();
  it(`starts without any network${isAlone ? '' : ' (unshare --net is not possible here)'}`, async function () {
    if (!isAlone) this.skip();
    const args = ['--map-root-user', '--net', process.execPath, installed.main];
    const gateway = await Child.start(
      'unshare',
      [...args, '--data', join(folder, 'alone'), '--host', '0.0.0.0', '--port', '0', '--log-print'],
      { ready: /Tagway listens on/ },
    );
    const { code } = await gateway.stop('SIGTERM', 10_000);
    expect(code, gateway.output).to.equal(0);
    expect(gateway.output).not.to.match(/"level":"(error|fatal)"|was skipped/);
  });

  it('brings a native module for serial lines on Linux of every kind that a gateway may be, for its machine and C library', async () => {
    const native = join(installed.folder, 'node_modules/@serialport/bindings-cpp');
    const finder = join(installed.folder, 'node_modules/node-gyp-build');
    for (const { platform, arch, libc, arm, machine, loader } of serialParts) {
      const script = 'require(process.argv[1]).resolve(process.argv[2])';
      const machineOf = { npm_config_platform: platform, npm_config_arch: arch, LIBC: libc };
      const env = { ...machineOf, ...(arm !== '' && { ARM_VERSION: arm }) };
      const { stdout, stderr } = await ended(process.execPath, ['-p', script, finder, native], { env });
      const file = stdout.trim();
      expect(file, stderr).to.match(new RegExp(`/prebuilds/${platform}-${arch}/.*${libc}\\.node$`));
      const binary = await readFile(file);
      expect(binary.toString('latin1', 1, 4), file).to.equal('ELF');
      expect(binary.readUInt16LE(18), file).to.equal(machine);
      expect(binary.includes(`\0${loader}\0`), file).to.equal(true);
    }
  });

  it('lists the packages of others with their licences, as text and as CycloneDX', async () => {
    const notices = await textOf('THIRD-PARTY-LICENSES.txt');
    const bom = JSON.parse(await textOf('sbom.cdx.json')) as {
      bomFormat: string;
      specVersion: string;
      metadata: { component: { name: string } };
      components: {
        name: string;
        group?: string;
        version: string;
        purl: string;
        licenses: object[];
        properties: { value: string }[];
      }[];
    };
    expect(bom).to.include({ bomFormat: 'CycloneDX', specVersion: '1.6' });
    expect(bom.metadata.component.name).to.equal('tagway');
    const parts = new Map<string, string[]>();
    for (const { name, group, version, purl, licenses, properties } of bom.components) {
      const full = group === undefined ? name : `${group}/${name}`;
      expect(licenses, full).not.to.be.empty;
      expect(purl).to.match(/^pkg:npm\//);
      expect(notices).to.include(`\n${full} ${version}`);
      parts.set(full, [...(parts.get(full) ?? []), ...properties.map(({ value }) => value)]);
    }
    expect(parts.get('koa')).to.deep.equal(['host']);
    expect(parts.get('@serialport/bindings-cpp')).to.include('node_modules');
    expect(parts.get('mqtt')).to.include.members(['plugins/mqtt', 'plugins/sparkplugb']);
    expect(parts.get('node-opcua-client')).to.deep.equal(['plugins/opcua']);
    expect(parts.get('react')).to.deep.equal(['web page']);
    const shipped = await readdir(join(installed.folder, 'node_modules'));
    for (const name of shipped.filter((one) => !/^[.@]/.test(one)))
      expect([...parts.keys()]).to.include(name);
  });

  describe('once installed', () => {
    let gateway: Gateway;
    let client: Client;

    before(async () => {
      gateway = await Gateway.start({ main: installed.main });
      client = await gateway.client();
    });
    after(() => gateway?.dispose());

    it('serves the web page and has every plugin', async () => {
      const page = await fetch(gateway.url);
      expect(page.status).to.equal(200);
      expect(await page.text()).to.include('<div id="root">');
      expect((await pluginsOf(client)).map(({ name }) => name)).to.have.members(
        ownPlugins.map(({ name }) => name),
      );
    });

    it('makes projects of new plugins', async () => {
      const project = join(folder, 'my-meter');
      const { code, stderr } = await ended(installed.bin, ['plugin', 'create', 'driver', project]);
      expect(code, stderr).to.equal(0);
      expect(await readdir(join(project, 'vendor'))).to.have.length(4);
    });

    for (const { id, name } of ownPlugins) {
      it(`runs ${name}`, () => workOf(id)(client, (node, group) => runs(client, node, group), folder));
    }
  });

  it('needs no package that lies outside of it', () => {
    // The workspace must not lend what is missing: nothing of it can be found from where the package is installed.
    expect(() => require.resolve('koa', { paths: [join(dirname(installed.folder), '..')] })).to.throw();
  });
});
