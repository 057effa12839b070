import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cp, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'chai';
import { nodeNames } from '../kit/configuration.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { tagway } from '../kit/installed.ts';

/** Sets the text of the records whose keys are like this. */
const record =
  (key: string, change: (text: string) => string) =>
  (folder: string): void => {
    const database = new DatabaseSync(join(folder, 'tagway.sqlite'));
    const rows = database.prepare('SELECT key, value FROM records WHERE key LIKE ?').all(key);
    expect(rows, `records ${key}`).to.not.deep.equal([]);
    for (const row of rows)
      database
        .prepare('UPDATE records SET value = ? WHERE key = ?')
        .run(change(String(row['value'])), row['key'] ?? '');
    database.close();
  };

const file = (name: string, text: string) => (folder: string) => writeFileSync(join(folder, name), text);

/** What is done to the content of a good backup, and how the refusal goes on. */
const cases: Readonly<Record<string, readonly [spoil: (folder: string) => void, sentence: string]>> = {
  'whose key of tokens is garbage': [
    file('keys/token.pem', 'garbage'),
    'its keys/token.pem holds no private key',
  ],
  'whose key of secrets is garbage': [
    file('keys/secrets.key', 'x'),
    'its keys/secrets.key holds no key of secrets',
  ],
  'whose certificate is garbage': [
    file('tls/cert.pem', 'x'),
    'its tls/cert.pem holds no certificate that fits its key',
  ],
  'with a record that is no JSON': [record('node/%', () => '{"name":'), 'is no JSON'],
  'with a node that is nested very deeply': [
    record('node/%', (text) => text.replace(/}$/, `,"params":{"x":${'['.repeat(3000)}${']'.repeat(3000)}}}`)),
    'nests deeper than 100 levels',
  ],
  'with a user without a hash': [record('user/%', () => '{"salt":"x"}'), 'lacks what a user needs'],
  'without a user': [
    (folder) => {
      const database = new DatabaseSync(join(folder, 'tagway.sqlite'));
      database.exec("DELETE FROM records WHERE key LIKE 'user/%'");
      database.close();
    },
    'there is no user in it',
  ],
};

describe('a backup that no gateway could run with', function () {
  this.timeout(60_000);
  const folder = useFolder('bad-backups');
  const content = (...paths: string[]): string => folder('content', ...paths);
  let target: Gateway;

  before(async () => {
    const source = await Gateway.start();
    try {
      await (await source.client()).ok('POST', '/node', { name: 'of the backup', plugin: 'Modbus TCP' });
      await tagway(['backup', folder('good.tgz'), '--data', source.data]);
    } finally {
      await source.dispose();
    }
    await mkdir(content());
    execFileSync('tar', ['-xzf', folder('good.tgz'), '-C', content()]);
    await mkdir(content('tls'), { recursive: true });
    target = await Gateway.start();
    await (await target.client()).ok('POST', '/node', { name: 'of the target', plugin: 'Modbus TCP' });
    await target.stop();
  });
  after(() => target?.dispose());

  /** The names of all files of the target, and its records. */
  async function everything(): Promise<unknown[]> {
    const database = new DatabaseSync(join(target.data, 'tagway.sqlite'));
    const records = database.prepare('SELECT * FROM records').all();
    database.close();
    return [...(await readdir(target.data, { recursive: true })).sort(), ...records];
  }

  for (const [title, [spoil, sentence]] of Object.entries(cases))
    it(`${title} is refused, and nothing is changed`, async () => {
      const spoilt = folder('spoilt');
      await cp(content(), spoilt, { recursive: true });
      spoil(spoilt);
      const archive = folder('spoilt.tgz');
      execFileSync('tar', ['-czf', archive, '-C', spoilt, ...(await readdir(spoilt))]);
      execFileSync('rm', ['-r', spoilt]);
      const before = await everything();
      const { code, stderr } = await tagway(['restore', archive, '--data', target.data]);
      expect(code).to.equal(1);
      expect(stderr).to.include('cannot be restored, and nothing was changed').and.to.include(sentence);
      expect(await everything()).to.deep.equal(before);
    });

  it('leaves a gateway that starts with what it had; the good backup replaces that', async () => {
    await target.start();
    expect(await nodeNames(await target.client(), 1)).to.deep.equal(['of the target']);
    await target.stop();
    const { code, stderr } = await tagway(['restore', folder('good.tgz'), '--data', target.data]);
    expect([code, stderr]).to.deep.equal([0, '']);
    await target.start();
    expect(await nodeNames(await target.client(), 1)).to.deep.equal(['of the backup']);
  });
});
