import { ErrorCode } from '@tagway/schemas';
import { execFile } from 'node:child_process';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { libraryArchive } from '../archives.ts';
import { certify, hasOpenssl } from '../certificates.ts';
import { Child } from '../child.ts';
import type { Client } from '../client.ts';
import { Gateway } from '../gateway.ts';

const main = join(import.meta.dirname, '../../host/dist/main.js');

interface Outcome {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command line to its end. */
function tagway(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
  return started([main, ...args], env);
}

function started(args: readonly string[], env: object): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...args],
      { env: { ...process.env, NODE_OPTIONS: '', ...env }, timeout: 60_000 },
      (error, output, errors) =>
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? -1 : 0, output, errors }),
    );
  });
}

describe('tagway plugin', function () {
  this.timeout(60_000);
  let folder: string;
  let file: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-command-'));
    file = join(folder, 'acme-1.0.0.tgz');
    await writeFile(file, libraryArchive('acme'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('says how it is used', async () => {
    const { output } = await tagway(['--help']);
    expect(output)
      .to.include('tagway plugin install FILE | list | remove NAME')
      .and.to.include('TAGWAY_PASSWORD');
    for (const args of [['plugin'], ['plugin', 'install'], ['plugin', 'list', 'all'], ['plug', 'list']]) {
      const { code, errors } = await tagway(args);
      expect(code, args.join(' ')).to.equal(1);
      expect(errors).to.include('Try --help.');
    }
  });

  it('works on the data folder when no gateway runs on it', async () => {
    const data = ['--data', join(folder, 'data')];
    expect(await tagway(['plugin', 'install', file, ...data])).to.deep.equal({
      code: 0,
      output: 'The library acme-1.0.0.tgz is installed.\n',
      errors: '',
    });
    const { output } = await tagway(['plugin', 'list', ...data]);
    expect(output).to.match(/^NAME +ID +VERSION +TYPE +KIND +STATE$/m);
    expect(output).to.match(/^Modbus TCP +modbus-tcp +\S+ +driver +system +idle$/m);
    expect(output).to.match(/^acme +acme +1\.0\.0 +driver +custom +idle$/m);
    const again = await tagway(['plugin', 'install', file, ...data]);
    expect(again).to.include({ code: 1, output: '' });
    expect(again.errors).to.equal(
      'Version 1.0.0 of the plugin "acme" is installed already. Give a changed library another version.\n',
    );
    expect((await tagway(['plugin', 'remove', 'acme', ...data])).code).to.equal(0);
    expect((await tagway(['plugin', 'remove', 'MQTT', ...data])).errors).to.include('comes with the gateway');
    expect((await tagway(['plugin', 'remove', 'Nope', ...data])).errors).to.equal(
      'There is no plugin "Nope".\n',
    );
    expect((await tagway(['plugin', 'install', join(folder, 'absent.tgz'), ...data])).errors).to.match(
      /^The file .*absent\.tgz cannot be read\.\n$/,
    );
    expect(await readdir(join(folder, 'data', 'libraries'))).to.deep.equal([]);
  });

  describe('when a gateway runs', () => {
    let gateway: Gateway;
    let address: string[];
    const password = { TAGWAY_PASSWORD: '0000' };

    before(async () => {
      gateway = await Gateway.start();
      // Without its port: that is what the gateway leaves in the folder.
      address = ['--data', gateway.data];
    });
    after(() => gateway?.dispose());

    it('asks the one on the data folder to do it', async () => {
      const installed = await tagway(['plugin', 'install', file, ...address], password);
      expect(installed).to.deep.equal({
        code: 0,
        output: 'The library acme-1.0.0.tgz is installed.\n',
        errors: '',
      });
      expect((await tagway(['plugin', 'list', ...address], password)).output).to.match(
        /^acme +acme +1\.0\.0 /m,
      );
    });

    it('asks the one at a URL to do it', async () => {
      const url = ['--url', gateway.url, '--user', 'admin'];
      const again = await tagway(['plugin', 'install', file, ...url], password);
      expect(again.code).to.equal(1);
      expect(again.errors).to.match(
        /refuses with error 2303\. Version 1\.0\.0 of the plugin "acme" is installed/,
      );
      expect((await tagway(['plugin', 'remove', 'acme', ...url, '--password', '0000'])).output).to.equal(
        'The plugin "acme" is removed.\n',
      );
    });

    it('says what is missing or wrong', async () => {
      const without = await tagway(['plugin', 'list', ...address]);
      expect(without.errors).to.match(
        /its password has to be in TAGWAY_PASSWORD or --password\. Try --help\.\n$/,
      );
      const wrong = await tagway(['plugin', 'list', '--url', gateway.url], { TAGWAY_PASSWORD: '1111' });
      expect(wrong.errors).to.match(
        /refuses with error 1009\. There is no user with this name and this password\. Check both; capital letters count\.\n$/,
      );
      const nowhere = await tagway(['plugin', 'list', '--url', 'http://127.0.0.1:9'], password);
      expect(nowhere.errors).to.match(/^The gateway at http:\/\/127\.0\.0\.1:9 cannot be reached: .*\.\n$/);
      for (const { code } of [without, wrong, nowhere]) expect(code).to.equal(1);
    });
  });
});

describe('tagway plugin and the gateway that is meant', function () {
  this.timeout(60_000);
  const password = { TAGWAY_PASSWORD: '0000' };
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-command-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('is never one on another data folder, whatever address that has', async () => {
    const other = await Gateway.start();
    try {
      const data = join(folder, 'killed');
      await mkdir(data);
      // What a gateway leaves that was killed, and whose port another one has now.
      await writeFile(join(data, 'running.json'), JSON.stringify({ url: other.url }));
      const file = join(folder, 'acme-1.0.0.tgz');
      await writeFile(file, libraryArchive('acme'));
      const args = ['--data', data, '--port', new URL(other.url).port];
      expect((await tagway(['plugin', 'install', file, ...args], password)).code).to.equal(0);
      expect(await readdir(join(data, 'libraries'))).to.have.length(1);
      const { body } = await (await other.client()).call<{ plugins: { name: string }[] }>('GET', '/plugin');
      expect(body.plugins.map(({ name }) => name)).not.to.include('acme');
      expect(await readdir(data)).not.to.include('running.json');
    } finally {
      await other.dispose();
    }
  });

  const title = 'is known by its own certificate over HTTPS, or by the file of --ca';
  (hasOpenssl ? it : it.skip)(hasOpenssl ? title : `${title} (there is no openssl here)`, async () => {
    const cert = join(folder, 'cert.pem');
    const key = join(folder, 'key.pem');
    certify(cert, key, 'gateway', 'DNS:gateway.example');
    const data = join(folder, 'secured');
    const gateway = await Child.start(
      process.execPath,
      [main, '--data', data, '--port', '0', '--tls-cert', cert, '--tls-key', key],
      { ready: /https:\/\/127\.0\.0\.1:\d+/ },
    );
    try {
      const listed = await tagway(['plugin', 'list', '--data', data], password);
      expect(listed).to.include({ code: 0, errors: '' });
      const url = gateway.match?.[0] ?? '';
      const stranger = await tagway(['plugin', 'list', '--url', url], password);
      expect(stranger.errors).to.match(/cannot be reached: .*self-signed certificate/);
      const named = await tagway(['plugin', 'list', '--url', url, '--ca', cert], password);
      expect(named.errors).to.match(/cannot be reached: .*does not match certificate/);
    } finally {
      await gateway.stop();
      gateway.release();
    }
    expect(await readdir(data)).not.to.include('running.json');
  });
});

describe('the command', function () {
  this.timeout(60_000);

  it('says in a sentence why it cannot start, without a stack', async () => {
    const { code, output, errors } = await tagway(['--data', '/dev/null/nope']);
    expect({ code, output }).to.deep.equal({ code: 1, output: '' });
    expect(errors).to.equal('The data folder /dev/null cannot be made: there is a file of this name.\n');
    const proc = await tagway(['--data', '/proc/nope']);
    expect(proc.code).to.equal(1);
    expect(proc.errors).to.match(/^The data folder \/proc\/nope cannot be made: .*\.\n$/);
  });

  it('starts itself with the Node of the workspace where the one that runs it is too old', async () => {
    const pretend = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';
    const run = (script: string, option: string): Promise<Outcome> =>
      started(['--import', pretend, script, option], {});
    expect((await run(main, '--version')).output).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(await run(main, '--port=none')).to.include({ code: 1, output: '' });
    const alone = await mkdtemp(join(tmpdir(), 'tagway-command-'));
    try {
      await cp(dirname(main), alone, { recursive: true });
      const { code, errors } = await run(join(alone, 'main.js'), '--version');
      expect(code).to.equal(1);
      expect(errors).to.match(/^Tagway needs Node\.js 22\.19 or newer, and this is 20\.20\.2\. .*\n$/);
    } finally {
      await rm(alone, { recursive: true });
    }
  });
});

describe('signatures of libraries', function () {
  this.timeout(60_000);
  const trusted = generateKeyPairSync('ed25519');
  const stranger = generateKeyPairSync('ed25519');
  const archive = libraryArchive('acme');
  let gateway: Gateway;
  let client: Client;

  const signature = (key: KeyObject): string => sign(null, archive, key).toString('base64');

  async function open(args: readonly string[], keys: readonly KeyObject[]): Promise<void> {
    gateway = await Gateway.start({
      args,
      prepare: async (data) => {
        await mkdir(join(data, 'trusted'));
        for (const [index, key] of keys.entries()) {
          const pem = key.export({ type: 'spki', format: 'pem' });
          await writeFile(join(data, 'trusted', `${index}.pem`), pem);
        }
      },
    });
    client = await gateway.client();
  }
  afterEach(() => gateway?.dispose());

  /** Installs the archive from the library folder, with this text in the file of its signature, and then as it is sent. */
  async function install(signed: string | undefined): Promise<[status: number, error: number][]> {
    const libraries = join(gateway.data, 'libraries');
    await mkdir(libraries, { recursive: true });
    await writeFile(join(libraries, 'acme.tgz'), archive);
    if (signed !== undefined) await writeFile(join(libraries, 'acme.tgz.sig'), `${signed}\n`);
    const replies: [number, number][] = [];
    for (const more of [{}, { file: archive.toString('base64'), ...(signed && { signature: signed }) }]) {
      const { status, body } = await client.call('POST', '/plugin', { library: 'acme.tgz', ...more });
      replies.push([status, body.error ?? 0]);
      if (status === 200) await client.ok('DELETE', '/plugin', { plugin: 'acme' });
    }
    await rm(join(libraries, 'acme.tgz.sig'), { force: true });
    await rm(join(libraries, 'acme.tgz'));
    expect(await readdir(libraries)).to.deep.equal([]);
    return replies;
  }

  const both = (status: number, error: number): [number, number][] => [
    [status, error],
    [status, error],
  ];

  it('must be there and good under --require-signature', async () => {
    await open(['--require-signature'], [trusted.publicKey]);
    expect(await install(undefined)).to.deep.equal(both(400, ErrorCode.LIBRARY_ADD_FAILED));
    expect(await install(signature(stranger.privateKey))).to.deep.equal(
      both(400, ErrorCode.LIBRARY_ADD_FAILED),
    );
    expect(await install('no signature')).to.deep.equal(both(400, ErrorCode.LIBRARY_ADD_FAILED));
    expect(await install(signature(trusted.privateKey))).to.deep.equal(both(200, 0));
  });

  it('may be of any trusted key', async () => {
    await open(['--require-signature'], [stranger.publicKey, trusted.publicKey]);
    expect(await install(signature(trusted.privateKey))).to.deep.equal(both(200, 0));
    expect(await install(signature(stranger.privateKey))).to.deep.equal(both(200, 0));
  });

  it('refuse everything under --require-signature without a key', async () => {
    await open(['--require-signature'], []);
    expect(await install(signature(trusted.privateKey))).to.deep.equal(
      both(400, ErrorCode.LIBRARY_ADD_FAILED),
    );
  });

  it('must be good where there is a key to verify them with, and need not be there', async () => {
    await open([], [trusted.publicKey]);
    expect(await install(signature(stranger.privateKey))).to.deep.equal(
      both(400, ErrorCode.LIBRARY_ADD_FAILED),
    );
    expect(await install(undefined)).to.deep.equal(both(200, 0));
    expect(await install(signature(trusted.privateKey))).to.deep.equal(both(200, 0));
  });

  it('are not looked at where there is no key', async () => {
    await open([], []);
    expect(await install(signature(stranger.privateKey))).to.deep.equal(both(200, 0));
  });
});
