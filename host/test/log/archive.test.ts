import { ErrorCode } from '@tagway/schemas';
import { spawnSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { archiveOf } from '../../src/log/archive.ts';
import { codeOf } from '../core/harness.ts';

describe('the archive of the log', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-archive-'));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  const tar = (archive: Buffer, ...args: string[]): string => {
    const { stdout, stderr, status } = spawnSync('tar', args, { input: archive, maxBuffer: 1e8 });
    expect(status, String(stderr)).to.equal(0);
    return String(stdout);
  };

  it('holds each file with its length and content, as tar sees it', async () => {
    const contents: Record<string, string> = {
      'tagway.log': 'a line\n',
      'tagway.1.log': 'x'.repeat(1_000_001),
      'tagway.2.log': 'y'.repeat(512),
      'tagway.3.log': '',
    };
    for (const [name, text] of Object.entries(contents)) await writeFile(join(folder, name), text);
    await mkdir(join(folder, 'sub'));
    const archive = await buffer(await archiveOf(folder));
    const listed = tar(archive, '-tzf', '-').trim().split('\n');
    expect(listed).to.have.members(Object.keys(contents).map((name) => `logs/${name}`));
    for (const [name, text] of Object.entries(contents))
      expect(tar(archive, '-xzOf', '-', `logs/${name}`) === text, name).to.equal(true);
  });

  it('is what was there when it was asked for, however much is logged meanwhile', async () => {
    await writeFile(join(folder, 'tagway.log'), 'before');
    const stream = await archiveOf(folder);
    await appendFile(join(folder, 'tagway.log'), ' and after');
    expect(tar(await buffer(stream), '-xzOf', '-')).to.equal('before');
  });

  it('closes its files when nobody takes it', async () => {
    await writeFile(join(folder, 'tagway.log'), 'x'.repeat(5_000_000));
    const stream = await archiveOf(folder);
    stream.destroy();
    await delay(50);
    expect(stream.destroyed).to.equal(true);
  });

  it('is 1011 without a folder, and 1014 when it cannot be read', async () => {
    expect(await codeOf(archiveOf(join(folder, 'absent')))).to.equal(ErrorCode.FILE_NOT_FOUND);
    await writeFile(join(folder, 'file'), '');
    expect(await codeOf(archiveOf(join(folder, 'file')))).to.equal(ErrorCode.COMMAND_FAILED);
  });
});
