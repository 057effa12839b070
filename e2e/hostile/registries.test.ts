import { generateKeyPairSync, hash, type KeyObject, sign } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import {
  ErrorCode,
  signedText,
  type DirectoryJobBody,
  type DirectorySearchReply,
  type ErrorName,
} from '@tagway/schemas';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import { pluginsOf } from '../kit/configuration.ts';
import { doneJob, runJob } from '../kit/directory.ts';
import { installLibrary } from '../kit/libraries.ts';
import { type Package, packageOf, sha512 } from '../kit/packages.ts';
import { until } from '../kit/until.ts';
import { type Answer, LyingRegistry, sendJson } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';

const meter = 'tagway-meter';
const good = packageOf(meter, 'meter');
/** What nobody may get to see of what a registry sends. */
const poison = 'c3VwZXItc2VjcmV0';

interface Lie {
  readonly package?: Package;
  readonly dist?: Readonly<Record<string, unknown>>;
  readonly version?: Readonly<Record<string, unknown>>;
  /** Instead of the metadata, and instead of the archive. */
  readonly metadata?: Answer;
  readonly archive?: Answer;
  readonly code: ErrorName;
  readonly message: RegExp;
}

const html: Answer = (_request, response) => {
  response.setHeader('content-type', 'text/html');
  response.end(`<html>${poison}</html>`);
};

const leadTo =
  (location: string): Answer =>
  (_request, response) =>
    response.writeHead(302, { location }).end(poison);

/** Sends until nobody reads any more. */
function pour(response: ServerResponse, text: string): void {
  const chunk = Buffer.from(text.repeat(1 << 16));
  const more = (): void => {
    while (!response.destroyed && response.write(chunk)) continue;
  };
  response.on('drain', more);
  more();
}

const without = (...members: string[]): Record<string, undefined> =>
  Object.fromEntries(members.map((name) => [name, undefined]));

