import { execFile } from 'node:child_process';
import { createPublicKey, generateKeyPairSync, hash } from 'node:crypto';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import type { ArchiveOptions } from '../kit/archives.ts';
import { useFolder } from '../kit/folder.ts';
import { parseExact } from '../kit/json.ts';
import { Verdaccio } from '../world/verdaccio.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');
const kit = join(root, 'sdk/pluginkit');
const { version: sdk } = JSON.parse(await readFile(join(root, 'sdk/package.json'), 'utf8')) as {
  readonly version: string;
};

/** The commands of the page, and what the page has as an example of package.json. */
async function pageParts(): Promise<{ walk: string; example: object }> {
  const page = await readFile(join(root, 'docs/plugins/publish.md'), 'utf8');
  const [, walk = ''] = /^```sh\n([^]*?)^```$/m.exec(page) ?? [];
  const [, example = ''] = /^## What a list shows\n[^]*?^```json\n([^]*?)^```$/m.exec(page) ?? [];
  return { walk, example: JSON.parse(example) as object };
}

describe('publishing a plugin', function () {
  this.timeout(240_000);
  const folder = useFolder('publish');
  let registry: Verdaccio;
  let env: Readonly<Record<string, string>>;

  before(async () => {
    registry = await Verdaccio.start({ users: { ann: 'a password of ann' } });
    // Nothing of the environment of this test: an author has a home and a path.
    env = { HOME: folder('home'), PATH: `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}` };
    await mkdir(folder('home'));
    await writeFile(folder('home', '.npmrc'), `${registry.npmrc('ann')}update-notifier=false\n`);
  });
  after(() => registry[Symbol.asyncDispose]());

  /** Runs a command of the kit to its end, in a folder with an .npmrc that leads nowhere. */
  async function pluginkit(...args: string[]): Promise<{ code: number; text: string }> {
    await writeFile(folder('.npmrc'), 'registry=http://127.0.0.1:9/\n');
    const options = { cwd: folder(), env, timeout: 60_000 };
    return run(process.execPath, [join(kit, 'dist/main.js'), ...args], options).then(
      ({ stdout }) => ({ code: 0, text: stdout }),
      (error: unknown) => {
        const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string };
        return { code, text: stdout + stderr };
      },
    );
  }

  it('goes as the page says, from a new project to a package that a gateway would take', async () => {
    const project = folder('flow-meter');
    expect((await pluginkit('create', 'driver', project)).code).to.equal(0);
    // What npm install would bring: the kit and what the template asks for.
    await symlink(join(kit, 'templates/driver/node_modules'), join(project, 'node_modules'));
    const { walk, example } = await pageParts();
    const { stdout } = await run('sh', ['-ec', walk], { cwd: project, env, timeout: 200_000 });
    expect(stdout).to.match(/^Packed @acme\/tagway-flow-meter@0\.1\.0: \d+ bytes, \d+ unpacked\.$/m);
    expect(stdout).to.include(`is Flow Meter, a driver for the SDK ^${sdk}, under Apache-2.0.`);
    expect(stdout).to.include('Its author says that it uses network.');
    const pem = await readFile(join(project, 'acme.pem'));
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
    expect(stdout).to.include(`by the key SHA256:${hash('sha256', der, 'base64').slice(0, 43)}.`);
    expect(stdout).to.match(/Nothing is wrong\.\n$/);

    // What the registry shows of it to everybody.
    const reply = await fetch(`${registry.url}@acme%2ftagway-flow-meter`);
    const metadata = parseExact(await reply.text()) as {
      readonly readme: string;
      readonly versions: Readonly<
        Record<string, { readonly scripts?: object; readonly dist: { readonly integrity: string } }>
      >;
    };
    expect(metadata.readme).to.match(/^# Flow Meter\n/);
    const listed = metadata.versions['0.1.0'];
    expect(listed).to.deep.include(JSON.parse(JSON.stringify(example).replace('^0.2.0', `^${sdk}`)));
    expect(listed?.scripts ?? {}, 'scripts').to.deep.equal({});
    const archive = await readFile(registry.archive('@acme/tagway-flow-meter', '0.1.0'));
    expect(listed?.dist.integrity).to.equal(`sha512-${hash('sha512', archive, 'base64')}`);
  });

  describe('a package that a gateway would not take', () => {
    /** Publishes an archive as somebody does who does not use the kit. */
    async function publishArchive(name: string, options: ArchiveOptions): Promise<void> {
      const file = folder(`${name}.tgz`);
      await writeFile(file, libraryArchive(name, options));
      await run('npm', ['publish', file], { cwd: folder('home'), env });
    }
    const checked = (name: string, ...more: string[]): Promise<{ code: number; text: string }> =>
      pluginkit('check', '--published', name, ...more);

    it('is said to be unknown', async () => {
      expect(await checked('no-such-package')).to.include({ code: 1 });
      expect((await checked('no-such-package')).text).to.match(
        /^The registry has no package no-such-package/,
      );
    });

    it('is said to lack what a gateway looks for', async () => {
      await publishArchive('plain-plugin', {});
      const { code, text } = await checked('plain-plugin');
      expect(code).to.equal(1);
      expect(text).to.include('"keywords" has no "tagway-plugin"');
      expect(text).to.include('README.md is missing.');
      expect(text).to.include('the member "tagway" is missing or wrong; pluginkit publish writes it.');
    });

    it('is said to be for another SDK', async () => {
      await publishArchive('later-plugin', { manifest: { sdk: '^99.0.0' } });
      expect((await checked('later-plugin')).text).to.include(
        'It is for version ^99.0.0 of the SDK; a gateway of',
      );
    });

    it('is said to have a signature that is not by the key', async () => {
      const pem = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'pem' });
      await writeFile(folder('other.pem'), pem);
      const { code, text } = await checked('@acme/tagway-flow-meter@0.1.0', '--key', folder('other.pem'));
      expect(code).to.equal(1);
      expect(text).to.match(/The signature is not by the key SHA256:\S+, or something was changed/);
    });

    it('is said to be another archive than the registry has the hash of, or to have none', async () => {
      const name = '@acme/tagway-flow-meter';
      const file = registry.metadata(name);
      const metadata = await readFile(file, 'utf8');
      await writeFile(file, metadata.replaceAll(/"integrity": *"[^"]*",?/g, ''));
      expect((await checked(name)).text).to.include('The registry has no SHA-512 of the archive');
      await writeFile(file, metadata);
      await writeFile(registry.archive(name, '0.1.0'), libraryArchive('flow-meter'));
      const { code, text } = await checked(name);
      expect(code).to.equal(1);
      expect(text).to.match(/cannot be fetched\. It is not the archive whose SHA-512 the registry has\.$/m);
    });
  });
});
