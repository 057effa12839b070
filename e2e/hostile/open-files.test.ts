import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { ErrorCode } from '@tagway/schemas';
import { expect } from 'chai';
import type { Client } from '../kit/client.ts';
import { addUnrulyNode, addLibrary } from '../kit/libraries.ts';
import { readValues } from '../kit/configure.ts';
import { Gateway } from '../kit/gateway.ts';
import { until } from '../kit/until.ts';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
const main = join(import.meta.dirname, 'few-files.ts');

/** A gateway that may open this number of files. */
async function startWith(files: number): Promise<{ gateway: Gateway; client: Client }> {
  process.env['FEW_FILES'] = String(files);
  const gateway = await Gateway.start({
    main,
    prepare: async (data) => {
      for (const id of ['first', 'second']) await addLibrary(data, id);
    },
  });
  return { gateway, client: await gateway.client() };
}

/** Opens connections, 90 from each address, and leaves them idle. */
async function flood(gateway: Gateway, count: number): Promise<Socket[]> {
  const port = Number(new URL(gateway.url).port);
  return Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const localAddress = `127.0.0.${2 + Math.floor(index / 90)}`;
      const socket = connect({ port, host: '127.0.0.1', localAddress });
      socket.on('error', () => undefined);
      await Promise.race([once(socket, 'connect'), once(socket, 'close')]);
      return socket;
    }),
  );
}

describe(`a gateway that may open few files${hasPrlimit ? '' : ' (skipped: no prlimit)'}`, function () {
  this.timeout(60_000);
  const stack = new AsyncDisposableStack();

  before(function () {
    if (!hasPrlimit) this.skip();
  });
  after(() => stack.disposeAsync());

  it('keeps half of them for itself: plugins start and the API answers, however many connections are idle', async () => {
    const { gateway, client } = await startWith(256);
    stack.defer(() => gateway.dispose());
    const sockets = await flood(gateway, 600);
    stack.defer(() => sockets.forEach((socket) => void socket.destroy()));
    await until(
      'those for which there is no room are closed',
      () => sockets.filter((one) => one.closed).length > 400,
    );
    for (const id of ['first', 'second']) {
      await addUnrulyNode(client, id);
      await readValues(client, id, 'group');
    }
    await gateway.restart();
    for (const id of ['first', 'second']) await readValues(await gateway.client(), id, 'group');
  });

  it('that has none left for a plugin says so, and starts it when there are some', async () => {
    const { gateway, client } = await startWith(256);
    stack.defer(() => gateway.dispose());
    const { pid } = gateway;
    // Fewer than it has open now: the next file or process cannot be had.
    spawnSync('prlimit', ['--pid', String(pid), '--nofile=16:256']);
    const refused = await client.errorOf('POST', '/node', { name: 'first', plugin: 'first', params: {} });
    expect(refused).to.equal(ErrorCode.BUSY);
    const sentence = await until(
      'the log says so',
      async () => /The runner of the plugin "first" could not be started: .*/.exec(await gateway.log())?.[0],
    );
    expect(sentence).to.include('as many files and connections open as it may').and.to.include('ulimit -n');
    spawnSync('prlimit', ['--pid', String(pid), '--nofile=256:256']);
    const added = (): Promise<number> =>
      client.errorOf('POST', '/node', { name: 'first', plugin: 'first', params: {} });
    await until('the node is added', async () => (await added()) === 0);
    await client.ok('DELETE', '/node', { name: 'first' });
    await addUnrulyNode(client, 'first');
    await readValues(client, 'first', 'group', 30_000);
    expect(gateway.pid).to.equal(pid);
  });
});