const lies: Readonly<Record<string, Lie>> = {
  'an archive that was altered': {
    archive: (_request, response) => response.end(packageOf(meter, 'meter', { readme: 'other' }).archive),
    code: 'PACKAGE_UNTRUSTED',
    message: /has another SHA-512 than it says/,
  },
  'no integrity': { dist: without('integrity'), code: 'PACKAGE_UNFIT', message: /gives no SHA-512 of it/ },
  'an integrity of SHA-1 alone': {
    dist: { integrity: 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=' },
    code: 'PACKAGE_UNFIT',
    message: /gives no SHA-512 of it/,
  },
  'an integrity that is none': {
    dist: { integrity: 'sha512-abc' },
    code: 'PACKAGE_UNTRUSTED',
    message: /gives no SHA-512|another SHA-512/,
  },
  'an archive that is gone': {
    archive: (_request, response) => response.writeHead(404).end(poison),
    code: 'PACKAGE_NOT_FOUND',
    message: /does not have its archive any more/,
  },
  'an archive at another port': {
    dist: { tarball: 'http://127.0.0.1:1/meter.tgz' },
    code: 'ADDRESS_REFUSED',
    message:
      /keeps its archives at http:\/\/127\.0\.0\.1:1\. If that is as it should be, an admin names this origin/,
  },
  'an archive that leads to another port': {
    archive: leadTo('http://127.0.0.1:1/meter.tgz'),
    code: 'ADDRESS_REFUSED',
    message: /an admin names this origin/,
  },
  'metadata that lead to another port of this machine': {
    metadata: leadTo('http://127.0.0.1:1/'),
    code: 'ADDRESS_REFUSED',
    message: /leads to 127\.0\.0\.1, which is a machine of a private network or this one/,
  },
  'metadata that lead to this machine by a name': {
    metadata: leadTo('http://localhost:1/'),
    code: 'ADDRESS_REFUSED',
    message: /leads to localhost, which is/,
  },
  'metadata that lead to this machine by an IPv6 address': {
    metadata: leadTo('http://[::ffff:127.0.0.1]:1/'),
    code: 'ADDRESS_REFUSED',
    message: /private network or this one/,
  },
  'metadata that lead to a private network': {
    metadata: leadTo('http://10.1.2.3/'),
    code: 'ADDRESS_REFUSED',
    message: /leads to 10\.1\.2\.3/,
  },
  'metadata that lead to a file': {
    metadata: leadTo('file:///etc/passwd'),
    code: 'ADDRESS_REFUSED',
    message: /not followed/,
  },
  'metadata that lead in a circle': {
    metadata: leadTo(`/${meter}?again`),
    code: 'REGISTRY_REPLY_INVALID',
    message: /leads from one address to the next, more than 5 times/,
  },
  'a page for people': {
    metadata: html,
    code: 'REGISTRY_REPLY_INVALID',
    message: /perhaps a page for people/,
  },
  'another package': {
    metadata: (_request, response) => sendJson(response, { name: poison, versions: {} }),
    code: 'REGISTRY_REPLY_INVALID',
    message: /answers with something else than the package tagway-meter/,
  },
  'metadata without an end': {
    metadata: (_request, response) => pour(response.writeHead(200), `"${poison}",`),
    code: 'REGISTRY_REPLY_INVALID',
    message: /sends more than 34 MB/,
  },
  'an archive of 100 MB': {
    archive: (_request, response) => pour(response.writeHead(200, { 'content-length': 100e6 }), poison),
    code: 'REGISTRY_REPLY_INVALID',
    message: /sends more than 12 MB/,
  },
  'a refusal without an end': {
    metadata: (_request, response) => pour(response.writeHead(403), poison),
    code: 'REGISTRY_LOGIN_REFUSED',
    message: /asks for credentials, or does not take those that are set/,
  },
  'no member tagway': {
    version: without('tagway'),
    code: 'PACKAGE_UNFIT',
    message: /does not say which plugin is in it/,
  },
  'a newer SDK': {
    package: packageOf(meter, 'meter', { manifest: { sdk: '^99.0.0' } }),
    code: 'PACKAGE_UNFIT',
    message: /It was built for version \^99\.0\.0 of the SDK/,
  },
  'an archive without a manifest': {
    package: { ...good, archive: Buffer.from(good.archive.subarray(0, 100)) },
    code: 'LIBRARY_INFO_INVALID',
    message: /The archive/,
  },
  'another kind than the archive': {
    version: { tagway: { id: 'meter', kind: 'app', sdk: '^0.2.0', native: false } },
    code: 'PACKAGE_UNTRUSTED',
    message: /has another kind of the plugin than its registry says/,
  },
  'another id than the archive': {
    version: { tagway: { id: 'scale', kind: 'driver', sdk: '^0.2.0', native: false } },
    code: 'PACKAGE_UNTRUSTED',
    message: /has another id of the plugin than/,
  },
  'another range than the archive': {
    version: { tagway: { id: 'meter', kind: 'driver', sdk: '>=0.1.0', native: false } },
    code: 'PACKAGE_UNTRUSTED',
    message: /has another range of SDK versions than/,
  },
  'another version than the archive': {
    package: { ...good, version: '1.0.1' },
    code: 'PACKAGE_UNTRUSTED',
    message: /has another version than/,
  },
  'an install script': {
    package: packageOf(meter, 'meter', { packageJson: { scripts: { postinstall: 'touch owned' } } }),
    code: 'LIBRARY_INFO_INVALID',
    message: /has a script "postinstall" for its installation, and a gateway runs no such script/,
  },
  'an install script that the registry hides': {
    package: packageOf(meter, 'meter', { packageJson: { scripts: { install: 'touch owned' } } }),
    version: without('scripts'),
    code: 'LIBRARY_INFO_INVALID',
    message: /has a script "install"/,
  },
  'a dependency that is not bundled': {
    package: packageOf(meter, 'meter', { packageJson: { dependencies: { '@acme/bytes': '^1.0.0' } } }),
    code: 'LIBRARY_INFO_INVALID',
    message: /needs the package @acme\/bytes, which is not in its archive/,
  },
  'an archive that says where it came from': {
    package: packageOf(meter, 'meter', { more: [{ path: 'package/.tagway-origin.json', content: '{}' }] }),
    code: 'LIBRARY_INFO_INVALID',
    message: /which the gateway itself writes/,
  },
  'a registry that takes connections and says nothing': {
    metadata: () => undefined,
    code: 'REGISTRY_UNREACHABLE',
    message: /does not answer in time/,
  },
  'an archive that always ends early': {
    archive: (_request, response) => {
      response.writeHead(200, { 'content-length': good.archive.length });
      response.write(good.archive.subarray(0, 1000), () => response.destroy());
    },
    code: 'REGISTRY_UNREACHABLE',
    message: /ends the connection/,
  },
};

describe('a registry that lies', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  let first: readonly unknown[];

  before(async () => {
    first = await pluginsOf(client);
  });

  async function withRegistry<T>(
    work: (registry: LyingRegistry) => Promise<T>,
    more: object = {},
  ): Promise<T> {
    await using registry = await LyingRegistry.start();
    await client.ok('PUT', '/directory/registries', {
      registries: [{ url: registry.url, token: 'the-token', ...more }],
    });
    return await work(registry);
  }

  for (const [
    what,
    { package: one = good, dist = {}, version = {}, metadata, archive, code, message },
  ] of Object.entries(lies)) {
    it(`with ${what} is refused, and nothing of it stays or is shown`, () =>
      withRegistry(async (registry) => {
        registry.add(one, { dist: { integrity: sha512(one.archive), ...dist }, version });
        if (archive !== undefined) registry.answers.set(`/${meter}/-/`, archive);
        if (metadata !== undefined) registry.answers.set(`/${meter}`, metadata);
        const job = await runJob(client, { action: 'install', package: meter });
        expect(job.message).to.match(message);
        expect(job).to.include({ state: 'failed', code: ErrorCode[code] });
        expect(JSON.stringify(job)).not.to.include(poison);
        expect(await pluginsOf(client)).to.deep.equal(first);
        expect(await readdir(join(gateway.data, 'libraries')).catch(() => [])).to.deep.equal([]);
      }));
  }

  it('has changed nothing that outlives a restart, shown its words in no log and left no process', async () => {
    await gateway.restart();
    expect(await pluginsOf(client)).to.deep.equal(first);
    expect(await gateway.log())
      .not.to.include(poison)
      .and.not.to.include('the-token');
    expect((await gateway.runners()).filter(({ title }) => title.includes('registry'))).to.deep.equal([]);
  });

  it('has its signatures verified: one by a known key must be good, and where one is required it must be there', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const keyid = `SHA256:${hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64').replace(/=+$/, '')}`;
    const keys = [publicKey.export({ type: 'spki', format: 'pem' })];
    const signed = (text: string): Readonly<Record<string, unknown>> => ({
      signatures: [{ keyid, sig: sign('sha256', Buffer.from(text), privateKey).toString('base64') }],
    });
    const right = signed(`${meter}@1.0.0:${sha512(good.archive)}`);
    const look: DirectoryJobBody = { action: 'look', package: meter };
    const outcomes = new Map<string, unknown>();
    for (const [what, dist, more] of [
      ['good', right, { keys, require_signature: true }],
      ['of another version', signed(`${meter}@1.1.0:${sha512(good.archive)}`), { keys }],
      ['absent', {}, { keys, require_signature: true }],
      ['absent and not required', {}, { keys }],
      ['by a key that is not known', right, { require_signature: true }],
      ['by a key that is not known, and not required', right, {}],
    ] as const)
      await withRegistry(async (registry) => {
        registry.add(good, { dist });
        const { code, content } = await runJob(client, look);
        outcomes.set(what, code ?? content?.signed);
      }, more);
    expect(Object.fromEntries(outcomes)).to.deep.equal({
      good: true,
      'of another version': ErrorCode.PACKAGE_UNTRUSTED,
      absent: ErrorCode.PACKAGE_UNTRUSTED,
      'absent and not required': false,
      'by a key that is not known': ErrorCode.PACKAGE_UNTRUSTED,
      'by a key that is not known, and not required': false,
    });
  });

  it('brings packages that their authors have signed, which a gateway with --require-signature takes alone', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const signedBy = (key: KeyObject, readme = '# meter\n'): Package => {
      const plain = packageOf(meter, 'meter', { readme: '# meter\n' });
      const files = plain.files.map(
        ({ path, content = '' }) => [path.slice('package/'.length), hash('sha512', content)] as const,
      );
      const text = signedText({ name: meter, version: '1.0.0', files });
      const signature = {
        algorithm: 'ed25519',
        key: 'SHA256:x',
        signature: sign(null, Buffer.from(text), key).toString('base64'),
      };
      return packageOf(meter, 'meter', {
        readme,
        more: [{ path: 'package/signature.json', content: JSON.stringify(signature) }],
      });
    };
    await mkdir(join(gateway.data, 'trusted'), { recursive: true });
    await writeFile(
      join(gateway.data, 'trusted', 'author.pem'),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
    await gateway.stop();
    await gateway.start(['--require-signature']);
    const look: DirectoryJobBody = { action: 'look', package: meter };
    const outcomes: unknown[] = [];
    for (const one of [
      signedBy(privateKey),
      good,
      signedBy(privateKey, '# altered\n'),
      signedBy(generateKeyPairSync('ed25519').privateKey),
    ])
      await withRegistry(async (registry) => {
        registry.add(one);
        const { code, content, message } = await runJob(client, look);
        outcomes.push(content?.signed_by_author ?? [code, message]);
      });
    await rm(join(gateway.data, 'trusted'), { recursive: true });
    await gateway.stop();
    await gateway.start([]);
    expect(outcomes[0]).to.equal(true);
    expect(outcomes.slice(1).map((one) => (one as [number])[0])).to.deep.equal(
      [1, 2, 3].map(() => ErrorCode.LIBRARY_ADD_FAILED),
    );
    expect(String(outcomes[1])).to.include('has no signature.json of its author');
    expect(String(outcomes[2])).to.include('was changed after it was signed');
  });

  it('gets no credentials at another origin, which an admin has named for its archives', async () => {
    await using elsewhere = await LyingRegistry.start();
    elsewhere.add(good);
    await withRegistry(
      async (registry) => {
        registry.add(good, { dist: { tarball: `${elsewhere.url}${meter}/-/1.0.0.tgz` } });
        const { content } = await doneJob(client, { action: 'look', package: meter });
        expect(content).to.include({ plugin: 'meter' });
        expect(registry.requests.map(({ authorization }) => authorization)).to.deep.equal([
          'Bearer the-token',
        ]);
        expect(elsewhere.requests.map(({ authorization }) => authorization)).to.deep.equal([undefined]);
      },
      { origins: [elsewhere.url.slice(0, -1)] },
    );
  });

  it('with a version that is withdrawn between the search and the install is refused with that reason', () =>
    withRegistry(async (registry) => {
      registry.add(good);
      registry.add(packageOf(meter, 'meter', { version: '1.1.0' }));
      const { packages } = await client.ok<DirectorySearchReply>('GET', '/directory/search', {
        text: 'meter',
      });
      expect(packages[0]).to.include({ version: '1.1.0', fits: true });
      registry.withdraw(meter, '1.1.0');
      const job = await runJob(client, { action: 'install', package: meter, version: '1.1.0' });
      expect(job).to.include({ state: 'failed', code: ErrorCode.PACKAGE_NOT_FOUND });
    }));

  it('that has six hundred plugins shows five hundred, page by page, and asks for the details of a page alone', () =>
    withRegistry(async (registry) => {
      for (let index = 0; index < 600; index++)
        registry.add({
          ...good,
          name: `tagway-${index}`,
          packageJson: { ...good.packageJson, name: `tagway-${index}` },
        });
      const page = await client.ok<DirectorySearchReply>('GET', '/directory/search', {
        page: '49',
        page_size: '10',
      });
      expect(page).to.include({ total: 500, page_count: 50 });
      expect(page.packages.map((one) => one.package)).to.deep.equal(
        Array.from({ length: 10 }, (_, index) => `tagway-${490 + index}`),
      );
      expect(page.notices[0]?.message).to.include('has found more than is shown');
      expect(registry.requests.filter(({ path }) => path.startsWith('/tagway-'))).to.have.lengthOf(10);
    }));

  it('without a search is said, and exact names still work', () =>
    withRegistry(async (registry) => {
      registry.add(good);
      registry.answers.set('/-/v1/search', (_request, response) => response.writeHead(404).end());
      const reply = await client.call('GET', '/directory/search', { text: 'meter' });
      expect(reply.status).to.equal(404);
      expect(reply.body).to.include({ error: ErrorCode.REGISTRY_WITHOUT_SEARCH });
      expect(reply.body.message).to.include(
        'A package whose name is known can be looked at and installed all the same.',
      );
      await doneJob(client, { action: 'look', package: meter });
    }));

  it('that is slow is left when the job is cancelled', () =>
    withRegistry(async (registry) => {
      registry.add(good);
      registry.answers.set(`/${meter}/-/`, (_request, response) => {
        response.writeHead(200, { 'content-length': good.archive.length });
        response.write(good.archive.subarray(0, 100));
      });
      const { job } = await client.ok<{ job: string }>('POST', '/directory/job', {
        action: 'install',
        package: meter,
      });
      await until('a part has come', async () => {
        const shown = await client.ok<{ received: number; size?: number }>('GET', '/directory/job', { job });
        return shown.received > 0 && shown.size === good.archive.length;
      });
      await client.ok('DELETE', '/directory/job', { job });
      expect(await client.ok('GET', '/directory/job', { job })).to.include({ state: 'cancelled' });
      expect(await client.errorOf('DELETE', '/directory/job', { job })).to.equal(
        ErrorCode.JOB_NOT_CANCELLABLE,
      );
      expect(await client.errorOf('GET', '/directory/job', { job: 'none' })).to.equal(
        ErrorCode.JOB_NOT_FOUND,
      );
    }));

  it('gets no plugin from elsewhere, and no plugin of the gateway', () =>
    withRegistry(async (registry) => {
      await installLibrary(client, libraryArchive('meter', { version: '0.9.0' }));
      registry.add(good);
      registry.add(packageOf('tagway-modbus', 'modbus-tcp'));
      const install: DirectoryJobBody = { action: 'install', package: meter };
      const job = await runJob(client, install);
      expect(job).to.include({ state: 'failed', code: ErrorCode.PLUGIN_FROM_ELSEWHERE });
      expect(job.conflict).to.deep.equal({
        plugin: 'meter',
        message: 'A plugin "meter" with the id meter is there already, which was installed from a file.',
      });
      expect((await runJob(client, { ...install, replaces: 'other' })).code).to.equal(
        ErrorCode.PLUGIN_FROM_ELSEWHERE,
      );
      const modbus = { ...install, package: 'tagway-modbus', replaces: 'modbus-tcp' };
      expect((await runJob(client, modbus)).message).to.include('The package cannot take its place.');
      await doneJob(client, { ...install, replaces: 'meter' });
    }));

  it('with another publisher is asked about once, and the answer is kept', () =>
    withRegistry(async (registry) => {
      await client.ok('DELETE', '/plugin', { plugin: 'meter' });
      registry.add(good);
      await doneJob(client, { action: 'install', package: meter });
      registry.add(packageOf(meter, 'meter', { version: '1.1.0' }), {
        version: {
          _npmUser: { name: `mal\u001b[31mlory\u202e` },
          repository: 'git+https://code.example/mallory/meter.git',
        },
      });
      const job = await runJob(client, { action: 'update', plugin: 'meter' });
      expect(job).to.include({ state: 'failed', code: ErrorCode.PACKAGE_CAUTIONS });
      expect(job.cautions).to.deep.equal([
        {
          kind: 'publisher',
          message: 'Version 1.1.0 was published by mallory, and version 1.0.0, which is installed, by alice.',
        },
      ]);
      await doneJob(client, { action: 'update', plugin: 'meter', accepts: ['publisher'] });
      await gateway.restart();
      registry.add(packageOf(meter, 'meter', { version: '1.2.0' }), {
        version: { _npmUser: { name: 'mallory' }, repository: 'https://code.example/mallory/meter' },
      });
      await doneJob(client, { action: 'update', plugin: 'meter' });
    }));
});
