import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { configurationOf } from '../configuration.ts';
import { Gateway } from '../gateway.ts';

const main = join(import.meta.dirname, '../../host/dist/main.js');

function tagway(...args: string[]): Promise<{ code: number; errors: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, [main, ...args], { timeout: 60_000 }, (error, _, errors) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), errors }),
    );
  });
}

describe('tagway backup and restore', function () {
  this.timeout(60_000);
  let folder: string;
  let gateway: Gateway;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tagway-backup-'));
    gateway = await Gateway.start();
  });
  after(async () => {
    await gateway?.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  it('carry over what a gateway has that runs and changes', async () => {
    const file = join(folder, 'backup.tgz');
    const client = await gateway.client();
    await client.ok('POST', '/node', { name: 'first', plugin: 'Modbus TCP' });
    const backup = tagway('backup', file, '--data', gateway.data);
    let isDone = false;
    void backup.then(() => (isDone = true));
    let changes = 0;
    while (!isDone && changes < 5000)
      await client.ok('POST', '/group', { node: 'first', group: `g${changes++}`, interval: 1000 });
    expect(await backup).to.deep.equal({ code: 0, errors: '' });
    const source = await configurationOf(client);

    const refused = await tagway('restore', file, '--data', gateway.data);
    expect(refused.code).to.equal(1);
    expect(refused.errors).to.include('is in use by another gateway');

    const other = await Gateway.start();
    try {
      await (await other.client()).ok('POST', '/node', { name: 'replaced', plugin: 'Modbus TCP' });
      await other.stop();
      const broken = join(folder, 'broken.tgz');
      await writeFile(broken, 'nothing of the kind');
      expect((await tagway('restore', broken, '--data', other.data)).errors).to.include(
        'nothing was changed',
      );
      expect(await tagway('restore', file, '--data', other.data)).to.deep.equal({ code: 0, errors: '' });
      expect(await readdir(other.data)).to.include('logs');
      await other.start();
      const restored = await configurationOf(await other.client());
      expect(restored.drivers.map(({ name }) => name)).to.deep.equal(['first']);
      const groups = restored.drivers[0]?.groups ?? [];
      expect(groups).to.deep.equal(source.drivers[0]?.groups.slice(0, groups.length));
    } finally {
      await other.dispose();
    }
    expect((await readdir(folder)).sort()).to.deep.equal(['backup.tgz', 'broken.tgz']);
  });
});
