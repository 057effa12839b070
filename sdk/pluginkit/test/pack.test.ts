import { execFileSync } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, hash, verify } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageSignature } from '@tagway/schemas';
import { validatePackageMember } from '@tagway/schemas/validate';
import { sdkVersion } from '@tagway/sdk/internal';
import { expect } from 'chai';
import { list, type ReadEntry } from 'tar';
import { check } from '../src/check.ts';
import { pack } from '../src/pack.ts';
import { driverFiles, failureOf, Folder, packageWith } from './folder.ts';

/** Names and texts of the files in an archive. */
async function contentOf(file: string): Promise<Map<string, string>> {
  const content = new Map<string, string>();
  const waiting: Promise<unknown>[] = [];
  await list({
    file,
    onReadEntry: (entry: ReadEntry) =>
      waiting.push(entry.concat().then((text) => content.set(entry.path, text.toString()))),
  });
  await Promise.all(waiting);
  return content;
}

describe('pack', function () {
  this.timeout(60_000);

  it('takes what a gateway needs and leaves out what is for the author', async () => {
    using folder = new Folder().write(driverFiles);
    const { file } = await pack(folder.path);
    const content = await contentOf(file);
    expect([...content.keys()]).to.deep.equal(
      ['README.md', 'dist/index.js', 'package.json', 'plugin.json', 'settings.schema.json'].map(
        (name) => `package/${name}`,
      ),
    );
    expect(JSON.parse(content.get('package/package.json') ?? '')).to.deep.equal({
      name: 'nothing',
      version: '1.0.0',
      type: 'module',
      keywords: ['tagway-plugin'],
      tagway: { id: 'nothing', name: 'Nothing', kind: 'driver', sdk: '>=0.1.0', native: false },
    });
  });

  it('says in package.json what a list shows of the plugin, and keeps what the author says', async () => {
    const said = {
      keywords: ['meter', 'tagway-plugin', 'acme'],
      license: 'MIT',
      os: 'linux',
      cpu: ['x64', 'arm64'],
      libc: ['glibc'],
      publishConfig: { access: 'public' },
    };
    using folder = new Folder().write({
      ...driverFiles,
      'package.json': { ...driverFiles['package.json'], ...said },
      'plugin.json': { ...driverFiles['plugin.json'], sdk: `^${sdkVersion}`, uses: ['network', 'serial'] },
    });
    const content = await contentOf((await pack(folder.path)).file);
    const packed = JSON.parse(content.get('package/package.json') ?? '') as { tagway: object };
    expect(packed).to.deep.include({ ...said, keywords: ['tagway-plugin', 'meter', 'acme'] });
    expect(packed).to.not.have.any.keys('scripts', 'devDependencies');
    expect(packed.tagway).to.deep.equal({
      id: 'nothing',
      name: 'Nothing',
      kind: 'driver',
      sdk: `^${sdkVersion}`,
      native: false,
      uses: ['network', 'serial'],
      os: ['linux'],
      cpu: ['x64', 'arm64'],
      libc: ['glibc'],
    });
    expect(validatePackageMember(packed.tagway)).to.equal(undefined);
  });

  it('signs inside of the package too: name, version and all other files, as openssl verifies it', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    using folder = new Folder().write({
      ...driverFiles,
      'key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }),
      'public.pem': publicKey.export({ type: 'spki', format: 'pem' }),
    });
    const packed = await pack(folder.path, { key: join(folder.path, 'key.pem'), signed: 'inside' });
    expect(packed).to.not.have.property('signature');
    expect(readdirSync(folder.path).filter((name) => name.endsWith('.sig'))).to.deep.equal([]);
    const content = await contentOf(packed.file);
    const { key, signature } = JSON.parse(content.get('package/signature.json') ?? '') as PackageSignature;
    // Made here without a line of the kit: what docs/plugins/publish.md says.
    const lines = [...content]
      .map(([path, text]) => [path.slice('package/'.length), text] as const)
      .filter(([path]) => path !== 'signature.json')
      .map(([path, text]) => `${hash('sha512', text, 'hex')}  ${path}\n`)
      .sort((a, b) => (a.slice(130) < b.slice(130) ? -1 : 1));
    folder.write({ text: `tagway-package 1\nname nothing\nversion 1.0.0\n${lines.join('')}` });
    writeFileSync(join(folder.path, 'signature'), Buffer.from(signature, 'base64'));
    const options = ['-verify', '-rawin', '-pubin', '-inkey', 'public.pem', '-in', 'text'];
    const args = ['pkeyutl', ...options, '-sigfile', 'signature'];
    expect(execFileSync('openssl', args, { cwd: folder.path, encoding: 'utf8' })).to.match(
      /Verified Success/,
    );
    const own = hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64');
    expect(key).to.equal(`SHA256:${own.slice(0, 43)}`);
  });

  it('gives the same bytes for the same plugin', async () => {
    using folder = new Folder().write(driverFiles);
    const one = readFileSync((await pack(folder.path, { out: join(folder.path, 'one') })).file);
    const other = readFileSync((await pack(folder.path, { out: join(folder.path, 'other') })).file);
    expect(one.equals(other)).to.equal(true);
  });

  it('signs with an Ed25519 key', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    using folder = new Folder().write({
      ...driverFiles,
      'key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }),
    });
    const { file } = await pack(folder.path, { key: join(folder.path, 'key.pem') });
    const signature = Buffer.from(readFileSync(`${file}.sig`, 'utf8').trim(), 'base64');
    const pem = publicKey.export({ type: 'spki', format: 'pem' });
    expect(verify(null, readFileSync(file), createPublicKey(pem), signature)).to.equal(true);
  });

  it('refuses another kind of key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    using folder = new Folder().write({
      ...driverFiles,
      'key.pem': privateKey.export({ type: 'pkcs8', format: 'pem' }),
    });
    expect(await failureOf(pack(folder.path, { key: join(folder.path, 'key.pem') }))).to.include(
      'not an Ed25519 key',
    );
  });

  const uses = `import { n } from 'outer'; if (n !== 3) throw new Error('n is ' + n); ${driverFiles['dist/index.js']}`;
  const packages = {
    'dist/index.js': uses,
    'node_modules/outer/package.json': {
      name: 'outer',
      version: '1.0.0',
      type: 'module',
      main: 'i.js',
      dependencies: { inner: '1', shared: '2' },
    },
    'node_modules/outer/i.js': `import { a } from 'inner'; import { s } from 'shared'; export const n = a + s;`,
    'node_modules/outer/node_modules/shared/package.json': {
      name: 'shared',
      version: '2.0.0',
      type: 'module',
      main: 'i.js',
    },
    'node_modules/outer/node_modules/shared/i.js': 'export const s = 2;',
    'node_modules/inner/package.json': {
      name: 'inner',
      version: '1.0.0',
      type: 'module',
      main: 'i.js',
      gypfile: true,
      dependencies: { shared: '1' },
      optionalDependencies: { 'inner-elsewhere': '1' },
    },
    'node_modules/inner/i.js': `import { s } from 'shared'; export const a = s;`,
    'node_modules/inner/prebuilds/linux-x64/inner.node': 'binary',
    'node_modules/shared/package.json': { name: 'shared', version: '1.0.0', type: 'module', main: 'i.js' },
    'node_modules/shared/i.js': 'export const s = 1;',
  };
  const outside = {
    'package.json': packageWith({ external: ['outer'] }, { dependencies: { outer: '1.0.0', unused: '1' } }),
  };
  const nativeManifest = { 'plugin.json': { ...driverFiles['plugin.json'], native: true } };

  it('carries what stays out of the bundle, in the versions that its packages have here', async () => {
    using folder = new Folder().write({ ...driverFiles, ...packages, ...outside, ...nativeManifest });
    const content = await contentOf((await pack(folder.path)).file);
    expect([...content.keys()]).to.include('package/node_modules/inner/prebuilds/linux-x64/inner.node');
    expect(JSON.parse(content.get('package/package.json') ?? '')).to.deep.include({
      dependencies: { outer: '1.0.0' },
      bundleDependencies: ['outer'],
    });
  });

  it('refuses native modules without a binary, unannounced ones and packages that are missing', async () => {
    using silent = new Folder().write({ ...driverFiles, ...packages, ...outside });
    expect(await failureOf(pack(silent.path))).to.include('"native": true');
    const { 'node_modules/inner/prebuilds/linux-x64/inner.node': _, ...bare } = packages;
    using source = new Folder().write({ ...driverFiles, ...bare, ...outside, ...nativeManifest });
    expect(await failureOf(pack(source.path))).to.include('inner has no prebuilt binary');
    using missing = new Folder().write({
      ...driverFiles,
      'package.json': packageWith({ external: ['absent'] }),
    });
    expect(await failureOf(pack(missing.path))).to.include('The package absent is not installed');
  });

  it('refuses a plugin that does not load on its own', async () => {
    using folder = new Folder().write({ ...driverFiles, ...packages });
    expect(await failureOf(pack(folder.path))).to.include(`Cannot find package 'outer'`);
  });
});

