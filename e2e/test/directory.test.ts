import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  Attribute,
  DataType,
  ErrorCode,
  type DirectorySearchReply,
  type OutdatedReply,
  type PackageReply,
  type PluginOrigin,
  type RegistriesReply,
} from '@tagway/schemas';
import { expect } from 'chai';
import { unruly } from '../kit/archives.ts';
import type { Client } from '../kit/client.ts';
import { addDriver, readGroup, readValues } from '../kit/configure.ts';
import { doneJob, runJob } from '../kit/directory.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { tagway } from '../kit/installed.ts';
import { packageOf, publish, sha512 } from '../kit/packages.ts';
import { until } from '../kit/until.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';
import { Verdaccio } from '../world/verdaccio.ts';

const nodes = 50;
const downwards = unruly().replace('count += 1', 'count -= 1');
const meter = '@acme/tagway-meter';

async function originOf(client: Client, name: string): Promise<PluginOrigin | undefined> {
  const { plugins } = await client.ok<{ plugins: { origin?: PluginOrigin }[] }>('GET', '/plugin', {
    plugin: name,
  });
  return plugins[0]?.origin;
}

function search(client: Client, query: Record<string, string> = {}): Promise<DirectorySearchReply> {
  return client.ok('GET', '/directory/search', query);
}

