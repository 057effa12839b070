import type { Socket } from 'node:net';

/** Bytes that are looked at before it is asked again whether there is room for more requests. */
const slice = 4096;

/**
 * Gives Node's HTTP parser what a connection receives in slices, and nothing while `isFull`: by itself the parser makes requests of
 * all that was received at once, which may be thousands. What is not wanted yet stays in the socket, which then stops reading; the
 * function that is returned goes on with it when there is room again. To be called when the parser has its listener.
 */
export function feedInSlices(socket: Socket, isFull: () => boolean): () => void {
  const listeners = socket.listeners('data') as ((bytes: Buffer) => void)[];
  // Not what Node's server itself pauses, which it does until a reply is sent.
  let isHeld = false;
  socket.removeAllListeners('data');
  socket.on('data', (bytes: Buffer) => {
    for (let at = 0; at < bytes.length && !socket.destroyed; at += slice) {
      if (isFull()) {
        isHeld = true;
        socket.pause();
      }
      if (socket.isPaused()) {
        socket.unshift(bytes.subarray(at));
        return;
      }
      const part = bytes.length <= slice ? bytes : bytes.subarray(at, at + slice);
      for (const listener of listeners) listener.call(socket, part);
    }
  });
  return () => {
    if (!isHeld || isFull()) return;
    isHeld = false;
    socket.resume();
  };
}
