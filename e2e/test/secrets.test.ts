import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import { libraryArchive, unruly } from '../kit/archives.ts';
import { nodeNames } from '../kit/configuration.ts';
import { stateOf } from '../kit/configure.ts';
import { tagway } from '../kit/installed.ts';
import { installLibrary, restartsWith } from '../kit/libraries.ts';
import { useGateway } from '../world/plant.ts';
import { until } from '../kit/until.ts';

const mask = '********';
const password = 'correct-horse-battery';

const uplink = {
  'client-id': 'uplink',
  format: 0,
  host: '127.0.0.1',
  port: 1,
  'cache-mem-size': 0,
  'cache-disk-size': 0,
  username: 'plant',
  password,
};

/** A driver that logs its settings, as no driver should. */
const talkative = libraryArchive('talkative', {
  module: unruly().replace(
    'async start() {',
    'async start() { context.log.error(`Settings: ${JSON.stringify(context.settings)}`, { settings: context.settings });',
  ),
  settings: JSON.stringify({
    type: 'object',
    properties: {
      start: { type: 'integer', title: 'Start', description: 'How it starts.', default: 0 },
      while: { type: 'string', title: 'While', description: 'A path.', default: '' },
      password: { type: 'string', title: 'Password', description: 'A secret.', writeOnly: true },
    },
  }),
});

/** The names of the files below a folder that hold a text. */
function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => readFileSync(file).includes(text));
}

