import { chmod, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import { addMqtt } from '../kit/configure.ts';
import { freePort } from '../kit/free-port.ts';
import { Gateway } from '../kit/gateway.ts';
import { installLibrary, runs } from '../kit/libraries.ts';
import { command } from '../kit/standalone.ts';

describe('the data folder of a gateway that runs where files are for everybody', function () {
  this.timeout(60_000);
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
    await installLibrary(client, libraryArchive('acme'));
    await client.ok('POST', '/node', { name: 'line', plugin: 'acme', params: {} });
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
    const client = await gateway.client();
    await client.ok('POST', '/snapshots', {});
    await gateway.stop();
    await rm(join(gateway.data, 'backup.tgz'));
    const made = await readdir(gateway.data);
    expect(made).to.include.members(['audit', 'snapshots', 'tagway.sqlite', 'keys', 'logs', 'nodes']);
    for (const name of ['', ...made]) await chmod(join(gateway.data, name), 0o755);
    await gateway.start();
    for (const name of made) expect((await stat(join(gateway.data, name))).mode & 0o077, name).to.equal(0);
    const log = await gateway.log();
    expect(log).to.include(`can read the data folder ${gateway.data} (mode 755)`);
    await runs(await gateway.client(), 'line');
    expect(log).to.match(/had access to these in the data folder .*: audit, keys, .*, tagway\.sqlite\b/);
  });
});
