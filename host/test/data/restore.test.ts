import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { expect } from 'chai';
import { pack } from 'tar-stream';
import { restore } from '../../src/data/restore.ts';

describe('a backup', () => {
  let folder: string;

  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'tagway-restore-'))));
  afterEach(() => rm(folder, { recursive: true }));

  for (const path of [
    'keys/../../../outside',
    '../outside',
    'keys/./inside',
    'keys//inside',
    'keys/a:b',
    'other',
  ])
    it(`with the entry ${path} is refused, and nothing is written`, async () => {
      const archive = pack();
      archive.entry({ name: path }, 'content');
      archive.finalize();
      const file = join(folder, 'backup.tgz');
      await writeFile(file, await buffer(archive.pipe(createGzip())));
      const data = join(folder, 'data');
      const refusal = await restore(file, data).catch((error: unknown) => String(error));
      expect(refusal).to.include(`it has an entry "${path}" that no backup has`);
      expect(existsSync(data), 'the data folder').to.equal(false);
      expect(existsSync(join(folder, 'outside')), 'a file outside of it').to.equal(false);
    });
});
