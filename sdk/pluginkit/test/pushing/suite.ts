import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { driverConformance, type Peer } from '../../src/index.ts';
import { DataType } from '@tagway/sdk';

const known = 'level 1.5\nflow 2.5\n';
const values = [3.5, 1.5, 3.5, 4.5, 1.5, 0.5];

interface Device extends Peer {
  readonly sockets: ReadonlySet<Socket>;
}

/** A device that tells whoever connects what it has, and gives signs of life. */
async function startDevice(): Promise<Device> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => socket.write('PONG\n'));
    socket.write(known);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    sockets,
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

driverConformance(new URL('./', import.meta.url), {
  device: { peer: startDevice, settings: (port) => ({ host: '127.0.0.1', port }) },
  points: [
    { address: 'level', type: DataType.FLOAT },
    { address: 'flow', type: DataType.FLOAT },
  ],
  refused: { address: 'missing', type: DataType.FLOAT },
  malformed: { address: 'No Such Address', type: DataType.FLOAT },
  recovery: 5000,
  refusedSettings: { host: 'nowhere' },
  pushes: {
    point: { address: 'level', type: DataType.FLOAT },
    values,
    async report(device) {
      for (const socket of (device as Device).sockets)
        socket.write(values.map((value) => `level ${value}\n`).join(''));
    },
  },
});
