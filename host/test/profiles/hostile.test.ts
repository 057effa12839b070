import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { ErrorCode, type Profile } from '@tagway/schemas';
import { isFault, type Log } from '@tagway/sdk';
import { expect } from 'chai';
import { type Headers, pack } from 'tar-stream';
import { ProfileFolder } from '../../src/profiles/profile-folder.ts';

type Files = Readonly<Record<string, string | Buffer>>;

const good = {
  format: 1,
  id: 'acme',
  version: '1.0.0',
  name: 'Acme',
  description: { en: 'A device.' },
  devices: ['A'],
  document: { title: 'A manual' },
  plugins: [{ id: 'modbus-tcp' }],
  groups: [{ name: 'g', interval: 1000, tags: [{ name: 't', address: '1!400001', type: 'UINT16' }] }],
} satisfies Profile;

const manifest = { name: 'tagway-profile-acme', version: '1.0.0', keywords: ['tagway-profile'] };

async function archiveOf(files: Files, more: readonly Headers[] = []): Promise<Buffer> {
  const archive = pack();
  for (const [name, content] of Object.entries(files)) archive.entry({ name: `package/${name}` }, content);
  for (const header of more)
    if (header.type === 'symlink') archive.entry(header);
    else archive.entry(header, '');
  archive.finalize();
  return gzipSync(await buffer(archive));
}

const packageOf = (changes: object = {}, profile: object = good, files: Files = {}): Promise<Buffer> =>
  archiveOf({
    'package.json': JSON.stringify({ ...manifest, ...changes }),
    'profile.json': JSON.stringify(profile),
    ...files,
  });

const withTag = (tag: object): object => ({
  ...good,
  groups: [
    {
      name: 'g',
      interval: 1000,
      tags: good.groups.flatMap(({ tags }) => tags.map((one) => ({ ...one, ...tag }))),
    },
  ],
});

