import { copyFile, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { useGateway } from '../world/plant.ts';
import { expectRefusal, runGateway } from '../kit/refused-start.ts';
import { until } from '../kit/until.ts';

describe('a gateway that lost its database', function () {
  this.timeout(60_000);
  const { gateway, client } = useGateway({}, 'test');
  let database: string;

  beforeEach(async () => {
    database = join(gateway.data, 'tagway.sqlite');
    await client.ok('POST', '/password', { name: 'admin', old_pass: '0000', new_pass: 'changed' });
  });

  const lost =
    /The configuration of the gateway is lost: .* holds keys\/token\.pem of a gateway that ran before, .*tagway restore FILE.* --reset-password\./;

  it('starts no empty one, nor one for a command, until that is asked for', async () => {
    await gateway.kill();
    for (const file of [database, `${database}-wal`]) await rm(file, { force: true });
    expectRefusal(await runGateway('--data', gateway.data, '--port', '0'), lost);
    expectRefusal(await runGateway('--data', gateway.data, '--port', '0', '--safe'), lost);
    expectRefusal(await runGateway('plugin', 'list', '--data', gateway.data), lost);
    expect(await readdir(gateway.data)).to.not.include('tagway.sqlite');
    expect(await runGateway('--data', gateway.data, '--reset-password')).to.deep.equal({ code: 0, said: '' });
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
    expectRefusal(await runGateway('--data', gateway.data, '--port', '0'), lost);
    expectRefusal(await runGateway('--data', gateway.data, '--port', '0'), lost);
  });

  it('keeps what is left of it where the database is gone and its log is not', async () => {
    await gateway.kill();
    await rm(database);
    const { size } = await stat(`${database}-wal`);
    expectRefusal(
      await runGateway('--data', gateway.data, '--port', '0'),
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
