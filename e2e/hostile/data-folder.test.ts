import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { command } from '../outside.ts';
import { addMqtt } from '../configure.ts';
import { freePort } from '../brokers.ts';
import { Gateway } from '../gateway.ts';
import { libraryArchive } from '../archives.ts';
import { SmallDisk } from '../small-disk.ts';
import { until } from '../until.ts';

interface Refusal {
  readonly code: number | null;
  readonly said: string;
}

/** Starts a gateway, or a command, that is expected to end by itself. */
async function run(...args: string[]): Promise<Refusal> {
  const child = spawn(process.execPath, [Gateway.main, ...args], { stdio: ['ignore', 'ignore', 'pipe'] });
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
  const [said, [code]] = await Promise.all([
    text(child.stderr),
    once(child, 'exit') as Promise<[number | null]>,
  ]);
  clearTimeout(timer);
  return { code, said };
}

/** One line of sentences and an exit code, and no trace of the code. */
function expectRefusal({ code, said }: Refusal, what: RegExp): void {
  expect(said).to.match(what);
  expect(said.trimEnd(), said).to.match(/^[A-Z][^\n]*\.$/);
  expect(code).to.equal(1);
}

describe('the data folder', function () {
  this.timeout(60_000);

  describe('of a gateway that lost its database', () => {
    let gateway: Gateway;
    let database: string;

    beforeEach(async () => {
      gateway = await Gateway.start();
      database = join(gateway.data, 'tagway.sqlite');
      const client = await gateway.client();
      await client.ok('POST', '/password', { name: 'admin', old_pass: '0000', new_pass: 'changed' });
    });
    afterEach(() => gateway?.dispose());

    const lost =
      /The configuration of the gateway is lost: .* holds keys\/token\.pem of a gateway that ran before, .*tagway restore FILE.* --reset-password\./;

    it('starts no empty one, nor one for a command, until that is asked for', async () => {
      await gateway.kill();
      for (const file of [database, `${database}-wal`]) await rm(file, { force: true });
      expectRefusal(await run('--data', gateway.data, '--port', '0'), lost);
      expectRefusal(await run('--data', gateway.data, '--port', '0', '--safe'), lost);
      expectRefusal(await run('plugin', 'list', '--data', gateway.data), lost);
      expect(await readdir(gateway.data)).to.not.include('tagway.sqlite');
      expect(await run('--data', gateway.data, '--reset-password')).to.deep.equal({ code: 0, said: '' });
      await gateway.start();
      await gateway.client();
    });

    it('starts none either when what was lost is the log that held everything', async () => {
      await gateway.stop();
      await rm(database);
      const empty = new DatabaseSync(database);
      empty.exec('PRAGMA journal_mode = WAL; PRAGMA user_version = 1');
      empty.exec('CREATE TABLE records (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID');
      empty.close();
      expectRefusal(await run('--data', gateway.data, '--port', '0'), lost);
      expectRefusal(await run('--data', gateway.data, '--port', '0'), lost);
    });

    it('keeps what is left of it where the database is gone and its log is not', async () => {
      await gateway.kill();
      await rm(database);
      const { size } = await stat(`${database}-wal`);
      expectRefusal(
        await run('--data', gateway.data, '--port', '0'),
        /holds tagway\.sqlite-wal and keys\/token\.pem of a gateway that ran before/,
      );
      expect((await stat(`${database}-wal`)).size)
        .to.equal(size)
        .and.greaterThan(0);
    });

    it('has lost seconds only when it lost the log, and says so', async () => {
      await until('the database itself has what was changed', async () => {
        const copy = `${database}-copy`;
        await copyFile(database, copy);
        const opened = new DatabaseSync(copy);
        try {
          const [row] = opened.prepare("SELECT value FROM records WHERE key = 'user/admin'").all();
          return row !== undefined && !String(row['value']).includes('isDefault');
        } catch {
          return false;
        } finally {
          opened.close();
          for (const suffix of ['', '-wal', '-shm']) await rm(`${copy}${suffix}`, { force: true });
        }
      });
      await gateway.kill();
      await rm(`${database}-wal`);
      await gateway.start();
      await gateway.anonymous().login('admin', 'changed');
      expect(gateway.output).to.match(
        /tagway\.sqlite-wal of the database in .* is missing, though the gateway before did not end/,
      );
      await gateway.restart();
      expect(gateway.output).not.to.include('is missing');
    });
  });

  describe('that cannot be used is named in a sentence', () => {
    let gateway: Gateway;
    before(async () => {
      gateway = await Gateway.start();
    });
    after(() => gateway?.dispose());

    /** What every start and every command that works on the folder answers. */
    async function expectRefusals(data: string, what: RegExp): Promise<void> {
      const answers = await Promise.all(
        [['--port', '0'], ['--port', '0', '--safe'], ['--reset-password']].map((more) =>
          run('--data', data, ...more),
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
        await run('--data', gateway.data, '--port', '0'),
        /The file or folder .*\/keys\/token\.pem cannot be used: a part of its path is a file and no folder\./,
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
        const { code, said } = await run('--data', data, '--port', '0');
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

  describe('of a gateway that runs where files are for everybody', () => {
    let gateway: Gateway;
    let umask: number;

    before(async () => {
      umask = process.umask(0o000);
      gateway = await Gateway.start();
    });
    after(async () => {
      process.umask(umask);
      await gateway?.dispose();
    });

    it('holds nothing that others can read', async () => {
      const client = await gateway.client();
      await addMqtt(client, 'app', await freePort(), { 'cache-mem-size': 1, 'cache-disk-size': 2 });
      await client.ok('POST', '/plugin', {
        library: 'acme.tgz',
        file: libraryArchive('acme').toString('base64'),
      });
      const entries = await readdir(gateway.data, { recursive: true });
      expect(entries).to.include.members(['tagway.sqlite', 'tagway.sqlite-wal', 'logs/tagway.log']);
      expect(entries).to.include.members(['keys/token.pem', 'running.json', 'nodes/1']);
      const open: string[] = [];
      for (const entry of entries) {
        const { mode } = await stat(join(gateway.data, entry));
        if ((mode & 0o077) !== 0) open.push(`${entry} ${(mode & 0o777).toString(8)}`);
      }
      expect(open).to.deep.equal([]);
      const backup = join(gateway.data, 'backup.tgz');
      await command(gateway.data, process.execPath, Gateway.main, 'backup', backup, '--data', gateway.data);
      expect((await stat(backup)).mode & 0o777).to.equal(0o600);
    });

    it('is closed at the next start, and the log says so, when it was open', async () => {
      await gateway.stop();
      for (const name of ['', 'tagway.sqlite', 'keys']) await chmod(join(gateway.data, name), 0o755);
      await gateway.start();
      for (const name of ['tagway.sqlite', 'keys'])
        expect((await stat(join(gateway.data, name))).mode & 0o077, name).to.equal(0);
      const log = await readFile(join(gateway.data, 'logs', 'tagway.log'), 'utf8');
      expect(log).to.include(`can read the data folder ${gateway.data} (mode 755)`);
      expect(log).to.match(/had access to these in the data folder .*: keys, tagway\.sqlite\./);
    });
  });
});
