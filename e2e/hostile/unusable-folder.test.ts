import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { useGateway } from '../world/plant.ts';
import { expectRefusal, runGateway } from '../kit/refused-start.ts';
import { SmallDisk } from '../kit/small-disk.ts';

describe('a data folder that cannot be used is named in a sentence', function () {
  this.timeout(60_000);
  const { gateway } = useGateway();

  /** What every start and every command that works on the folder answers. */
  async function expectRefusals(data: string, what: RegExp): Promise<void> {
    const answers = await Promise.all(
      [['--port', '0'], ['--port', '0', '--safe'], ['--reset-password']].map((more) =>
        runGateway('--data', data, ...more),
      ),
    );
    for (const answer of answers) expectRefusal(answer, what);
  }

  it('when another gateway runs on it', () =>
    expectRefusals(gateway.data, /The database .* is in use by another gateway\. Stop that one/));

  it('when it is no folder', () =>
    expectRefusals(join(gateway.data, 'tagway.sqlite'), /cannot be made: there is a file of this name\./));

  it('when its database is damaged, or a newer version wrote it', async () => {
    await gateway.stop();
    const database = join(gateway.data, 'tagway.sqlite');
    const good = await readFile(database);
    await writeFile(database, Buffer.alloc(8192, 'no database '));
    await expectRefusals(gateway.data, /is damaged .*tagway restore FILE/);
    await writeFile(database, good);
    const opened = new DatabaseSync(database);
    opened.exec('PRAGMA user_version = 99');
    opened.close();
    await expectRefusals(gateway.data, /was written by a newer version of Tagway/);
    await writeFile(database, good);
  });

  it('when a file in it cannot be read', async () => {
    await rm(join(gateway.data, 'keys'), { recursive: true });
    await writeFile(join(gateway.data, 'keys'), '');
    expectRefusal(
      await runGateway('--data', gateway.data, '--port', '0'),
      /The file or folder .*\/keys\/secrets\.key cannot be used: a part of its path is a file and no folder\./,
    );
  });

  const disk = SmallDisk.isPossible ? '' : ' (skipped: only root may mount the small disk that it needs)';
  it(`when it may only be read, or has no room for a new gateway${disk}`, async function () {
    if (!SmallDisk.isPossible) this.skip();
    const small = await SmallDisk.make(4);
    try {
      const data = join(small.folder, 'data');
      await mkdir(data);
      await small.fill();
      const { code, said } = await runGateway('--data', data, '--port', '0');
      // The line before says that there is no log.
      expectRefusal(
        { code, said: said.slice(said.indexOf('The database')) },
        /the disk with the data folder is full\. Free space there/,
      );
      await small.free();
      small.protect(true);
      await expectRefusals(data, /The data folder .* cannot be used: the file system is read-only\./);
    } finally {
      await small.dispose();
    }
  });
});
