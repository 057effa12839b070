import type { Socket } from 'node:net';

/** Bytes that are looked at before it is asked again whether there is room for more requests. */
const slice = 4096;

/**
 * Gives Node's HTTP parser what a connection receives in slices, and nothing while `isFull`: by itself the parser makes requests of
 * all that was received at once, which may be thousands. What is not wanted yet stays in the socket, which then stops reading, and
 * is offered again when Node resumes it, as it does after each reply. To be called when the parser has its listener.
 */
export function feedInSlices(socket: Socket, isFull: () => boolean): void {
  const listeners = socket.listeners('data') as ((bytes: Buffer) => void)[];
  socket.removeAllListeners('data');
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && !socket.destroyed; at += slice) {
      if (isFull()) socket.pause();
      if (socket.isPaused()) {
        socket.unshift(bytes.subarray(at));
        return;
      }
      const part = bytes.length <= slice ? bytes : bytes.subarray(at, at + slice);
      for (const listener of listeners) listener.call(socket, part);
    }
  });
}
