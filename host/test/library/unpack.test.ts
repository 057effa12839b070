import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { unpack } from '../../src/library/unpack.ts';
import { archiveOf } from './archive.ts';

/** An entry of a tar archive as POSIX.1-2017 lays it out under pax, "ustar Interchange Format"; `size` is what its header says. */
function entry(type: string, name: string, content: Buffer, size = content.length): Buffer {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write('0000644\0', 100);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('        ', 148);
  header.write(type, 156);
  header.write('ustar\x0000', 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0`, 148);
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)]);
}

describe('unpacking an archive', () => {
  let root: string;
  let folder: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'tagway-unpack-'));
    folder = await mkdtemp(join(root, 'into-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const long = `node_modules/${'long-name-of-a-folder/'.repeat(12)}${'n'.repeat(120)}.js`;
  const files = {
    'plugin.json': '{}',
    'dist/empty.js': '',
    'dist/large.js': 'x'.repeat(200_000),
    'tool.sh': '#!/bin/sh',
    'README.中文.md': '说明',
  };
  const formats = ['ustar', 'pax', process.platform === 'linux' ? 'gnu' : 'gnutar'];

  for (const format of formats) {
    it(`reads what tar writes in its ${format} format`, async () => {
      const all = format === 'ustar' ? files : { ...files, [long]: 'long' };
      await unpack(await archiveOf(all, format), folder);
      for (const [name, content] of Object.entries(all))
        expect(await readFile(join(folder, name), 'utf8'), name).to.equal(content);
      const modes = await Promise.all(['tool.sh', 'plugin.json'].map((name) => stat(join(folder, name))));
      expect(modes.map(({ mode }) => (mode & 0o100) !== 0)).to.deep.equal([true, false]);
    });
  }

  it('takes the size of an extended header for the file that it belongs to, not for a long name between the two', async () => {
    const content = Buffer.from('seven b');
    const archive = Buffer.concat([
      entry('x', 'pax', Buffer.from('10 size=7\n')),
      entry('L', '././@LongLink', Buffer.from('package/long-name.js\0')),
      // The size beside the name says nothing here, as with files of 8 GiB and more.
      entry('0', 'package/short.js', content, 0),
      Buffer.alloc(1024),
    ]);
    await unpack(gzipSync(archive), folder);
    expect(await readFile(join(folder, 'long-name.js'), 'utf8')).to.equal('seven b');
  });

  const hostile: [title: string, says: RegExp, archive: () => Buffer][] = [
    [
      'whose size is no number',
      /^The archive has an entry without a valid size\.$/,
      () =>
        Buffer.concat([
          entry('x', 'pax', Buffer.from('12 size=abc\n')),
          entry('0', 'package/a', Buffer.alloc(0)),
        ]),
    ],
    [
      'that is a folder with a content',
      /^The archive has an entry without a valid size\.$/,
      () => entry('5', 'package/a', Buffer.alloc(10)),
    ],
    [
      'with an extended header beyond any measure',
      /^The archive has an extended header, or something behind its end, that is too long\.$/,
      () => entry('x', 'pax', Buffer.alloc(200_000, '#')),
    ],
    [
      'that is a link',
      /^The archive has an entry that is neither/,
      () => entry('2', 'package/a', Buffer.alloc(0)),
    ],
    [
      'that is cut off',
      /^The archive .*cut off/,
      () => entry('0', 'package/a', Buffer.alloc(1000)).subarray(0, 900),
    ],
  ];
  for (const [title, says, archive] of hostile) {
    it(`refuses an entry ${title}`, async () => {
      const error: unknown = await unpack(gzipSync(archive()), folder).catch((cause: unknown) => cause);
      if (!isFault(error)) throw error;
      expect(error.code).to.equal(ErrorCode.LIBRARY_INFO_INVALID);
      expect(error.message).to.match(says);
    });
  }

  // Noise, which gzip cannot make short: one archive reaches its reader in many pieces, the other in one.
  for (const bytes of [300_000, 300]) {
    it(`refuses what is cut off anywhere, with contents of ${bytes} bytes`, async () => {
      const content = randomBytes(bytes / 2).toString('hex');
      const whole = await archiveOf({ 'a.js': content, 'b.js': content.slice(1), 'c.js': content.slice(2) });
      for (let part = 1; part < 20; part += 1) {
        const cut = whole.subarray(0, (whole.length * part) / 20);
        const error: unknown = await unpack(cut, folder).catch((cause: unknown) => cause);
        if (!isFault(error)) throw error;
        expect(error.code, error.message).to.equal(ErrorCode.LIBRARY_INFO_INVALID);
        await rm(folder, { recursive: true });
        await mkdir(folder);
      }
    });
  }

  it('refuses any damage with a fault, and writes nothing outside its folder', async () => {
    const whole = gunzipSync(await archiveOf(files));
    let state = 1;
    const pick = (below: number): number => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    let refused = 0;
    for (let round = 0; round < 300; round += 1) {
      const damaged = Buffer.from(whole);
      // Most of the bytes are content, where damage does not show: the headers are hit more often.
      const end = round % 3 === 0 ? damaged.length : 4096;
      for (let count = 0; count <= pick(4); count += 1) damaged[pick(end)] = pick(256);
      try {
        await unpack(gzipSync(damaged.subarray(0, round % 5 === 0 ? pick(end) : damaged.length)), folder);
      } catch (error) {
        if (!isFault(error)) throw error;
        expect(error.code).to.equal(ErrorCode.LIBRARY_INFO_INVALID);
        expect(error.message).to.match(/^The archive .*\.$/s);
        refused += 1;
      }
      expect(await readdir(root)).to.deep.equal([folder.slice(root.length + 1)]);
      await rm(folder, { recursive: true });
      await mkdir(folder);
    }
    expect(refused).to.be.greaterThan(100);
  });
});
