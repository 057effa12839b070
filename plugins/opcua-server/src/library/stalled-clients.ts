import type { Server, Socket } from 'node:net';
import type { OPCUAServer } from 'node-opcua-server';

/** Bytes of answers that may wait for a client: two of the largest messages. */
const unreadMost = 32 * 1024 * 1024;

const nameOf = (address: string | undefined, port: number | undefined): string => `${address} ${port}`;

/**
 * Ends the connections of clients that ask and do not read the answers: the library keeps these in memory without a bound.
 * `ended` is called with the address of the client.
 */
export function endStalledClients(server: OPCUAServer, ended: (address: string) => void): void {
  const sockets = new Map<string, Socket>();
  for (const endpoint of server.endpoints) {
    const { _server: listener } = endpoint as unknown as { readonly _server: Server };
    listener.on('connection', (socket) => {
      const name = nameOf(socket.remoteAddress, socket.remotePort);
      sockets.set(name, socket);
      socket.once('close', () => sockets.delete(name));
    });
  }
  server.on('response', (_response, channel) => {
    const socket = sockets.get(nameOf(channel.remoteAddress, channel.remotePort));
    if (socket === undefined || socket.destroyed || socket.writableLength <= unreadMost) return;
    ended(channel.remoteAddress);
    socket.destroy();
  });
}
