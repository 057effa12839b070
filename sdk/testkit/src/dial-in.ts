import { once } from 'node:events';
import { connect } from 'node:net';

/** Makes a device that listens on one port dial in to a gateway that listens on another. */
export async function dialIn(gateway: number, device: number): Promise<AsyncDisposable> {
  const near = connect(gateway, '127.0.0.1');
  const far = connect(device, '127.0.0.1');
  for (const socket of [near, far]) {
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
  }
  await Promise.all([once(near, 'connect'), once(far, 'connect')]);
  near.pipe(far).pipe(near);
  return {
    async [Symbol.asyncDispose]() {
      const closed = [near, far].filter(({ closed }) => !closed).map((socket) => once(socket, 'close'));
      near.destroy();
      far.destroy();
      await Promise.all(closed);
    },
  };
}