describe('secrets', function () {
  this.timeout(120_000);
  const { gateway, client } = useGateway({}, 'test');

  beforeEach(() => client.ok('POST', '/node', { name: 'uplink', plugin: 'MQTT', params: uplink }));

  const params = async (query = ''): Promise<Record<string, unknown>> =>
    (await client.ok<{ params: Record<string, unknown> }>('GET', `/node/setting?node=uplink${query}`)).params;

  it('are nowhere in the data folder in clear, and survive a restart', async () => {
    expect(filesWith(gateway.data, password)).to.deep.equal([]);
    await gateway.stop();
    expect(filesWith(gateway.data, password)).to.deep.equal([]);
    await gateway.start();
    expect(await params('&secrets=true')).to.deep.equal(uplink);
  });

  it('are masked unless they are asked for, and a mask that is sent back keeps them', async () => {
    expect(await params()).to.deep.equal({ ...uplink, password: mask });
    expect(await params('&secrets=false')).to.deep.equal({ ...uplink, password: mask });
    await client.ok('POST', '/node/setting', { node: 'uplink', params: { ...(await params()), port: 2 } });
    expect(await params('&secrets=true')).to.deep.equal({ ...uplink, port: 2 });
    const other = { name: 'other', plugin: 'MQTT', params: await params() };
    expect(await client.errorOf('POST', '/node', other)).to.equal(ErrorCode.NODE_SETTING_INVALID);
  });

  it('that stand under a misspelt name are secrets, too', async () => {
    const misspelt = { ...uplink, pasword: 'battery-staple-horse' };
    await client.ok('POST', '/node/setting', { node: 'uplink', params: misspelt });
    expect(await params()).to.deep.equal({ ...uplink, password: mask, pasword: mask });
    await gateway.restart();
    expect(filesWith(gateway.data, misspelt.pasword)).to.deep.equal([]);
    expect(await params('&secrets=true')).to.deep.equal({ ...uplink, pasword: misspelt.pasword });
  });

  it('that are typed as the name of a user are neither in the log nor in the audit', async () => {
    expect(await client.errorOf('POST', '/login', { name: 'my-own-secret', pass: '' })).to.not.equal(0);
    await until('the log has the failure', async () =>
      (await gateway.log()).includes('A login as a user that does not exist from 127.0.0.1 failed'),
    );
    expect(await client.errorOf('POST', '/login', { name: 'admin', pass: 'wrong' })).to.not.equal(0);
    await until('the log has that of a user', async () =>
      (await gateway.log()).includes('A login as "admin" from'),
    );
    const { entries } = await client.ok<{ entries: { text: string }[] }>('GET', '/audit');
    expect(entries.map(({ text }) => text)).to.include(
      'tried, with error 1009: logged in as a user that does not exist',
    );
    expect(filesWith(gateway.data, 'my-own-secret')).to.deep.equal([]);
  });

  it('are shown in clear to engineers and admins only', async () => {
    await client.ok('POST', '/users', { name: 'guest', password: 'guest-1234', role: 'viewer' });
    await client.ok('POST', '/users', { name: 'anna', password: 'anna-1234', role: 'engineer' });
    const guest = await gateway.anonymous().login('guest', 'guest-1234');
    const anna = await gateway.anonymous().login('anna', 'anna-1234');
    const paths = ['/node/setting?node=uplink&', '/global/config?', '/global/drivers?'];
    for (const path of paths) {
      const shown = await guest.call('GET', path.slice(0, -1));
      expect(JSON.stringify(shown.body), path).to.not.include(password);
      const refused = await guest.errorOf('GET', `${path}secrets=true`);
      expect(refused, path).to.equal(ErrorCode.USER_NOT_PERMITTED);
      expect((await anna.call('GET', `${path}secrets=true`)).status, path).to.equal(200);
    }
    const config = await anna.ok('GET', '/global/config?secrets=true');
    expect(JSON.stringify(config)).to.include(password);
  });

  it('stay when an export with masks is imported where the node is, and a mask without one is refused', async () => {
    const config = await client.ok<{ settings: { params: object }[] }>('GET', '/global/config');
    expect(config.settings[0]?.params).to.deep.equal({ ...uplink, password: mask });
    await client.ok('PUT', '/global/config', config);
    expect(await params('&secrets=true')).to.deep.equal(uplink);
    await client.ok('DELETE', '/node', { name: 'uplink' });
    const refused = await client.call<{ error: number; message: string }>('PUT', '/global/config', config);
    expect(refused.body.error).to.equal(ErrorCode.NODE_SETTING_INVALID);
    expect(refused.body.message).to.include('The setting "password" of the node "uplink"');
    expect(await nodeNames(client, 2)).to.deep.equal([]);
  });

  it('are shown in clear in the dialect of the family', async () => {
    await gateway.restart(['--compat', 'family']);
    expect(await params()).to.deep.equal(uplink);
    const config = await client.ok<{ settings: { params: object }[] }>('GET', '/global/config');
    expect(config.settings[0]?.params).to.deep.equal(uplink);
  });

  it('are not in the log, whatever a plugin logs, nor in its archive', async () => {
    await installLibrary(client, talkative);
    await client.ok('PUT', '/log/level', { level: 'debug' });
    await client.ok('POST', '/node', { name: 'line', plugin: 'talkative', params: { password } });
    const logs = join(gateway.data, 'logs');
    await until('the driver has logged', () => filesWith(logs, `"password":"${mask}"`).length > 0);
    expect(filesWith(gateway.data, password)).to.deep.equal([]);
    const archive = await fetch(`${gateway.url}/api/v2/logs`, {
      headers: { authorization: `Bearer ${client.token ?? ''}` },
    });
    const content = gunzipSync(Buffer.from(await archive.arrayBuffer()));
    expect(content.includes(mask)).to.equal(true);
    expect(content.includes(password)).to.equal(false);
    await restartsWith(gateway, client, 'line');
    expect(filesWith(gateway.data, password)).to.deep.equal([]);
  });

  it('that an older gateway has stored in clear are encrypted at the next start', async () => {
    await gateway.stop();
    const database = new DatabaseSync(join(gateway.data, 'tagway.sqlite'));
    const [table] = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all();
    const columns = database.prepare(`PRAGMA table_info(${String(table?.['name'])})`).all();
    const [key = '', value = ''] = columns.map((column) => String(column['name']));
    const [row] = database
      .prepare(`SELECT * FROM ${String(table?.['name'])} WHERE ${key} LIKE 'node/%'`)
      .all();
    const record = JSON.parse(String(row?.[value])) as { params: object };
    database
      .prepare(`UPDATE ${String(table?.['name'])} SET ${value} = ? WHERE ${key} = ?`)
      .run(JSON.stringify({ ...record, params: uplink }), String(row?.[key]));
    database.close();
    expect(filesWith(gateway.data, password)).to.not.deep.equal([]);
    await gateway.start();
    expect(await params('&secrets=true')).to.deep.equal(uplink);
    await gateway.stop();
    expect(filesWith(gateway.data, password)).to.deep.equal([]);
  });

  it('whose key is lost keep their node from running, which says so; others run, and a new secret mends it', async () => {
    await client.ok('POST', '/node', {
      name: 'open',
      plugin: 'MQTT',
      params: { ...uplink, 'client-id': 'open', username: '', password: '' },
    });
    await gateway.stop();
    const keyFile = join(gateway.data, 'keys', 'secrets.key');
    const key = readFileSync(keyFile);
    rmSync(keyFile);
    await gateway.start();
    const state = await stateOf(client, 'uplink');
    expect(state.running).to.equal(1);
    expect(state.last_error?.text).to.equal(
      'The node "uplink" does not run: its secrets (password) cannot be opened: they were stored with another key. ' +
        'Start the gateway with that key, or set the secrets anew.',
    );
    expect((await stateOf(client, 'open')).running).to.equal(3);
    expect(await params('&secrets=true')).to.deep.equal({ ...uplink, password: mask });

    // With the key back everything is as it was.
    await gateway.stop();
    writeFileSync(keyFile, key, { mode: 0o600 });
    await gateway.start();
    expect(await params('&secrets=true')).to.deep.equal(uplink);

    await gateway.stop();
    rmSync(keyFile);
    await gateway.start();
    const anew = { ...uplink, password: 'another-one' };
    await client.ok('POST', '/node/setting', { node: 'uplink', params: anew });
    const { running, last_error } = await stateOf(client, 'uplink');
    // What it says now is of its broker, which is not there.
    expect(running).to.equal(3);
    expect(last_error?.text ?? '').not.to.match(/secret|password/i);
  });

  it('go into a backup with their key, or it says which key it needs', async () => {
    const backup = join(gateway.data, '..', `${gateway.data.split('/').at(-1) ?? ''}-backup`);
    const shared = `${backup}.key`;
    const restored = `${backup}-restored`;
    try {
      expect(await tagway(['backup', backup, '--data', gateway.data])).to.include({ code: 0 });
      expect(await tagway(['restore', backup, '--data', restored])).to.include({ code: 0 });
      expect(readFileSync(join(restored, 'keys', 'secrets.key'))).to.deep.equal(
        readFileSync(join(gateway.data, 'keys', 'secrets.key')),
      );
      writeFileSync(shared, randomBytes(32).toString('base64'));
      await gateway.restart(['--secrets-key', shared]);
      await client.ok('POST', '/node/setting', { node: 'uplink', params: uplink });
      const given = ['--data', gateway.data, '--secrets-key', shared];
      const { stdout } = await tagway(['backup', backup, '--force', ...given]);
      expect(stdout).to.include(`Its secrets need the key in ${shared}, which is not in the backup.`);
      await gateway.restart(['--secrets-key', shared]);
      expect(await params('&secrets=true')).to.deep.equal(uplink);
    } finally {
      for (const path of [backup, shared, restored]) rmSync(path, { recursive: true, force: true });
    }
  });
});
