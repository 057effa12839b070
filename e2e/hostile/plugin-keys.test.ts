import { chmod, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { libraryArchive } from '../kit/archives.ts';
import { addMqtt, connected, readValues } from '../kit/configure.ts';
import { useFolder } from '../kit/folder.ts';
import { addUnrulyNode, installLibrary } from '../kit/libraries.ts';
import { expectRefusal, runGateway } from '../kit/refused-start.ts';
import { until } from '../kit/until.ts';
import { startBroker } from '../world/brokers.ts';
import { UnrulyGateway } from './unruly.ts';

const isRoot = process.getuid?.() === 0;
/** A user that every Linux has, and that owns nothing. */
const nobody = 'nobody';

interface Reached {
  readonly got: readonly string[];
  readonly uid: number;
  readonly groups: readonly number[];
}

describe(`a plugin that wants the gateway's keys${isRoot ? '' : ' (skipped: only root can start processes of another user)'}`, function () {
  this.timeout(60_000);
  const folder = useFolder('plugin-keys', 'suite');
  let unruly: UnrulyGateway;

  before(async function () {
    if (!isRoot) return this.skip();
    // The run's own folder for temporary files, through which that user has to pass.
    await chmod(tmpdir(), (await stat(tmpdir())).mode | 0o011);
    unruly = await UnrulyGateway.start(['thief'], ['--runner-user', nobody, '--log-level', 'info']);
    await unruly.add('thief');
  });
  after(() => unruly?.dispose());

  it('gets nothing of the gateway as another user, and works', async () => {
    const { got, uid, groups } = await reachOut(unruly, 'thief');
    expect(got).to.deep.equal([]);
    expect(uid).to.be.greaterThan(0);
    expect(groups).not.to.include(0);
    await readValues(unruly.client, 'thief', 'group');
    await unruly.goesOn();
  });

  it('has a folder of its own to write into, also for a spool, and is installed, tried, updated and started again', async () => {
    const { client, gateway } = unruly;
    const broker = await startBroker();
    try {
      await addMqtt(client, 'north', broker.port, { 'cache-mem-size': 1, 'cache-disk-size': 2 });
      await connected(client, 'north');
      for (const version of ['1.0.0', '1.0.1'])
        await installLibrary(client, libraryArchive('acme', { version }));
      await addUnrulyNode(client, 'acme');
      await readValues(client, 'acme', 'group');
      const owners = await Promise.all(
        (await readdir(join(gateway.data, 'nodes'))).map((node) => stat(join(gateway.data, 'nodes', node))),
      );
      expect(owners.map(({ uid, mode }) => [uid > 0, mode & 0o077])).to.deep.equal(
        owners.map(() => [true, 0]),
      );
      await client.ok('DELETE', '/node', { name: 'acme' });
      const { length } = await gateway.log();
      await unruly.restartsWith('thief');
      await connected(await gateway.client(), 'north');
      expect((await reachOut(unruly, 'thief')).got).to.deep.equal([]);
      expect((await gateway.log()).slice(length)).not.to.match(/had access to|the data folder/);
    } finally {
      await broker.stop();
    }
  });

  it('is a start that is refused when there is no such user', async () => {
    const data = folder('none');
    const start = (...args: string[]) => runGateway('--data', data, '--port', '0', ...args);
    for (const user of ['nobody-knows-me', 'root'])
      expectRefusal(
        await start('--runner-user', user),
        /which is root or no user of this machine\. Make one with/,
      );
    expectRefusal(await start('--runner-user', nobody, '--inline'), /"runner-user" goes without "inline"/);
  });
});

describe('a plugin of a gateway without another user for it', function () {
  this.timeout(60_000);

  it('can read the keys, which the log says at each start', async () => {
    await using stack = new AsyncDisposableStack();
    const unruly = stack.adopt(await UnrulyGateway.start(['thief']), (it) => it.dispose());
    expect(await unruly.log()).to.match(
      /Plugins that users installed run as the gateway's own user, so they can read its keys: .*"thief".* With --runner-user/,
    );
    await unruly.add('thief');
    expect((await reachOut(unruly, 'thief')).got).to.include.members(['the key of tokens', 'the database']);
  });
});

/** What a copy of the unruly driver came by. */
async function reachOut(of: UnrulyGateway, id: string): Promise<Reached> {
  await of.command(id, 'reach-out');
  const nodes = join(of.gateway.data, 'nodes');
  return until('the plugin has tried everything', async () => {
    for (const node of await readdir(nodes)) {
      const text = await readFile(join(nodes, node, 'reached'), 'utf8').catch(() => '');
      if (text.endsWith('}')) return JSON.parse(text) as Reached;
    }
    return undefined;
  });
}