describe('plugins by name', function () {
  this.timeout(120_000);
  const folder = useFolder('directory');
  const { gateway, client } = useGateway();
  let registry: Verdaccio;

  before(async () => {
    registry = await Verdaccio.start({ users: { alice: 'meter-in-the-cellar' }, isPrivate: true });
    const token = registry.token('alice');
    const early = { manifest: { sdk: '^99.0.0' } };
    const packages = [
      packageOf(meter, 'meter'),
      packageOf(meter, 'meter', {
        version: '1.1.0',
        module: downwards,
        readme: '# The meter\n\u001b[2Jwith \u202ea screen\n',
      }),
      packageOf(meter, 'meter', { version: '1.2.0-rc.1' }),
      packageOf(meter, 'meter', { version: '2.0.0', ...early }),
      packageOf('tagway-scale', 'scale', { tagway: { os: ['plan9'] } }),
      packageOf('weighing-scale', 'weighing', { packageJson: { keywords: ['scale'] } }),
    ];
    for (const one of packages) await publish(registry, one, token);
    await gateway.stop();
    await writeFile(join(gateway.data, 'npmrc'), registry.npmrc('alice'), { mode: 0o644 });
    await gateway.start();
    await client.login();
  });

  after(() => registry[Symbol.asyncDispose]());

  it('closes the file with the credentials, and shows none of them', async () => {
    expect((await stat(join(gateway.data, 'npmrc'))).mode & 0o077).to.equal(0);
    const shown = await client.ok<RegistriesReply>('GET', '/directory/registries');
    expect(shown).to.deep.include({ registries: [] });
    expect(shown.file).to.deep.equal([{ url: registry.url, token: '********' }]);
  });

  it('finds plugins by words, of which packages without the keyword are none', async () => {
    const { packages, total, notices } = await search(client, { text: 'scale' });
    expect(packages.map((one) => one.package)).to.deep.equal(['tagway-scale']);
    expect({ total, notices }).to.deep.equal({ total: 1, notices: [] });
    expect(packages[0]).to.include({ fits: false, plugin: 'scale', kind: 'driver', registry: registry.url });
    expect(packages[0]!.reason).to.match(
      /^It is for another operating system: for plan9, and this machine has \w+\.$/,
    );
    const all = await search(client, { page_size: '1', page: '1' });
    expect(all).to.include({ total: 2, page_count: 2 }).and.to.have.property('packages').with.lengthOf(1);
  });

  it('shows which versions fit and why others do not', async () => {
    const shown = await client.ok<PackageReply>('GET', '/directory/package', { package: meter });
    expect(shown.package).to.include({
      package: meter,
      version: '1.1.0',
      fits: true,
      description: 'Reads the meter.',
    });
    expect(shown.versions.map(({ version, fits, prerelease }) => [version, fits, prerelease])).to.deep.equal([
      ['2.0.0', false, false],
      ['1.2.0-rc.1', true, true],
      ['1.1.0', true, false],
      ['1.0.0', true, false],
    ]);
    expect(shown.versions[0]!.reason).to.include(
      'It was built for version ^99.0.0 of the SDK and this gateway has',
    );
    const early = { package: meter, prerelease: 'true' };
    const { package: one } = await client.ok<PackageReply>('GET', '/directory/package', early);
    expect(one.version).to.equal('1.2.0-rc.1');
    expect(await client.errorOf('GET', '/directory/package', { package: 'tagway-nothing' })).to.equal(
      ErrorCode.PACKAGE_NOT_FOUND,
    );
    expect(await client.errorOf('GET', '/directory/package', { package: '../keys' })).to.equal(
      ErrorCode.PARAM_INVALID,
    );
  });

  it('says for readers of another language what its reasons are made of, and for others in English alone', async () => {
    const shownTo = async (language: string): Promise<PackageReply> => {
      const reply = await fetch(`${gateway.url}/api/v2/directory/package?package=${meter}`, {
        headers: { authorization: `Bearer ${client.token}`, 'accept-language': language },
      });
      return (await reply.json()) as PackageReply;
    };
    const [chinese, english] = await Promise.all([shownTo('zh-CN'), shownTo('en')]);
    const { sentence, reason } = chinese.versions[0]!;
    expect(sentence?.text).to.match(/^It was built for version \{0\} of the SDK/);
    expect(sentence?.values[0]).to.equal('^99.0.0');
    expect(english.versions[0]).to.include({ reason }).and.not.to.have.property('sentence');
  });

  it('shows what is in a package without installing it', async () => {
    const { content, received, size } = await doneJob(client, { action: 'look', package: meter });
    expect(content).to.include({ plugin: 'meter', version: '1.1.0', kind: 'driver', signed: false });
    expect(content!.readme).to.equal('# The meter\nwith a screen\n');
    expect(content!.settings).to.have.property('properties');
    expect(received).to.equal(size).and.to.equal(content!.size);
    expect(await originOf(client, 'meter')).to.equal(undefined);
    expect(
      (await client.ok<{ plugins: object[] }>('GET', '/plugin', { plugin: 'meter' })).plugins,
    ).to.have.lengthOf(0);
  });

  it(`installs a version, keeps where it came from, and updates it with ${nodes} nodes that run`, async () => {
    const { message } = await doneJob(client, { action: 'install', package: meter, version: '1.0.0' });
    expect(message).to.equal(
      `Version 1.0.0 of the plugin "meter" is installed, from the package ${meter} of ${registry.url}.`,
    );
    const tags = [{ name: 'count', address: 'count', attribute: Attribute.READ, type: DataType.INT32 }];
    for (let index = 0; index < nodes; index++)
      await addDriver(client, `meter ${index}`, { plugin: 'meter', interval: 500, tags, settings: {} });
    await readValues(client, `meter ${nodes - 1}`, 'group', 30_000);
    await gateway.restart();
    expect(await originOf(client, 'meter')).to.deep.equal({
      registry: registry.url,
      package: meter,
      version: '1.0.0',
      sha512: sha512(packageOf(meter, 'meter').archive).slice('sha512-'.length),
    });
    expect(await client.ok('GET', '/directory/outdated')).to.deep.equal({ plugins: [], profiles: [] });
    const { plugins } = await client.ok<OutdatedReply>('GET', '/directory/outdated', { look: 'true' });
    expect(plugins).to.have.lengthOf(1);
    expect(plugins[0]).to.include({ plugin: 'meter', installed: '1.0.0', fitting: '1.1.0', newest: '2.0.0' });
    await doneJob(client, { action: 'update', plugin: 'meter' });
    await until('every node counts as the new version does', async () => {
      for (let index = 0; index < nodes; index++) {
        const count = (await readGroup(client, `meter ${index}`, 'group')).get('count')?.value as number;
        if (!(count < 0)) return false;
      }
      return true;
    });
    expect(await originOf(client, 'meter')).to.include({ version: '1.1.0', package: meter });
    const last = await doneJob(client, { action: 'update', plugin: 'meter' });
    expect(last.message).to.equal('Version 1.1.0 of the plugin "meter" is the newest one that fits.');
  });

  it('goes back to the version before, and to where that came from, when the new one fails', async () => {
    const broken = packageOf(meter, 'meter', {
      version: '1.1.1',
      module: downwards.replace(
        /async start\(/,
        'async start() { throw new Error("no"); },\n    async other(',
      ),
    });
    expect(
      broken.archive.equals(packageOf(meter, 'meter', { version: '1.1.1', module: downwards }).archive),
    ).to.equal(false);
    await publish(registry, broken, registry.token('alice'));
    const job = await runJob(client, { action: 'update', plugin: 'meter' });
    expect(job).to.include({ state: 'failed', code: ErrorCode.LIBRARY_UPDATE_FAILED });
    expect(job.message).to.include('Version 1.1.0 is in its place again.');
    expect(await originOf(client, 'meter')).to.include({ version: '1.1.0' });
    await readValues(client, `meter ${nodes - 1}`, 'group', 30_000);
    await gateway.restart();
    expect(await originOf(client, 'meter')).to.include({ version: '1.1.0' });
    await readValues(client, 'meter 0', 'group', 30_000);
  });

  it('says in the audit and in the log what was installed, from where and by whom', async () => {
    const { entries } = await client.ok<{ entries: { text: string; user: string; error: number }[] }>(
      'GET',
      '/audit',
      {
        text: meter,
      },
    );
    expect(entries.map(({ text }) => text)).to.include(
      `Version 1.1.0 of the plugin "meter" is installed, from the package ${meter} of ${registry.url}.`,
    );
    expect(
      entries.some(
        ({ error, text }) =>
          error === ErrorCode.LIBRARY_UPDATE_FAILED &&
          /^the (?:installation|update) from the package \S+ failed, with error \d+$/.test(text),
      ),
    ).to.equal(true);
    expect(entries.every(({ user }) => user === 'admin')).to.equal(true);
    const log = await gateway.log();
    expect(log).to.include(`, from the package ${meter} of ${registry.url}.`);
    expect(log).not.to.include(registry.token('alice'));
  });

  it('asks the registry of a scope, with its token, and no other one', async () => {
    await using other = await LyingRegistry.start();
    other.add(packageOf(meter, 'meter', { version: '9.0.0' }));
    other.add(packageOf('tagway-pump', 'pump'));
    const registries = [
      { url: other.url },
      { scope: '@acme', url: registry.url, token: registry.token('alice') },
    ];
    await client.ok('PUT', '/directory/registries', { registries });
    const shown = await client.ok<RegistriesReply>('GET', '/directory/registries');
    expect(shown.registries).to.deep.equal([registries[0], { ...registries[1], token: '********' }]);
    expect(shown.file).to.deep.equal([]);
    const { package: found } = await client.ok<PackageReply>('GET', '/directory/package', { package: meter });
    expect(found.registry).to.equal(registry.url);
    expect((await search(client)).packages.map((one) => one.package)).to.deep.equal(['tagway-pump']);
    expect(other.wasAsked(`/${meter}`)).to.equal(false);
    expect(other.requests.every(({ authorization }) => authorization === undefined)).to.equal(true);

    // A mask keeps the token, and no other registry gets it.
    await client.ok('PUT', '/directory/registries', { registries: shown.registries });
    await gateway.restart();
    await client.ok('GET', '/directory/package', { package: meter });
    const moved = [{ scope: '@acme', url: other.url, token: '********' }];
    expect(await client.errorOf('PUT', '/directory/registries', { registries: moved })).to.equal(
      ErrorCode.PARAM_INVALID,
    );
    expect(await readFile(join(gateway.data, 'tagway.sqlite-wal'), 'latin1')).not.to.include(
      registry.token('alice'),
    );

    // A plugin is updated from where it came from alone.
    await client.ok('PUT', '/directory/registries', { registries: [{ url: other.url }] });
    const elsewhere = await runJob(client, { action: 'update', plugin: 'meter' });
    expect(elsewhere).to.include({ state: 'failed', code: ErrorCode.PLUGIN_FROM_ELSEWHERE });
    const { conflict, message } = await runJob(client, {
      action: 'install',
      package: meter,
      version: '9.0.0',
    });
    expect(conflict).to.include({ plugin: 'meter' });
    expect(message).to.include('would get its nodes, with their secrets');
    await doneJob(client, { action: 'install', package: meter, version: '9.0.0', replaces: 'meter' });
    await gateway.restart();
    expect(await originOf(client, 'meter')).to.include({ registry: other.url, version: '9.0.0' });
    await client.ok('PUT', '/directory/registries', { registries: [] });
  });

  it('is a matter of engineers, and which registries are asked one of admins', async () => {
    await client.ok('POST', '/users', { name: 'evelyn', password: 'eve-reads-meters', role: 'engineer' });
    await client.ok('POST', '/users', { name: 'olga', password: 'olga-reads-meters', role: 'operator' });
    const [eve, olga] = await Promise.all([
      gateway.anonymous().login('evelyn', 'eve-reads-meters'),
      gateway.anonymous().login('olga', 'olga-reads-meters'),
    ]);
    await search(eve, { text: 'meter' });
    const registries = { registries: [] };
    expect(await eve.errorOf('PUT', '/directory/registries', registries)).to.equal(
      ErrorCode.USER_NOT_PERMITTED,
    );
    expect(await eve.errorOf('GET', '/directory/registries')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    expect(await olga.errorOf('GET', '/directory/search')).to.equal(ErrorCode.USER_NOT_PERMITTED);
    const job = { action: 'install', package: meter };
    expect(await olga.errorOf('POST', '/directory/job', job)).to.equal(ErrorCode.USER_NOT_PERMITTED);
  });

  it('works from the command line: on a gateway that runs, and on the folder of none with the settings of the user', async () => {
    const running = ['--data', gateway.data];
    const password = { TAGWAY_PASSWORD: '0000' };
    const shown = await tagway(['plugin', 'info', `${meter}@1.0.0`, ...running], password);
    expect(shown.stdout)
      .to.match(new RegExp(`^Package: +${meter}@1\\.0\\.0$`, 'm'))
      .and.to.match(/^Fits: +yes$/m);

    const home = folder('home');
    await writeFile(folder('npmrc'), registry.npmrc('alice'));
    const env = { HOME: home, NPM_CONFIG_USERCONFIG: folder('npmrc') };
    const data = ['--data', folder('data')];
    const found = await tagway(['plugin', 'search', 'meter', ...data], env);
    expect(found.stdout, found.stderr).to.match(
      new RegExp(`^${meter} +1\\.1\\.1 +driver +Reads the meter\\.$`, 'm'),
    );
    const installed = await tagway(['plugin', 'install', `${meter}@1.0.0`, ...data], env);
    expect(installed.stdout, installed.stderr).to.include('Version 1.0.0 of the plugin "meter" is installed');
    const outdated = await tagway(['plugin', 'outdated', ...data], env);
    expect(outdated.stdout, outdated.stderr).to.match(
      /^meter +@acme\/tagway-meter +1\.0\.0 +1\.1\.1 +2\.0\.0 /m,
    );
    const updated = await tagway(['plugin', 'update', ...data], env);
    expect(updated.stdout, updated.stderr).to.include('Version 1.1.1 of the plugin "meter" is installed');
    expect((await tagway(['plugin', 'update', 'meter', ...data], env)).stdout).to.include(
      'is the newest one that fits',
    );
    const gone = await tagway(['plugin', 'install', `${meter}@4.0.0`, ...data], env);
    expect(gone).to.include({
      code: 1,
      stderr: `The package ${meter} has no version 4.0.0, or has it no more.\n`,
    });
  });

  it('keeps registries and origins in backups', async () => {
    const file = folder('backup.tar.gz');
    const token = registry.token('alice');
    await client.ok('PUT', '/directory/registries', {
      registries: [{ scope: '@acme', url: registry.url, token }],
    });
    expect((await tagway(['backup', file, '--data', gateway.data])).code).to.equal(0);
    const restored = folder('restored');
    expect((await tagway(['restore', file, '--data', restored])).code).to.equal(0);
    expect(await readFile(join(restored, 'npmrc'), 'utf8')).to.equal(registry.npmrc('alice'));
    const second = await Gateway.start({ prepare: async () => undefined, args: ['--data', restored] });
    try {
      const other = await second.client();
      expect(await originOf(other, 'meter')).to.include({ version: '9.0.0' });
      await other.ok('GET', '/directory/package', { package: meter });
    } finally {
      await second.dispose();
    }
  });
});
