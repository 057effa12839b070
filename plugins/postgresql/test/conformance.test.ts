import { connect, createServer, type Socket } from 'node:net';
import { appConformance } from '@tagway/pluginkit';
import { listenOn } from '@tagway/testkit';
import { hasPostgres, postgres, PostgresServer } from '@tagway/testkit/postgres-server';

/** What the server answers to a statement that adds rows, with their number. */
const added = /INSERT 0 (\d+)\0/g;

let server: PostgresServer | undefined;

/** The server behind a port of its own, at which the rows are counted that it says it has added. */
async function countingServer(): Promise<
  AsyncDisposable & { readonly port: number; readonly taken: number }
> {
  const to = server?.port ?? 0;
  const sockets = new Set<Socket>();
  let taken = 0;
  const listener = createServer((near) => {
    const far = connect(to, '127.0.0.1');
    let rest = '';
    far.on('data', (bytes) => {
      const text = rest + bytes.toString('latin1');
      for (const [, rows] of text.matchAll(added)) taken += Number(rows);
      rest = text.slice(Math.max(text.lastIndexOf('\0') + 1, text.length - 40));
    });
    near.pipe(far).pipe(near);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
  });
  const { port } = await listenOn(listener);
  return {
    port,
    get taken() {
      return taken;
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}

(hasPostgres ? describe : describe.skip)(`the conformance suite: ${postgres}`, () => {
  before(async () => (server = await PostgresServer.start()));
  after(() => server?.[Symbol.asyncDispose]());

  appConformance(new URL('../', import.meta.url), {
    server: {
      peer: countingServer,
      settings: (port) => ({
        host: '127.0.0.1',
        port,
        database: 'plant',
        user: 'postgres',
        'batch-age': 20,
        timeout: 1000,
      }),
    },
    refusedSettings: { table: '{tag}' },
  });
});
