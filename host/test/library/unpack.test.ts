import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ErrorCode } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { unpack } from '../../src/library/unpack.ts';
import { archiveOf } from './archive.ts';

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
