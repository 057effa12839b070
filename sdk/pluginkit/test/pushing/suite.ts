import { createServer } from 'node:net';
import { driverConformance } from '../../src/index.ts';
import { DataType } from '@tagway/sdk';
import { listenOn, type ListeningServer } from '@tagway/testkit';

const known = 'level 1.5\nflow 2.5\n';
const values = [3.5, 1.5, 3.5, 4.5, 1.5, 0.5];

/** A device that sends its values to every client that connects, and regular signs of life. */
const startDevice = (): Promise<ListeningServer> =>
  listenOn(
    createServer((socket) => {
      socket.on('data', () => socket.write('PONG\n'));
      socket.write(known);
    }),
  );

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
      for (const socket of (device as ListeningServer).sockets)
        socket.write(values.map((value) => `level ${value}\n`).join(''));
    },
  },
});
