import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { libraryArchive } from '../archives.ts';
import { addMqtt } from '../configure.ts';
import { freePort } from '../free-port.ts';
import { Gateway } from '../gateway.ts';
import { command } from '../outside.ts';

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
