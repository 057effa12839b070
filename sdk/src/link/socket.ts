import type { Socket } from 'node:net';

/** How a TCP connection is tuned. */
export interface SocketTuning {
  /** False lets the kernel gather small pieces before it sends them. Default true: send at once. */
  readonly noDelay?: boolean;
  /** Idle milliseconds after which the kernel asks whether the other side still lives; 0: never. Default 10 s. */
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

/** How long a socket that is closed may take to send what it still has, in milliseconds. */
const lastWords = 500;

/** Sends what was written, closes, and resolves when the socket is gone. */
export async function endSocket(socket: Socket): Promise<void> {
  if (socket.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  const late = setTimeout(() => socket.destroy(), lastWords);
  socket.destroySoon();
  await promise;
  clearTimeout(late);
}
