import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import {
  ErrorCode,
  type OutdatedReply,
  type Profile,
  type ProfilePackageReply,
  type ProfilePlanReply,
  type ProfileSearchReply,
  type ProfilesReply,
  signedText,
} from '@tagway/schemas';
import { expect } from 'chai';
import { tagway } from '../kit/installed.ts';
import { publish } from '../kit/packages.ts';
import { installProfile, meterProfile, profilePackage } from '../kit/profiles.ts';
import { useGateway } from '../world/plant.ts';
import { RegisterDevice } from '../world/register-device.ts';
import { Verdaccio } from '../world/verdaccio.ts';

const name = '@acme/tagway-profile-meter';

/** The package of the meter. */
const packed = (
  profile: Profile,
  files: Readonly<Record<string, string>> = {},
  said: Readonly<Record<string, unknown>> = {},
) => profilePackage(profile, name, files, said);

describe('device profiles of a registry', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway();
  let registry: Verdaccio;
  let device: RegisterDevice;
  let token: string;

  before(async () => {
    registry = await Verdaccio.start({ users: { alice: 'meter-in-the-cellar' }, isPrivate: true });
    device = await RegisterDevice.start();
    device.set(device.holding, 0, [1, 2, 3, 4, 5, 6, 7]);
    token = registry.token('alice');
    await publish(registry, packed(meterProfile()), token);
    await restart(registry.npmrc('alice'));
  });

  after(async () => {
    await device[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
  });

  const restart = async (npmrc?: string, args?: readonly string[]): Promise<void> => {
    await gateway.stop();
    if (npmrc !== undefined) await writeFile(join(gateway.data, 'npmrc'), npmrc);
    await gateway.start(args);
    await client.login();
  };
  const install = (more: object = {}) =>
    client.ok<ProfilePackageReply>('POST', '/profile/package', { package: name, ...more });
  const versionOf = async () => {
    const { profiles } = await client.ok<ProfilesReply>('GET', '/profile');
    return profiles.find(({ id }) => id === 'acme-meter');
  };

  it('are found by words, and say which plugin is missing', async () => {
    const other = { ...meterProfile({ id: 'acme-other', plugins: [{ id: 'acme-bus' }] }) };
    await publish(registry, profilePackage(other, 'tagway-profile-other'), token);
    const { packages } = await client.ok<ProfileSearchReply>('GET', '/profile/search', { text: '' });
    expect(
      packages.map(({ package: one, profile, missing }) => [one, profile, missing]),
    ).to.have.deep.members([
      [name, 'acme-meter', []],
      ['tagway-profile-other', 'acme-other', ['acme-bus']],
    ]);
    const reply = await client.ok<ProfilePackageReply>('POST', '/profile/package', {
      package: 'tagway-profile-other',
    });
    expect(reply.missing).to.deep.equal(['acme-bus']);
    expect(await client.errorOf('POST', '/profile/package', { package: 'tagway-profile-none' })).to.equal(
      ErrorCode.PACKAGE_NOT_FOUND,
    );
  });

  it('are installed, remembered over a restart, and a later version of them is a plan for its nodes', async () => {
    await installProfile(client, meterProfile());
    expect(await client.errorOf('POST', '/profile/package', { package: name })).to.equal(
      ErrorCode.PLUGIN_FROM_ELSEWHERE,
    );
    expect(await install({ replaces: 'acme-meter' })).to.deep.include({
      profile: 'acme-meter',
      version: '1.0.0',
      missing: [],
    });
    await client.ok('POST', '/profile/node', { profile: 'acme-meter', node: 'meter', params: device.params });
    await restart();
    expect(await versionOf()).to.include({ version: '1.0.0', package: name });
    const { profile } = await client.ok<{ profile: { package?: string } }>('GET', '/profile/node', {
      node: 'meter',
    });
    expect(profile.package).to.equal(name);
    const changed = meterProfile({ version: '1.1.0' });
    changed.groups[0]!.tags[0]!.unit = 'kV';
    await publish(registry, packed(changed), token);
    expect((await install()).version).to.equal('1.1.0');
    const plan = await client.ok<ProfilePlanReply>('POST', '/profile/plan', { node: 'meter' });
    expect(plan.changes.map(({ kind, tag }) => [kind, tag])).to.deep.equal([['change', 'voltage']]);
  });

  it('that are outdated are listed with what came from registries, and the command line finds, installs and updates them', async () => {
    const access = ['--data', gateway.data, '--password', '0000'];
    const changed = meterProfile({ version: '1.1.1' });
    await publish(registry, packed(changed), token);
    expect((await client.ok<OutdatedReply>('GET', '/directory/outdated')).profiles).to.deep.equal([]);
    const { profiles } = await client.ok<OutdatedReply>('GET', '/directory/outdated', { look: 'true' });
    const row = { profile: 'acme-meter', name: 'Acme meter', package: name, registry: registry.url };
    expect(profiles).to.deep.equal([{ ...row, installed: '1.1.0', newest: '1.1.1' }]);
    expect((await client.ok<OutdatedReply>('GET', '/directory/outdated')).profiles).to.deep.equal(profiles);
    for (const kind of ['plugin', 'profile']) {
      const outdated = await tagway([kind, 'outdated', ...access]);
      expect(outdated.stdout, outdated.stderr).to.match(
        /^acme-meter +@acme\/tagway-profile-meter +1\.1\.0 +1\.1\.1/m,
      );
    }
    const found = await tagway(['profile', 'search', 'meter', ...access]);
    expect(found.stdout).to.match(/^@acme\/tagway-profile-meter +1\.1\.1 +acme-meter/m);
    expect(found.stdout).to.match(/^tagway-profile-other +1\.0\.0 +acme-other +needs acme-bus/m);
    const done = await tagway(['profile', 'install', name, ...access]);
    expect(done).to.include({
      code: 0,
      stdout: 'The device profile "acme-meter" is installed in version 1.1.1.\n',
    });
    expect((await client.ok<OutdatedReply>('GET', '/directory/outdated')).profiles).to.deep.equal([]);
    expect((await tagway(['profile', 'outdated', ...access])).stdout).to.equal(
      'No device profile from a registry has a newer version there.\n',
    );
  });

  it('go in by name on the data folder of a gateway that does not run, back to an older version, too', async () => {
    await gateway.stop();
    const data = ['--data', gateway.data];
    const older = await tagway(['profile', 'install', `${name}@1.1.0`, ...data]);
    expect(older.stdout, older.stderr).to.equal(
      'The device profile "acme-meter" is installed in version 1.1.0.\n',
    );
    const missing = await tagway(['profile', 'install', 'tagway-profile-other', ...data]);
    expect(missing.stdout).to.include(
      'No plugin that it is for is installed. Install one of these: acme-bus.',
    );
    const none = await tagway(['profile', 'install', 'tagway-profile-none', ...data]);
    expect(none.code).to.equal(1);
    expect(none.stderr).to.include('tagway-profile-none');
    await tagway(['profile', 'remove', 'acme-meter', ...data]);
    await writeFile(join(gateway.data, 'meter.json'), JSON.stringify(meterProfile()));
    await tagway(['profile', 'install', join(gateway.data, 'meter.json'), ...data]);
    const elsewhere = await tagway(['profile', 'install', name, ...data]);
    expect(elsewhere.stderr).to.include('--replaces ID');
    const replaced = await tagway([
      'profile',
      'install',
      `${name}@1.1.0`,
      '--replaces',
      'acme-meter',
      ...data,
    ]);
    expect(replaced.code, replaced.stderr).to.equal(0);
    await gateway.start();
    await client.login();
    expect(await versionOf()).to.include({ version: '1.1.0', package: name });
  });

  it('that hold something else than the registry says are not installed', async () => {
    const liar = meterProfile({ version: '1.2.0', id: 'sunspec' });
    const said = { tagway: { profile: 'acme-meter', format: 1, plugins: ['modbus-tcp'] } };
    await publish(registry, packed(liar, {}, said), token);
    expect(await client.errorOf('POST', '/profile/package', { package: name })).to.equal(
      ErrorCode.PACKAGE_UNTRUSTED,
    );
    expect(await versionOf()).to.include({ version: '1.1.0' });
  });

  it('need the signature of their author where the gateway takes signed packages alone', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    await mkdir(join(gateway.data, 'trusted'), { recursive: true });
    await writeFile(
      join(gateway.data, 'trusted', 'acme.pem'),
      publicKey.export({ type: 'spki', format: 'pem' }),
    );
    await restart(undefined, ['--require-signature']);
    const version = '1.3.0';
    expect(await client.errorOf('POST', '/profile/package', { package: name, version: '1.0.0' })).to.equal(
      ErrorCode.LIBRARY_ADD_FAILED,
    );
    const profile = meterProfile({ version });
    const { packageJson } = packed(profile);
    const own = { 'package.json': JSON.stringify(packageJson) };
    const files = { ...own, 'profile.json': JSON.stringify(profile), 'README.md': '# Signed\n' };
    const hashes = Object.entries(files).map(
      ([file, content]) => [file, createHash('sha512').update(content).digest('hex')] as const,
    );
    const signature = sign(
      null,
      Buffer.from(signedText({ name, version, files: hashes })),
      privateKey,
    ).toString('base64');
    const signed = {
      ...files,
      'signature.json': JSON.stringify({ algorithm: 'ed25519', key: 'x', signature }),
    };
    await publish(registry, packed(profile, signed), token);
    expect((await install()).version).to.equal(version);
    await restart();
    expect(await versionOf()).to.include({ version });
    const kept = await readFile(join(gateway.data, 'profiles', 'acme-meter', 'README.md'), 'utf8');
    expect(kept).to.equal('# Signed\n');
  });
});