describe('a hostile device profile', () => {
  let path: string;
  let folder: ProfileFolder;
  const lines: string[] = [];

  before(async () => {
    path = await mkdtemp(join(tmpdir(), 'tagway-profiles-'));
    const note = (line: string): void => void lines.push(line);
    const log: Log = { debug: note, info: note, notice: note, warn: note, error: note };
    const signatures = { folder: join(path, 'trusted'), isRequired: false };
    folder = new ProfileFolder({
      path: join(path, 'profiles'),
      system: join(path, 'system'),
      signatures,
      log,
    });
  });

  after(() => rm(path, { recursive: true }));

  const refused = async (content: Buffer): Promise<string> => {
    try {
      const staged = await folder.unpack({ content });
      await staged.discard();
    } catch (error) {
      if (!isFault(error)) throw error;
      expect(error.code).to.equal(ErrorCode.PROFILE_INVALID);
      expect(await readdir(join(path, 'profiles')).catch(() => [])).to.deep.equal([]);
      return error.message;
    }
    throw new Error('It was taken.');
  };

  it('is one of these; a good one is taken', async () => {
    const staged = await folder.unpack({ content: await packageOf() });
    expect(staged.files.profile).to.deep.equal(good);
    await staged.discard();
  });

  it('of 10 MB, or that unpacks to hundreds, is refused', async () => {
    expect(await refused(Buffer.alloc(10_000_000, 0x20))).to.include('1.5 MB');
    // Zeros alone are the end of an archive, and what is behind it is not read to its end either.
    expect(await refused(gzipSync(Buffer.alloc(1 << 27)))).to.include('Its archive');
    const bomb = await packageOf({}, good, { 'README.md': Buffer.alloc(1 << 25) });
    expect(await refused(bomb)).to.match(/holds more than 2 MB|too large/);
    const long = JSON.stringify({ ...good, notes: ['x'.repeat(1_100_000)] });
    expect(await refused(Buffer.from(long))).to.include('1024 kB');
  });

  it('with a million tags is refused', async () => {
    const tags = Array.from({ length: 1_000_000 }, (_, at) => ({
      name: `t${at}`,
      address: '1',
      type: 'BIT',
    }));
    const json = JSON.stringify({ ...good, groups: [{ name: 'g', interval: 1000, tags }] });
    expect(await refused(gzipSync(Buffer.from(json)))).to.match(/holds more than|not a tar archive|1.5 MB/);
    expect(
      await refused(
        await packageOf({}, { ...good, groups: [{ name: 'g', interval: 1000, tags: tags.slice(0, 2001) }] }),
      ),
    ).to.include('2000');
    const groups = Array.from({ length: 3 }, (_, n) => ({
      name: `g${n}`,
      interval: 1000,
      tags: tags.slice(0, 1000),
    }));
    expect(await refused(await packageOf({}, { ...good, groups }))).to.include('It has 3000 tags');
  });

  it('with names that are formulas, or that hide something, is refused', async () => {
    for (const name of ['=1+1', '+cmd', '-2', '@SUM(A1)', '\tx', 'a\nb', 'a\u202eb', ' x', ''])
      expect(await refused(await packageOf({}, withTag({ name }))), JSON.stringify(name)).to.include('name');
    for (const field of ['description', 'unit'])
      expect(await refused(await packageOf({}, withTag({ [field]: '=HYPERLINK("x")' }))), field).to.include(
        field,
      );
    expect(
      await refused(await packageOf({}, { ...good, groups: [{ ...good.groups[0], name: '=g' }] })),
    ).to.include('name');
  });

  it('with code, scripts or dependencies is refused', async () => {
    for (const member of ['scripts', 'dependencies', 'bin', 'main', 'exports', 'optionalDependencies'])
      expect(await refused(await packageOf({ [member]: {} })), member).to.include(`"${member}"`);
    for (const name of [
      'index.js',
      'profile.js',
      'lib/x.js',
      '.npmrc',
      'picture.svg',
      'README.html',
      'binding.gyp',
    ])
      expect(await refused(await packageOf({}, good, { [name]: 'x' })), name).to.include(name);
    expect(await refused(await packageOf({}, { ...good, main: 'x.js' }))).to.include('main');
    expect(await refused(await packageOf({ keywords: ['tagway-plugin'] }))).to.include('tagway-profile');
    expect(await refused(await packageOf({ version: '1.0.1' }))).to.include('another version');
  });

  it('that leads out of its folder, or is a link, is refused', async () => {
    for (const name of ['package/../../evil.md', '/package/README.md', 'other/README.md'])
      expect(await refused(await archiveOf({ 'profile.json': '{}' }, [{ name, size: 0 }])), name).to.include(
        'entry',
      );
    const link: Headers = { name: 'package/README.md', type: 'symlink', linkname: '/etc/passwd' };
    expect(await refused(await archiveOf({ 'profile.json': JSON.stringify(good) }, [link]))).to.include(
      'link',
    );
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`p${at}.png`, 'x']));
    expect(await refused(await archiveOf(many))).to.include('entries');
  });

  it('with a picture that is none, or is too large, is refused', async () => {
    const pictured = { ...good, picture: 'a.png' };
    const png = Buffer.from('89504e470d0a1a0a0000000d494844520000ffff0000ffff08000000006e', 'hex');
    for (const [file, word] of [
      ['<svg onload="alert(1)"/>', 'not a picture'],
      [Buffer.alloc(200_000), '100 kB'],
      [Buffer.concat([png, Buffer.alloc(10)]), '65535 × 65535'],
    ] as const)
      expect(await refused(await packageOf({}, pictured, { 'a.png': file }))).to.include(word);
    expect(await refused(await packageOf({}, pictured))).to.include('missing');
    expect(await refused(await packageOf({}, good, { 'b.png': png }))).to.include('does not name');
  });

  it('of any other form is refused with what is wrong', async () => {
    for (const content of [
      '',
      '{',
      'null',
      '[]',
      '42',
      '{"format":2}',
      `{"__proto__":{"x":1}}`,
      '['.repeat(100_000),
    ])
      expect(await refused(Buffer.from(content)), content.slice(0, 20)).to.include(
        'The device profile is not valid.',
      );
    expect(await refused(await packageOf({}, { ...good, id: '../../etc' }))).to.include('id');
    const secretless = { ...good, plugins: [{ id: 'modbus-tcp', settings: { a: { b: 1 } } }] };
    expect(await refused(await packageOf({}, secretless))).to.include('settings');
  });

  it('in the folder of profiles costs only itself, with a line in the log', async () => {
    for (const [name, content] of [
      ['acme', JSON.stringify(good)],
      ['bad', '{'],
      ['other', JSON.stringify(good)],
    ] as const) {
      await mkdir(join(path, 'profiles', name), { recursive: true });
      await writeFile(join(path, 'profiles', name, 'profile.json'), content);
    }
    await mkdir(join(path, 'profiles', '.staging-x'));
    await folder.recover();
    expect([...(await folder.list()).keys()]).to.deep.equal(['acme']);
    expect(lines.join('\n')).to.include('profiles/bad is left out').and.to.include('It is called "acme"');
    expect(await readdir(join(path, 'profiles'))).to.not.include('.staging-x');
  });
});
