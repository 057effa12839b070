import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** A server that listens on a port of 127.0.0.1. Disposing of it ends its connections too. */
export interface ListeningServer extends AsyncDisposable {
  readonly port: number;
  /** The open connections. */
  readonly sockets: ReadonlySet<Socket>;
}

/** Makes a server listen on the port, or on a free one. */
export async function listenOn(server: Server, port = 0): Promise<ListeningServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sockets,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  await using server = await listenOn(createServer());
  return server.port;
}
