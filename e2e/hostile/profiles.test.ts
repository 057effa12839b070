import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ErrorCode, type Profile, type ProfilesReply } from '@tagway/schemas';
import { expect } from 'chai';
import { installProfile, meterProfile, onePixel, profileArchive, profilePackage } from '../kit/profiles.ts';
import { LyingRegistry } from '../world/lying-registry.ts';
import { useGateway } from '../world/plant.ts';

const base64 = (content: Buffer | string): string => Buffer.from(content).toString('base64');

/** As many tags as there shall be, of the shortest kind. */
const tagsOf = (count: number): Profile['groups'][number]['tags'] =>
  Array.from({ length: count }, (_, at) => ({ name: `t${at}`, address: '1!400001', type: 'UINT16' }));

const withTags = (count: number): Profile =>
  meterProfile({ groups: [{ name: 'g', interval: 1000, tags: tagsOf(count) }] });

describe('a hostile device profile, sent to a gateway', function () {
  this.timeout(180_000);
  const { gateway, client, renew } = useGateway();

  const send = async (content: Buffer | string): Promise<{ code: number; message: string }> => {
    const { body } = await client.call('POST', '/profile', { file: base64(content) });
    return { code: body.error ?? 0, message: body.message ?? '' };
  };
  const refused = async (content: Buffer | string, why: RegExp): Promise<void> => {
    const { code, message } = await send(content);
    expect(code, message).to.equal(ErrorCode.PROFILE_INVALID);
    expect(message).to.match(why);
  };
  const installed = async (): Promise<string[]> =>
    (await client.ok<ProfilesReply>('GET', '/profile')).profiles
      .filter(({ system }) => !system)
      .map(({ id }) => id);

  it('of 10 MB is refused, as a file, as an archive and from a registry, and the gateway goes on', async () => {
    await refused(Buffer.alloc(10_000_000, 0x20), /more than 1\.5 MB/);
    await refused(
      profileArchive(meterProfile(), { 'README.md': Buffer.alloc(10_000_000, 0x61) }),
      /holds more than 2 MB|too large/,
    );
    await using registry = await LyingRegistry.start();
    const good = profilePackage(meterProfile(), 'tagway-profile-large');
    registry.add({ ...good, archive: Buffer.alloc(10_000_000, 0x1f) });
    await client.ok('PUT', '/directory/registries', { registries: [{ url: registry.url, search: true }] });
    expect(await client.errorOf('POST', '/profile/package', { package: 'tagway-profile-large' })).to.equal(
      ErrorCode.PROFILE_INVALID,
    );
    expect(await installed()).to.deep.equal([]);
  });

  it('with a million tags is refused, and so is one that is only looked at', async () => {
    await refused(profileArchive(withTags(1_000_000)), /holds more than 2 MB|too large|more than 1\.5 MB/);
    // What a request may hold at all.
    const many = withTags(200_000);
    expect(await client.errorOf('POST', '/profile/check', { profile: many })).to.equal(
      ErrorCode.PROFILE_INVALID,
    );
    await refused(JSON.stringify(withTags(2001)), /2000/);
  });

  it('with names that a spreadsheet takes for formulas, or that hide something, is refused', async () => {
    for (const name of ['=1+1', '+cmd', '-2', '@SUM(A1)', '\tx', 'a\nb', 'a\u202eb']) {
      await refused(JSON.stringify(meterProfile({ name })), /name/);
      const groups = [{ name: 'g', interval: 1000, tags: [{ ...tagsOf(1)[0]!, name }] }];
      await refused(JSON.stringify(meterProfile({ groups })), /name/);
    }
  });

  it('with a picture that is none, that is of another kind, or that is missing, is refused', async () => {
    const profile = meterProfile({ picture: 'meter.png' });
    const pictures: readonly (readonly [Buffer | string, RegExp])[] = [
      ['<script>alert(1)</script>', /not a picture of the kind/],
      ['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', /not a picture of the kind/],
      [Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16]), /not a picture of the kind/],
      [onePixel.subarray(0, 12), /not a picture of the kind/],
      [Buffer.concat([onePixel, Buffer.alloc(110_000)]), /more than 100 kB/],
    ];
    for (const [picture, why] of pictures)
      await refused(profileArchive(profile, { 'meter.png': picture }), why);
    const wide = Buffer.from(onePixel);
    wide.writeUInt32BE(30_000, 16);
    await refused(profileArchive(profile, { 'meter.png': wide }), /30000/);
    await refused(profileArchive(profile), /is missing/);
    await refused(profileArchive(meterProfile(), { 'other.png': onePixel }), /does not name/);
  });

  it('with code, scripts or links is refused', async () => {
    await refused(profileArchive(meterProfile(), { 'index.js': 'process.exit(1)' }), /index\.js/);
    const manifest = { name: 'x', version: '1.0.0', keywords: ['tagway-profile'], scripts: { install: 'x' } };
    await refused(profileArchive(meterProfile(), { 'package.json': JSON.stringify(manifest) }), /"scripts"/);
    expect(await installed()).to.deep.equal([]);
  });

  it('for a plugin that is not there is kept, and makes no node', async () => {
    await installProfile(client, meterProfile({ id: 'for-nobody', plugins: [{ id: 'no-such-plugin' }] }));
    const body = { profile: 'for-nobody', params: { host: '127.0.0.1' } };
    expect(await client.errorOf('POST', '/profile/test', body)).to.equal(ErrorCode.PROFILE_PLUGIN_MISSING);
    expect(await client.errorOf('POST', '/profile/node', { ...body, node: 'no' })).to.equal(
      ErrorCode.PROFILE_PLUGIN_MISSING,
    );
    expect((await client.ok<{ nodes: object[] }>('GET', '/node', { type: 1 })).nodes).to.deep.equal([]);
  });

  it('that lies in the data folder is left out with a line in the log, and the others are there after a restart', async () => {
    await installProfile(client, meterProfile());
    await gateway.stop();
    const folder = join(gateway.data, 'profiles');
    const bad: Readonly<Record<string, string | Buffer>> = {
      'too-large': Buffer.alloc(10_000_000, 0x20),
      'no-json': '{"format": 1,',
      'another-id': JSON.stringify(meterProfile()),
      'too-many': JSON.stringify(withTags(10_000)),
      formula: JSON.stringify(meterProfile({ id: 'formula', name: '=1+1' })),
    };
    for (const [name, content] of Object.entries(bad)) {
      await mkdir(join(folder, name));
      await writeFile(join(folder, name, 'profile.json'), content);
    }
    // What an installation leaves that was killed.
    await mkdir(join(folder, '.staging-killed'));
    await gateway.start();
    await renew();
    expect((await installed()).sort()).to.deep.equal(['acme-meter', 'for-nobody']);
    const log = await gateway.log();
    for (const name of Object.keys(bad)) expect(log).to.include(join('profiles', name));
    expect(await readdir(folder)).to.not.include('.staging-killed');
  });
});