describe('check', function () {
  this.timeout(60_000);

  it('finds nothing wrong with a good plugin', async () => {
    using folder = new Folder().write(driverFiles);
    expect(await check(folder.path)).to.deep.equal([]);
  });

  const manifest = driverFiles['plugin.json'];
  const bad: Readonly<Record<string, readonly [Readonly<Record<string, unknown>>, RegExp]>> = {
    'a manifest that is not one': [{ 'plugin.json': { ...manifest, kind: 'thing' } }, /^plugin\.json: /],
    'a setting that the meta-schema refuses': [
      { 'settings.schema.json': { type: 'object', properties: { a: { type: 'array' } } } },
      /^settings\.schema\.json: /,
    ],
    'an SDK of another time': [
      { 'plugin.json': { ...manifest, sdk: '^99.0.0' } },
      /asks for \^99\.0\.0 and the SDK here is/,
    ],
    'a member of plugin.json that the oldest gateways of its range do not know': [
      { 'plugin.json': { ...manifest, uses: ['network'] } },
      /"uses" is known to gateways from version .* and "sdk" takes 0\.1\.0 too\. Ask for \^/,
    ],
    'an install script': [
      { 'package.json': packageWith({}, { scripts: { postinstall: 'x' } }) },
      /"postinstall" would never run/,
    ],
    'a module that throws': [{ 'dist/index.js': `throw new Error('no');` }, /cannot be loaded: Error: no/],
    'a module without a plugin': [{ 'dist/index.js': 'export default {};' }, /default export is not made by/],
    'a plugin of the other kind': [
      { 'dist/index.js': `export default { [Symbol.for('tagway.app')]: true };` },
      /exports another kind/,
    ],
    'a version that is none': [{ 'package.json': packageWith({}, { version: '1' }) }, /"1" is not a version/],
    'a plugin that is not built': [
      { 'plugin.json': { ...manifest, main: 'dist/other.js' } },
      /dist\/other\.js does not exist/,
    ],
  };
  for (const [what, [files, message]] of Object.entries(bad)) {
    it(`finds ${what}`, async () => {
      using folder = new Folder().write({ ...driverFiles, ...files });
      const problems = await check(folder.path);
      expect(problems).to.have.length(1);
      expect(problems[0]).to.match(message);
    });
  }
});
