import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cp, mkdir, readFile, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  ErrorCode,
  type DirectoryJobBody,
  type DirectorySearchReply,
  type PackageReply,
  type PluginOrigin,
} from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { doneJob, runJob } from '../kit/directory.ts';
import { useFolder } from '../kit/folder.ts';
import { tagway } from '../kit/installed.ts';
import { packageOf, publish } from '../kit/packages.ts';
import { Attester } from '../world/attestations.ts';
import { LyingRegistry, sendJson } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';
import { Verdaccio } from '../world/verdaccio.ts';

const meter = '@acme/tagway-meter';
const scale = 'tagway-scale';
const look: DirectoryJobBody = { action: 'look', package: meter };

/** A web server that gives the files of a folder and knows nothing of mirrors. */
async function serve(folder: string): Promise<{ readonly server: Server; readonly url: string }> {
  const server = createServer((request, response) => {
    readFile(join(folder, decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname))).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/tagway-mirror.json` };
}

async function originOf(client: Client, plugin: string): Promise<PluginOrigin | undefined> {
  const { plugins } = await client.ok<{ plugins: { origin?: PluginOrigin }[] }>('GET', '/plugin', { plugin });
  return plugins[0]?.origin;
}

describe('a mirror of packages for gateways without a network', function () {
  this.timeout(120_000);
  const folder = useFolder('mirror');
  const { gateway, client } = useGateway();
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  let attester: Attester;
  const mirror = (): string => folder('mirror');
  const address = (of = mirror()): string => pathToFileURL(of).href;

  before(async () => {
    attester = await Attester.start();
    await writeFile(folder('key.pem'), privateKey.export({ type: 'pkcs8', format: 'pem' }));
    // What the mirror is made of: a registry of a company, and one whose packages are attested.
    await using company = await Verdaccio.start();
    await using attested = await LyingRegistry.start();
    for (const version of ['1.0.0', '1.1.0']) {
      const one = packageOf(meter, 'meter', { version });
      attested.add(one, { dist: { attestations: { provenance: {} } } });
      const reply = await attester.of(one);
      attested.answers.set(`/-/npm/v1/attestations/${meter}@${version}`, (_request, response) =>
        sendJson(response, reply),
      );
    }
    await publish(company, packageOf(scale, 'scale', { tagway: { os: ['plan9'] } }));
    await writeFile(folder('root.json'), attester.root);
    await writeFile(
      folder('npmrc'),
      `${company.npmrc()}@acme:registry=${attested.url}\n//127.0.0.1:${attested.port}/:trust-root=${folder('root.json')}\n`,
    );
    const env = { NPM_CONFIG_USERCONFIG: folder('npmrc'), HOME: folder('home') };
    const command = ['--data', folder('data'), '--key', folder('key.pem')];
    const first = await tagway(['plugin', 'mirror', mirror(), `${meter}@1.0.0`, scale, ...command], env);
    expect(first.stdout, first.stderr).to.equal(
      `${meter}@1.0.0 is in ${mirror()}, from ${attested.url}.\n${scale}@1.0.0 is in ${mirror()}, from ${company.url}.\n`,
    );
    // Another day, into the same folder.
    const second = await tagway(['plugin', 'mirror', mirror(), meter, ...command], env);
    expect(second.stdout, second.stderr).to.include(`${meter}@1.1.0 is in`);
  });

  /** Sets a mirror as the only registry. */
  async function use(url: string, more = {}): Promise<void> {
    await client.ok('PUT', '/directory/registries', { registries: [{ url, ...more }] });
  }

  async function trust(isTrusted: boolean): Promise<void> {
    const trusted = join(gateway.data, 'trusted');
    await rm(trusted, { recursive: true, force: true });
    if (!isTrusted) return;
    await mkdir(trusted);
    await writeFile(join(trusted, 'admin.pem'), publicKey.export({ type: 'spki', format: 'pem' }));
  }

  /** A copy of the mirror in which something is otherwise. */
  async function altered(name: string, change: (copy: string) => Promise<void>): Promise<string> {
    const copy = folder(name);
    await cp(mirror(), copy, { recursive: true });
    await change(copy);
    return address(copy);
  }

  const changeIndex = async (copy: string, pattern: RegExp, by: string): Promise<void> => {
    const file = join(copy, 'tagway-mirror.json');
    const text = await readFile(file, 'utf8');
    const changed = text.replace(pattern, by);
    expect(changed).not.to.equal(text);
    await writeFile(file, changed);
  };

  it('is searched, looked at and installed from as a folder, and its keys count when a trusted key has signed it', async () => {
    await use(address());
    const { packages } = await client.ok<DirectorySearchReply>('GET', '/directory/search', { text: 'reads' });
    expect(packages.map((one) => [one.package, one.fits])).to.deep.equal([
      [meter, false],
      [scale, false],
    ]);
    // The attestation is of an authority that this gateway does not know, and nobody has vouched for the mirror.
    expect(packages[0]!.reason).to.include(
      'it is by nobody whom an authority of the trust root has certified',
    );
    await trust(true);
    const shown = await client.ok<PackageReply>('GET', '/directory/package', { package: meter });
    expect(shown.package).to.include({ version: '1.1.0', attested: true, fits: true });
    expect(shown.versions.map(({ version }) => version)).to.deep.equal(['1.1.0', '1.0.0']);
    await doneJob(client, { action: 'install', package: meter, version: '1.0.0' });
    await gateway.restart();
    expect(await originOf(client, 'meter')).to.include({
      registry: address(),
      version: '1.0.0',
      attested: true,
    });
    await doneJob(client, { action: 'update', plugin: 'meter' });
    await gateway.restart();
    expect(await originOf(client, 'meter')).to.include({ version: '1.1.0' });
    await client.ok('DELETE', '/plugin', { plugin: 'meter' });
  });

  it('is installed from at any web server, with the address of its index', async () => {
    const { server, url } = await serve(mirror());
    try {
      await use(url, { require_attestation: true });
      await doneJob(client, { action: 'install', package: meter });
      await gateway.restart();
      expect(await originOf(client, 'meter')).to.include({ registry: url, version: '1.1.0', attested: true });
      await client.ok('DELETE', '/plugin', { plugin: 'meter' });
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('is what a command installs from, with --registry', async () => {
    const data = folder('offline');
    await mkdir(join(data, 'trusted'), { recursive: true });
    await cp(join(gateway.data, 'trusted'), join(data, 'trusted'), { recursive: true });
    const command = ['--registry', `file:${mirror()}`, '--data', data];
    const env = { HOME: folder('home'), NPM_CONFIG_USERCONFIG: folder('none') };
    const done = await tagway(['plugin', 'install', meter, ...command], env);
    expect(done.stdout, done.stderr).to.include('Version 1.1.0 of the plugin "meter" is installed');
    const outdated = await tagway(['plugin', 'outdated', ...command], env);
    expect(outdated.stdout, outdated.stderr).to.equal(
      'No plugin from a registry has a newer version there.\n',
    );
    const running = ['--data', gateway.data, '--registry', `file:${mirror()}`];
    const refused = await tagway(['plugin', 'outdated', ...running], { TAGWAY_PASSWORD: '0000' });
    expect(refused.stderr).to.include('asks the registries that an admin has set');
  });

  it('that was altered, leads out of its folder, or is huge is refused', async () => {
    await trust(true);
    const outside = folder('outside.tgz');
    await writeFile(outside, await readFile(join(mirror(), meter, '1.1.0.tgz')));
    const unsigned = (copy: string): Promise<void> => rm(join(copy, 'tagway-mirror.json.sig'));
    const withRoot = { trust_root: attester.root };
    const cases: Readonly<Record<string, readonly [string, number, RegExp]>> = {
      'an archive': [
        await altered('archive', (copy) => writeFile(join(copy, meter, '1.1.0.tgz'), 'other')),
        ErrorCode.PACKAGE_UNTRUSTED,
        /has another SHA-512 than it says/,
      ],
      'an archive that is gone': [
        await altered('gone', (copy) => rm(join(copy, meter, '1.1.0.tgz'))),
        ErrorCode.PACKAGE_NOT_FOUND,
        /names the version, and does not have its archive/,
      ],
      'the index': [
        await altered('index', (copy) => changeIndex(copy, /Reads the meter/, 'Reads the metre')),
        ErrorCode.PACKAGE_UNTRUSTED,
        /The index of the mirror .* was altered after it was signed/,
      ],
      'the index, and its signature taken away': [
        await altered('hash', async (copy) => {
          await unsigned(copy);
          await changeIndex(copy, /sha512-[^"]{40}/g, `sha512-${'A'.repeat(40)}`);
        }),
        ErrorCode.PACKAGE_UNTRUSTED,
        /has an attestation that is not good: it is for another archive/,
      ],
      'a path that leaves the folder': [
        await altered('dots', async (copy) => {
          await unsigned(copy);
          await changeIndex(copy, /"tarball": "[^"]*1\.1\.0\.tgz"/, '"tarball": "../outside.tgz"');
        }),
        ErrorCode.REGISTRY_REPLY_INVALID,
        /names an archive that is no file within its folder/,
      ],
      'a path that leaves it in disguise': [
        await altered('escaped', async (copy) => {
          await unsigned(copy);
          await changeIndex(copy, /"tarball": "[^"]*1\.1\.0\.tgz"/, '"tarball": "%2e%2e/outside.tgz"');
        }),
        ErrorCode.REGISTRY_REPLY_INVALID,
        /names an archive that is no file within its folder/,
      ],
      'a link that leaves the folder': [
        await altered('link', async (copy) => {
          await rm(join(copy, meter, '1.1.0.tgz'));
          await symlink(outside, join(copy, meter, '1.1.0.tgz'));
        }),
        ErrorCode.ADDRESS_REFUSED,
        /leads to something that is no file within its folder/,
      ],
      'an index that is a link': [
        await altered('linked', async (copy) => {
          await rm(join(copy, 'tagway-mirror.json'));
          await symlink(join(mirror(), 'tagway-mirror.json'), join(copy, 'tagway-mirror.json'));
        }),
        ErrorCode.ADDRESS_REFUSED,
        /leads to something that is no file within its folder/,
      ],
      'a folder in the place of an archive': [
        await altered('folder', async (copy) => {
          await rm(join(copy, meter, '1.1.0.tgz'));
          await mkdir(join(copy, meter, '1.1.0.tgz'));
        }),
        ErrorCode.ADDRESS_REFUSED,
        /leads to something that is no file/,
      ],
      'a huge index': [
        await altered('huge', (copy) => truncate(join(copy, 'tagway-mirror.json'), 33 << 20)),
        ErrorCode.REGISTRY_REPLY_INVALID,
        /has a file of more than 34 MB/,
      ],
      'no JSON': [
        await altered('none', (copy) => writeFile(join(copy, 'tagway-mirror.json'), '<html>')),
        ErrorCode.PACKAGE_UNTRUSTED,
        /was altered after it was signed/,
      ],
      'no index': [
        await altered('empty', (copy) => rm(join(copy, 'tagway-mirror.json'))),
        ErrorCode.REGISTRY_UNREACHABLE,
        /its folder has no tagway-mirror\.json/,
      ],
      'no folder': [address(folder('nothing')), ErrorCode.REGISTRY_UNREACHABLE, /There is no mirror at/],
    };
    for (const [what, [url, code, message]] of Object.entries(cases)) {
      await use(url, withRoot);
      const job = await runJob(client, look);
      expect(job.message, what).to.match(message);
      expect(job, what).to.include({ state: 'failed', code });
    }
  });
});
