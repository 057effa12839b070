import { ErrorCode } from '@tagway/schemas';
import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { isFault } from '@tagway/sdk';
import { expect } from 'chai';
import { SqliteAdapter } from '../../src/store/sqlite.ts';
import { openSqliteStore } from '../../src/store/store.ts';
import { conformsToStore } from './conformance.ts';

describe('the embedded store', () => {
  conformsToStore(async () => {
    const own = await mkdtemp(join(tmpdir(), 'tagway-store-'));
    let store = openSqliteStore(join(own, 'tagway.db'));
    return {
      store,
      async reopened() {
        await store.close();
        return (store = openSqliteStore(join(own, 'tagway.db')));
      },
      async [Symbol.asyncDispose]() {
        await store.close();
        await rm(own, { recursive: true, force: true });
      },
    };
  });
});

describe('the store', () => {
  let folder: string;
  let file: string;
  let writer: ChildProcess | undefined;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-store-'));
    file = join(folder, 'tagway.db');
  });

  afterEach(async () => {
    writer?.kill('SIGKILL');
    writer = undefined;
    await rm(folder, { recursive: true, force: true });
  });

  it('is read page by page, without what is not committed, and whoever stops reading holds nothing up', async () => {
    const store = openSqliteStore(file);
    const keyOf = (index: number): string => `key/${String(index).padStart(5, '0')}`;
    const records = (value: string) =>
      Array.from({ length: 1200 }, (_, index) => [keyOf(index), value] as const);
    await store.commit({ set: records('old') });
    // Nobody reads it to its end.
    expect(await store.isEmpty()).to.equal(false);

    let isMade = false;
    function* slowly(): Generator<readonly [string, string]> {
      for (const [index, entry] of records('new').entries()) {
        yield entry;
        // Long enough for the transaction to be made in pieces.
        if (index % 200 === 0) for (const end = performance.now() + 5; performance.now() < end;);
      }
      isMade = true;
    }
    const change = store.commit({ set: slowly() });
    const read = await store.load();
    expect(isMade, 'the transaction is over').to.equal(true);
    expect(read).to.deep.equal(records('new'));
    await change;

    const size = async (): Promise<number> => (await stat(file)).size;
    for (let look = 0; look < 200 && (await size()) < 20_000; look++) await sleep(50);
    expect(await size(), 'the database has what the log has').to.be.greaterThan(20_000);
    await store.close();
  }).timeout(20_000);

  it('names a record that cannot be parsed by its key alone', async () => {
    const adapter = new SqliteAdapter(file);
    await adapter.transaction(async () => {
      await adapter.setMany([
        { key: 'bad', value: '{"name":' },
        { key: 'good', value: '1' },
      ]);
    });
    await adapter.disconnect();
    const store = openSqliteStore(file);
    expect(await store.load()).to.deep.equal([
      ['bad', undefined],
      ['good', 1],
    ]);
    await store.close();
  });

  it('rejects a commit that cannot be written, and the next one succeeds', async () => {
    const store = openSqliteStore(file);
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const error = await store
      .commit({
        set: [
          ['a', 1],
          ['b', circular],
        ],
      })
      .catch((reason: unknown) => reason);
    expect(isFault(error) && error.code).to.equal(ErrorCode.INTERNAL);
    await store.commit({ set: [['c', 1]] });
    expect(await store.load()).to.deep.equal([['c', 1]]);
    await store.close();
  });

  describe('a file that cannot be used', () => {
    it('is named and left as it is when it is no database', async () => {
      const content = Buffer.alloc(8192, 'not a database ');
      await writeFile(file, content);
      expect(() => openSqliteStore(file)).to.throw(`The database ${file} is damaged`);
      expect(await readFile(file)).to.deep.equal(content);
    });

    it('is named and left as it is when pages of it are overwritten', async () => {
      const store = openSqliteStore(file);
      await store.commit({
        set: Array.from({ length: 2000 }, (_, i) => [`key/${i}`, 'x'.repeat(50)] as const),
      });
      await store.close();
      const content = await readFile(file);
      content.fill(0xa5, 4096, 4096 * 8);
      await writeFile(file, content);
      expect(() => openSqliteStore(file)).to.throw(/is damaged .* It was left as it is/);
      expect(await readFile(file)).to.deep.equal(content);
    });

    it('is named when another gateway uses it', async () => {
      const store = openSqliteStore(file);
      expect(() => openSqliteStore(file)).to.throw('is in use by another gateway');
      await store.close();
    }).timeout(10_000);

    it('is named when a newer gateway wrote it', () => {
      const other = join(folder, 'newer.db');
      const database = new DatabaseSync(other);
      database.exec('PRAGMA user_version = 99');
      database.close();
      expect(() => openSqliteStore(other)).to.throw('was written by a newer version of Tagway');
    });
  });

  it('has every commit that was acknowledged, and no part of another, after kill -9', async function () {
    this.timeout(60_000);
    let next = 0;
    for (let round = 0; round < 8; round++) {
      const child = spawn(
        process.execPath,
        ['--conditions=source', join(import.meta.dirname, 'writer.ts'), file, String(next)],
        { stdio: ['ignore', 'pipe', 'inherit'], env: { PATH: process.env['PATH'] } },
      );
      writer = child;
      let output = '';
      const wanted = 1 + round * 7;
      await new Promise<void>((resolve, reject) => {
        child.once('exit', () => reject(new Error('The writer ended by itself.')));
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text;
          if (output.split('\n').length > wanted) resolve();
        });
      });
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
      const acknowledged = Number(output.split('\n').at(-2));

      const store = openSqliteStore(file);
      const records = new Map(await store.load());
      await store.close();
      const counter = Number(records.get('counter'));
      // The commit after the last acknowledged one may be there too.
      expect(counter).to.be.oneOf([acknowledged, acknowledged + 1]);
      for (let i = 0; i < 20; i++) {
        expect(records.get(`tag/${counter}/${i}`)).to.deep.equal({ batch: counter });
        expect(records.has(`tag/${counter - 2}/${i}`)).to.equal(false);
        expect(records.has(`tag/${counter + 1}/${i}`)).to.equal(false);
      }
      next = counter + 1;
    }
  });
});
