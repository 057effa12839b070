import { ErrorCode } from '@tagway/schemas';
import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { listFolder } from '../../src/machine/folder.ts';
import { codeOf } from '../core/harness.ts';

describe('what a folder holds', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-folder-'));
    await mkdir(join(folder, 'open/sub'), { recursive: true });
    await mkdir(join(folder, 'open-not'));
    await writeFile(join(folder, 'open/b'), '12345');
    await writeFile(join(folder, 'open/a'), '');
    await utimes(join(folder, 'open/b'), 1000, 2000);
    await symlink('/nowhere/at/all', join(folder, 'open/broken'));
    await symlink(folder, join(folder, 'open/up'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const anywhere = { roots: ['/'], never: [] };

  it('is listed by name, with sizes and times', async () => {
    const entries = await listFolder(join(folder, 'open'), anywhere);
    expect(entries.map(({ name }) => name)).to.deep.equal(['a', 'b', 'broken', 'sub', 'up']);
    const [, b] = entries;
    expect(b).to.include({ size: 5, modified: 2_000_000 });
    expect(b?.changed).to.be.closeTo(Date.now(), 60_000);
  });

  it('is 1011 when there is nothing, and 4101 when it is no folder', async () => {
    expect(await codeOf(listFolder(join(folder, 'absent'), anywhere))).to.equal(ErrorCode.FILE_NOT_FOUND);
    expect(await codeOf(listFolder(join(folder, 'x'.repeat(5000)), anywhere))).to.equal(
      ErrorCode.FILE_NOT_FOUND,
    );
    expect(await codeOf(listFolder(join(folder, 'open/b'), anywhere))).to.equal(ErrorCode.FILE_OPEN_FAILED);
  });

  it('is listed within roots alone, whatever links and dots say', async () => {
    const roots = { roots: [join(folder, 'open')], never: [] };
    for (const path of ['open', 'open/', 'open/sub', 'open/../open', 'open/up/open'])
      expect(await codeOf(listFolder(join(folder, path), roots)), path).to.equal(0);
    for (const path of ['', 'open-not', 'open/up', 'absent', 'open/..'])
      expect(await codeOf(listFolder(`${folder}/${path}`, roots)), path).to.equal(ErrorCode.FILE_OPEN_FAILED);
    expect(await codeOf(listFolder(join(folder, 'open/absent'), roots))).to.equal(ErrorCode.FILE_NOT_FOUND);
    expect(await codeOf(listFolder('/', roots))).to.equal(ErrorCode.FILE_OPEN_FAILED);
    expect(await codeOf(listFolder(join(folder, 'open'), anywhere))).to.equal(0);
    const all = { roots: ['/'], never: [join(folder, 'open')] };
    for (const path of ['open', 'open/sub', 'open/up/open'])
      expect(await codeOf(listFolder(join(folder, path), all)), path).to.equal(ErrorCode.FILE_OPEN_FAILED);
    expect(await codeOf(listFolder(folder, all))).to.equal(0);
  });
});
