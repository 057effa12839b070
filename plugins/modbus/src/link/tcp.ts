import type { Socket } from 'node:net';

/** Idle time after which the kernel asks whether the other side still lives, in milliseconds. */
const keepAliveDelay = 10_000;

/** What every TCP connection to a device gets: no waiting for more bytes to send, and probes that find a dead peer. */
export function tuneSocket(socket: Socket): void {
  socket.setNoDelay(true);
  socket.setKeepAlive(true, keepAliveDelay);
}
