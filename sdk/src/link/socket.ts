import type { Socket } from 'node:net';
import { maySend, sendRefusal } from '../send-gate.ts';

/** How a TCP connection is tuned. */
export interface SocketTuning {
  /** False lets the kernel gather small pieces before it sends them. Default true: send at once. */
  readonly noDelay?: boolean;
  /** Idle milliseconds after which the kernel checks whether the other side still answers; 0: never. Default 10 s. */
  readonly keepAlive?: number;
}

const keepAliveDelay = 10_000;

export function tuneSocket(
  socket: Socket,
  { noDelay = true, keepAlive = keepAliveDelay }: SocketTuning,
): void {
  socket.setNoDelay(noDelay);
  socket.setKeepAlive(keepAlive > 0, keepAlive);
}

/** Writes to a device. While the send gate is shut the connection is reset instead, so that bytes in the kernel's buffer are not sent either. */
export function writeTo(socket: Socket, bytes: Buffer): void {
  if (maySend()) {
    socket.write(bytes);
    return;
  }
  const error = sendRefusal();
  if ('encrypted' in socket) {
    // Sockets of TLS cannot be reset.
    socket.destroy(error);
    return;
  }
  // A reset has no error of its own.
  process.nextTick(() => socket.emit('error', error));
  socket.resetAndDestroy();
}

/** How long a socket that is closed may take to send what it still has, in milliseconds. */
const lastBytes = 500;

/** Sends what was written, closes, and resolves when the socket is gone. */
export async function endSocket(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  const late = setTimeout(() => socket.destroy(), lastBytes);
  socket.destroySoon();
  await promise;
  clearTimeout(late);
}
