import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';

/** A controlled station of IEC 60870-5-104 whose one object, the single point 100, is on. */
export async function listenIec104(): Promise<{ readonly settings: object; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    let received = 0;
    socket.on('data', (data) => {
      for (let at = 0; at + 1 < data.length; at += (data[at + 1] ?? 0) + 2) {
        const control = data[at + 2] ?? 0;
        // STARTDT, STOPDT and TESTFR are confirmed by the bit after that of their activation.
        if ((control & 3) === 3) socket.write(Buffer.from([0x68, 4, ((control & 0x54) << 1) | 3, 0, 0, 0]));
        if ((control & 1) !== 0) continue;
        received += 1;
        const unit = (number: number, ...octets: number[]): Buffer =>
          Buffer.from([0x68, 4 + octets.length, number * 2, 0, received * 2, 0, ...octets]);
        socket.write(
          Buffer.concat([
            unit(0, 100, 1, 7, 0, 1, 0, 0, 0, 0, 20),
            unit(1, 1, 1, 20, 0, 1, 0, 100, 0, 0, 1),
            unit(2, 100, 1, 10, 0, 1, 0, 0, 0, 0, 20),
          ]),
        );
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    settings: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
