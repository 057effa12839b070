import { ErrorCode } from '@tagway/schemas';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { cp, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import { pluginsOf } from '../kit/configuration.ts';
import { certify, hasOpenssl } from '../world/certificates.ts';
import { Child } from '../kit/child.ts';
import type { Client } from '../kit/client.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { ended, tagway } from '../kit/installed.ts';
import type { Ended } from '../kit/installed.ts';
import { installLibrary, restartsWith } from '../kit/libraries.ts';
import { useGateway } from '../world/plant.ts';

const password = { TAGWAY_PASSWORD: '0000' };

describe('tagway plugin', function () {
  this.timeout(60_000);
  const folder = useFolder('command');
  let file: string;

  before(async () => {
    file = folder('acme-1.0.0.tgz');
    await writeFile(file, libraryArchive('acme'));
  });

  it('says how it is used', async () => {
    const { stdout } = await tagway(['--help']);
    expect(stdout)
      .to.include('tagway plugin install FILE | list | remove NAME')
      .and.to.include('TAGWAY_PASSWORD');
    for (const args of [['plugin'], ['plugin', 'install'], ['plugin', 'list', 'all'], ['plug', 'list']]) {
      const { code, stderr } = await tagway(args);
      expect(code, args.join(' ')).to.equal(1);
      expect(stderr).to.include('Try --help.');
    }
  });

  it('works on the data folder when no gateway runs on it', async () => {
    const data = ['--data', folder('data')];
    expect(await tagway(['plugin', 'install', file, ...data])).to.deep.equal({
      code: 0,
      stdout: 'The library acme-1.0.0.tgz is installed.\n',
      stderr: '',
    });
    const { stdout } = await tagway(['plugin', 'list', ...data]);
    expect(stdout).to.match(/^NAME +ID +VERSION +TYPE +KIND +STATE$/m);
    expect(stdout).to.match(/^Modbus TCP +modbus-tcp +\S+ +driver +system +idle$/m);
    expect(stdout).to.match(/^acme +acme +1\.0\.0 +driver +custom +idle$/m);
    const again = await tagway(['plugin', 'install', file, ...data]);
    expect(again).to.include({ code: 1, stdout: '' });
    expect(again.stderr).to.equal(
      'Version 1.0.0 of the plugin "acme" is installed already. Give a changed library another version.\n',
    );
    expect((await tagway(['plugin', 'remove', 'acme', ...data])).code).to.equal(0);
    expect((await tagway(['plugin', 'remove', 'MQTT', ...data])).stderr).to.include('comes with the gateway');
    expect((await tagway(['plugin', 'remove', 'Nope', ...data])).stderr).to.equal(
      'There is no plugin "Nope".\n',
    );
    expect((await tagway(['plugin', 'install', folder('absent.tgz'), ...data])).stderr).to.match(
      /^The file .*absent\.tgz cannot be read: it is not there\.\n$/,
    );
    expect(await readdir(folder('data', 'libraries'))).to.deep.equal([]);
  });

  describe('when a gateway runs', () => {
    const { gateway, client } = useGateway();
    let address: string[];

    before(() => {
      // Without its port: that is what the gateway leaves in the folder.
      address = ['--data', gateway.data];
    });

    it('asks the one on the data folder to do it', async () => {
      const installed = await tagway(['plugin', 'install', file, ...address], password);
      expect(installed).to.deep.equal({
        code: 0,
        stdout: 'The library acme-1.0.0.tgz is installed.\n',
        stderr: '',
      });
      expect((await tagway(['plugin', 'list', ...address], password)).stdout).to.match(
        /^acme +acme +1\.0\.0 /m,
      );
    });

    it('leaves it to the gateway to run what was installed, also after its next start', async () => {
      await client.ok('POST', '/node', { name: 'line', plugin: 'acme', params: {} });
      await restartsWith(gateway, client, 'line');
      await client.ok('DELETE', '/node', { name: 'line' });
    });

    it('asks the one at a URL to do it', async () => {
      const url = ['--url', gateway.url, '--user', 'admin'];
      const again = await tagway(['plugin', 'install', file, ...url], password);
      expect(again.code).to.equal(1);
      expect(again.stderr).to.match(
        /refuses with error 2303\. Version 1\.0\.0 of the plugin "acme" is installed/,
      );
      expect((await tagway(['plugin', 'remove', 'acme', ...url, '--password', '0000'])).stdout).to.equal(
        'The plugin "acme" is removed.\n',
      );
    });

    it('says what is missing or wrong', async () => {
      const without = await tagway(['plugin', 'list', ...address]);
      expect(without.stderr).to.match(
        /its password has to be in TAGWAY_PASSWORD or --password\. Try --help\.\n$/,
      );
      const wrong = await tagway(['plugin', 'list', '--url', gateway.url], { TAGWAY_PASSWORD: '1111' });
      expect(wrong.stderr).to.match(
        /refuses with error 1009\. There is no user with this name and this password\. Check both; capital letters count\.\n$/,
      );
      const nowhere = await tagway(['plugin', 'list', '--url', 'http://127.0.0.1:9'], password);
      expect(nowhere.stderr).to.match(/^The gateway at http:\/\/127\.0\.0\.1:9 cannot be reached: .*\.\n$/);
      for (const { code } of [without, wrong, nowhere]) expect(code).to.equal(1);
    });
  });
});

describe('tagway plugin and the gateway that is meant', function () {
  this.timeout(60_000);
  const folder = useFolder('command');

  it('is never one on another data folder, whatever address that has', async () => {
    const other = await Gateway.start();
    try {
      const data = folder('killed');
      await mkdir(data);
      // What a gateway leaves that was killed, and whose port another one has now.
      await writeFile(join(data, 'running.json'), JSON.stringify({ url: other.url }));
      const file = folder('acme-1.0.0.tgz');
      await writeFile(file, libraryArchive('acme'));
      const args = ['--data', data, '--port', new URL(other.url).port];
      expect((await tagway(['plugin', 'install', file, ...args], password)).code).to.equal(0);
      expect(await readdir(join(data, 'libraries'))).to.have.length(1);
      const plugins = await pluginsOf(await other.client());
      expect(plugins.map(({ name }) => name)).not.to.include('acme');
      expect(await readdir(data)).not.to.include('running.json');
    } finally {
      await other.dispose();
    }
  });

  const title = 'is known by its own certificate over HTTPS, or by the file of --ca';
  (hasOpenssl ? it : it.skip)(hasOpenssl ? title : `${title} (there is no openssl here)`, async () => {
    const cert = folder('cert.pem');
    const key = folder('key.pem');
    certify(cert, key, 'gateway', 'DNS:gateway.example');
    const data = folder('secured');
    const gateway = await Child.start(
      process.execPath,
      [Gateway.main, '--data', data, '--port', '0', '--tls-cert', cert, '--tls-key', key],
      { ready: /https:\/\/127\.0\.0\.1:\d+/ },
    );
    try {
      const listed = await tagway(['plugin', 'list', '--data', data], password);
      expect(listed).to.include({ code: 0, stderr: '' });
      const url = gateway.match?.[0] ?? '';
      const stranger = await tagway(['plugin', 'list', '--url', url], password);
      expect(stranger.stderr).to.match(/cannot be reached: .*self-signed certificate/);
      const named = await tagway(['plugin', 'list', '--url', url, '--ca', cert], password);
      expect(named.stderr).to.match(/cannot be reached: .*does not match certificate/);
    } finally {
      await gateway.stop();
      gateway.release();
    }
    expect(await readdir(data)).not.to.include('running.json');
  });
});

describe('the command', function () {
  this.timeout(60_000);
  const folder = useFolder('command');

  it('says in a sentence why it cannot start, without a stack', async () => {
    const { code, stdout, stderr } = await tagway(['--data', '/dev/null/nope']);
    expect({ code, stdout }).to.deep.equal({ code: 1, stdout: '' });
    expect(stderr).to.equal('The data folder /dev/null cannot be made: there is a file of this name.\n');
    const proc = await tagway(['--data', '/proc/nope']);
    expect(proc.code).to.equal(1);
    expect(proc.stderr).to.match(/^The data folder \/proc\/nope cannot be made: .*\.\n$/);
  });

  it('starts itself with the Node of the workspace where the one that runs it is too old', async () => {
    const pretend = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.20.2"})';
    const run = (script: string, option: string): Promise<Ended> =>
      ended(process.execPath, ['--import', pretend, script, option]);
    expect((await run(Gateway.main, '--version')).stdout).to.match(/^\d+\.\d+\.\d+\n$/);
    expect(await run(Gateway.main, '--port=none')).to.include({ code: 1, stdout: '' });
    await cp(dirname(Gateway.main), folder('alone'), { recursive: true });
    const { code, stderr } = await run(folder('alone', 'main.js'), '--version');
    expect(code).to.equal(1);
    expect(stderr).to.match(/^Tagway needs Node\.js 22\.19 or newer, and this is 20\.20\.2\. .*\n$/);
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

  const taken = Array.from({ length: 2 }, () => [200, 0]);
  const refused = Array.from({ length: 2 }, () => [400, ErrorCode.LIBRARY_ADD_FAILED]);

  it('must be there and good under --require-signature', async () => {
    await open(['--require-signature'], [trusted.publicKey]);
    expect(await install(undefined)).to.deep.equal(refused);
    expect(await install(signature(stranger.privateKey))).to.deep.equal(refused);
    expect(await install('no signature')).to.deep.equal(refused);
    expect(await install(signature(trusted.privateKey))).to.deep.equal(taken);
    await installLibrary(client, archive, signature(trusted.privateKey));
    await client.ok('POST', '/node', { name: 'line', plugin: 'acme', params: {} });
    await restartsWith(gateway, client, 'line');
  });

  it('may be of any trusted key', async () => {
    await open(['--require-signature'], [stranger.publicKey, trusted.publicKey]);
    expect(await install(signature(trusted.privateKey))).to.deep.equal(taken);
    expect(await install(signature(stranger.privateKey))).to.deep.equal(taken);
  });

  it('refuse everything under --require-signature without a key', async () => {
    await open(['--require-signature'], []);
    expect(await install(signature(trusted.privateKey))).to.deep.equal(refused);
  });

  it('must be good where there is a key to verify them with, and need not be there', async () => {
    await open([], [trusted.publicKey]);
    expect(await install(signature(stranger.privateKey))).to.deep.equal(refused);
    expect(await install(undefined)).to.deep.equal(taken);
    expect(await install(signature(trusted.privateKey))).to.deep.equal(taken);
  });

  it('are not looked at where there is no key', async () => {
    await open([], []);
    expect(await install(signature(stranger.privateKey))).to.deep.equal(taken);
  });
});
