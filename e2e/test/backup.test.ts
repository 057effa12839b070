import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { configurationOf } from '../kit/configuration.ts';
import { useFolder } from '../kit/folder.ts';
import { Gateway } from '../kit/gateway.ts';
import { tagway } from '../kit/installed.ts';
import { useGateway } from '../world/plant.ts';
import { until } from '../kit/until.ts';

/** Runs a command to its end; what it says there beside stderr does not matter here. */
async function run(...args: string[]): Promise<{ code: number; stderr: string }> {
  const { code, stderr } = await tagway(args);
  return { code, stderr };
}
const done = { code: 0, stderr: '' };

const canMount = spawnSync('unshare', ['-rm', 'true'], { stdio: 'ignore' }).status === 0;

describe('tagway backup and restore', function () {
  this.timeout(60_000);
  const folder = useFolder('backup');
  const { gateway, client } = useGateway();

  it('carry over what a gateway has that runs and changes', async () => {
    const file = folder('backup.tgz');
    await client.ok('POST', '/node', { name: 'first', plugin: 'Modbus TCP' });
    const backup = run('backup', file, '--data', gateway.data);
    let isDone = false;
    void backup.then(() => (isDone = true));
    let changes = 0;
    while (!isDone && changes < 5000)
      await client.ok('POST', '/group', { node: 'first', group: `g${changes++}`, interval: 1000 });
    expect(await backup).to.deep.equal(done);
    const source = await configurationOf(client);

    const refused = await run('restore', file, '--data', gateway.data);
    expect(refused.code).to.equal(1);
    expect(refused.stderr).to.include('is in use by another gateway');

    const other = await Gateway.start();
    try {
      await (await other.client()).ok('POST', '/node', { name: 'replaced', plugin: 'Modbus TCP' });
      await other.stop();
      const broken = folder('broken.tgz');
      await writeFile(broken, 'nothing of the kind');
      expect((await run('restore', broken, '--data', other.data)).stderr).to.include('nothing was changed');
      expect(await run('restore', file, '--data', other.data)).to.deep.equal(done);
      expect(await readdir(other.data)).to.include('logs');
      await other.start();
      const restored = await configurationOf(await other.client());
      expect(restored.drivers.map(({ name }) => name)).to.deep.equal(['first']);
      const groups = restored.drivers[0]?.groups ?? [];
      expect(groups).to.deep.equal(source.drivers[0]?.groups.slice(0, groups.length));
    } finally {
      await other.dispose();
    }
    expect((await readdir(folder())).sort()).to.deep.equal(['backup.tgz', 'broken.tgz']);
  });

  it('is not put into a file that is there already, unless that is wanted', async () => {
    const file = folder('there.tgz');
    await writeFile(file, 'of last week');
    const { code, stderr } = await run('backup', file, '--data', gateway.data);
    expect(code).to.equal(1);
    expect(stderr).to.match(/^There is .*there\.tgz already, and it is kept\. .*--force\.\n$/);
    expect(await readFile(file, 'utf8')).to.equal('of last week');
    expect(await run('backup', file, '--force', '--data', gateway.data)).to.deep.equal(done);
    expect((await readFile(file)).subarray(0, 2)).to.deep.equal(Buffer.from([0x1f, 0x8b]));
    expect((await run('restore', file, '--force')).stderr).to.include('--force is for tagway backup alone');
    await rm(file);
  });

  it('what a restore replaces is kept as a snapshot, unless another key sealed its secrets', async () => {
    const file = folder('kept.tgz');
    const own = await Gateway.start();
    try {
      const client = await own.client();
      await client.ok('POST', '/node', { name: 'early', plugin: 'Modbus TCP' });
      expect(await run('backup', file, '--data', own.data)).to.deep.equal(done);
      await client.ok('POST', '/node', { name: 'late', plugin: 'Modbus TCP' });
      await own.stop();
      expect(await run('restore', file, '--data', own.data)).to.deep.equal(done);
      await own.start();
      const list = async (): Promise<{ id: string; reason: string }[]> =>
        (await client.ok<{ snapshots: { id: string; reason: string }[] }>('GET', '/snapshots')).snapshots;
      const [snapshot, ...others] = await list();
      expect([snapshot?.reason, others]).to.deep.equal(['restore', []]);
      expect((await stat(join(own.data, 'snapshots', `${snapshot?.id}.sqlite`))).mode & 0o777).to.equal(
        0o600,
      );
      await client.ok('POST', '/snapshots/restore', { id: snapshot?.id ?? '' });
      const { drivers } = await configurationOf(client);
      expect(drivers.map(({ name }) => name)).to.deep.equal(['early', 'late']);
    } finally {
      await own.dispose();
    }
    const foreign = await Gateway.start();
    try {
      await (await foreign.client()).ok('POST', '/node', { name: 'replaced', plugin: 'Modbus TCP' });
      await foreign.stop();
      expect(await run('restore', file, '--data', foreign.data)).to.deep.equal(done);
      expect(existsSync(join(foreign.data, 'snapshots'))).to.equal(false);
    } finally {
      await foreign.dispose();
      await rm(file);
    }
  });

  /** A backup of a gateway with one node, and a marker in its folder of nodes. */
  async function backupOf(name: string): Promise<string> {
    const file = folder(`${name}.tgz`);
    const source = await Gateway.start();
    try {
      await (await source.client()).ok('POST', '/node', { name, plugin: 'Modbus TCP' });
      await mark(source, name);
      expect(await run('backup', file, '--data', source.data)).to.deep.equal(done);
    } finally {
      await source.dispose();
    }
    return file;
  }

  async function mark(on: Gateway, name: string): Promise<void> {
    await mkdir(join(on.data, 'nodes', 'x'), { recursive: true });
    await writeFile(join(on.data, 'nodes', 'x', 'marker'), name);
  }

  /** The node and the marker, which must be of the same content. */
  async function contentOf(on: Gateway): Promise<string> {
    const { drivers } = await configurationOf(await on.client());
    const names = drivers.map(({ name }) => name);
    expect(names).to.deep.equal([await readFile(join(on.data, 'nodes', 'x', 'marker'), 'utf8')]);
    return names.join();
  }

  async function targetWith(name: string): Promise<Gateway> {
    const target = await Gateway.start();
    await (await target.client()).ok('POST', '/node', { name, plugin: 'Modbus TCP' });
    await target.stop();
    await mark(target, name);
    return target;
  }

  (canMount ? it : it.skip)(
    `restore works in a data folder that is a mount point below a folder that nobody may write${
      canMount ? '' : ' (skipped: unshare may not make mounts here)'
    }`,
    async () => {
      const file = await backupOf('mounted');
      const parent = folder('parent');
      const data = join(parent, 'data');
      mkdirSync(data, { recursive: true });
      const there = folder('again.tgz');
      const again = folder('again');
      const command = '"$NODE" "$MAIN"';
      const script = [
        'set -e; mount -t tmpfs none "$PARENT"; mkdir "$DATA"; mount -t tmpfs none "$DATA"; mount -o remount,ro "$PARENT"',
        `${command} restore "$FILE" --data "$DATA"`,
        `${command} restore "$FILE" --data "$DATA"`,
        `${command} backup "$THERE" --data "$DATA"`,
        `if ${command} restore "$FILE" --data "$PARENT/new"; then exit 7; fi`,
      ].join('; ');
      const programs = { NODE: process.execPath, MAIN: Gateway.main };
      const env = { ...programs, PARENT: parent, DATA: data, FILE: file, THERE: there };
      const { status, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script], { env, encoding: 'utf8' });
      expect([status, stderr]).to.deep.equal([0, stderr]);
      expect(stderr)
        .to.match(/read-only/i)
        .and.not.include('    at ');
      mkdirSync(again);
      execFileSync('tar', ['-xzf', there, '-C', again]);
      expect(await readFile(join(again, 'nodes', 'x', 'marker'), 'utf8')).to.equal('mounted');
    },
  );

  it('no gateway starts, and no other restore, while one is going on', async () => {
    const file = await backupOf('slow');
    const target = await targetWith('before');
    const pipe = folder('pipe');
    execFileSync('mkfifo', [pipe]);
    try {
      const restoring = run('restore', pipe, '--data', target.data);
      await until('the restore has begun', async () =>
        (await readdir(target.data)).some((name) => name.startsWith('.restore-')),
      );
      const started = await run('--data', target.data, '--host', '127.0.0.1', '--port', '0');
      expect([started.code, started.stderr]).to.deep.equal([1, started.stderr]);
      expect(started.stderr).to.match(
        /^The database .* is in use by another gateway, or a backup is being restored.*\.\n$/,
      );
      const second = await run('restore', file, '--data', target.data);
      expect([second.code, second.stderr]).to.deep.equal([1, second.stderr]);
      expect(second.stderr).to.include('or a backup is being restored there');
      await writeFile(pipe, await readFile(file));
      expect(await restoring).to.deep.equal(done);
      await target.start();
      expect(await contentOf(target)).to.equal('slow');
    } finally {
      await target.dispose();
    }
  });

  it('a restore that is killed leaves the old content or the new one, whole, and no litter', async () => {
    const file = await backupOf('new');
    const target = await targetWith('old');
    const at = (...path: string[]): string => join(target.data, '.restore', ...path);
    const moments: readonly (() => boolean)[] = [
      () => existsSync(at()),
      () => existsSync(at()) && !existsSync(at('keys')),
      () => existsSync(at()) && !existsSync(at('nodes')),
      () => existsSync(join(target.data, '.restore-done')),
    ];
    const found = new Set<string>();
    try {
      for (const isNow of moments) {
        const child = spawn(process.execPath, [Gateway.main, 'restore', file, '--data', target.data], {
          stdio: 'ignore',
        });
        let isOver = false;
        const exit = once(child, 'exit').then(() => (isOver = true));
        while (!isOver && !isNow()) await new Promise(setImmediate);
        child.kill('SIGKILL');
        await exit;
        await target.start();
        found.add(await contentOf(target));
        expect((await readdir(target.data)).filter((name) => name.startsWith('.restore'))).to.deep.equal([]);
        await target.stop();
      }
      expect([...found].every((name) => name === 'old' || name === 'new')).to.equal(true);
    } finally {
      await target.dispose();
    }
  });

  it('the next start completes a restore that was interrupted between two folders, and says so', async () => {
    const file = await backupOf('complete');
    const target = await targetWith('half');
    try {
      const checked = join(target.data, '.restore');
      await mkdir(checked);
      execFileSync('tar', ['-xzf', file, '-C', checked]);
      await rm(join(target.data, 'keys'), { recursive: true });
      execFileSync('mv', [join(checked, 'keys'), target.data]);
      const backup = await run('backup', folder('half.tgz'), '--data', target.data);
      expect([backup.code, backup.stderr]).to.deep.equal([1, backup.stderr]);
      expect(backup.stderr).to.include('Start the gateway, which completes it');
      await target.start();
      expect(await contentOf(target)).to.equal('complete');
      expect(await target.log()).to.include(
        'A backup was being restored when that was interrupted: it is in place now.',
      );
    } finally {
      await target.dispose();
    }
  });
});
