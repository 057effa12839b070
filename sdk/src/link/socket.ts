import type { Socket as DatagramSocket } from 'node:dgram';
import type { Socket } from 'node:net';
import { hasSendGate, maySend, sendRefusal, whenShut } from '../send-gate.ts';

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

/**
 * The connection is broken at once, and the kernel forgets what it has not sent of it yet. `tcp`: the connection under a socket of TLS,
 * which cannot be reset itself.
 */
export function resetSocket(socket: Socket, tcp: Socket, error?: Error): void {
  if (tcp.destroyed) return;
  // A reset has no error of its own.
  if (error !== undefined) process.nextTick(() => socket.emit('error', error));
  if (tcp.pending) tcp.destroy();
  else tcp.resetAndDestroy();
}

/**
 * Has a connection to a device reset as soon as the send gate shuts, and also when it is given up before, as after a timeout: what the
 * kernel has of it would otherwise be sent when the network is back, and another gateway polls. `tcp`: see `resetSocket`.
 */
export function guardSocket(socket: Socket, tcp = socket): void {
  if (!hasSendGate()) return;
  const destroy = tcp.destroy.bind(tcp);
  tcp.destroy = (error) => {
    tcp.destroy = destroy;
    // What was never connected has nothing to send, and a connection cannot be reset in the moment in which it is being shut down.
    if (tcp.pending || (tcp.writableEnded && !tcp.writableFinished)) return tcp.destroy(error);
    resetSocket(tcp, tcp, error);
    return tcp;
  };
  guarded(socket, () => resetSocket(socket, tcp, sendRefusal()));
}

/** See `Context`. */
export function guard(socket: Socket | DatagramSocket): void {
  if ('bind' in socket) guarded(socket, () => socket.close());
  else guardSocket(socket);
}

function guarded(socket: Socket | DatagramSocket, reset: () => void): void {
  const shut = whenShut(reset);
  if (shut !== undefined) socket.once('close', () => shut[Symbol.dispose]());
}

/** Writes to a device. While the send gate is shut the connection is reset instead, so that bytes in the kernel's buffer are not sent either. */
export function writeTo(socket: Socket, bytes: Buffer, tcp = socket): void {
  if (maySend()) socket.write(bytes);
  else resetSocket(socket, tcp, sendRefusal());
}

/** How long a socket that is closed may take to send what it still has, in milliseconds; in a pair, until the device has closed it, too. */
const lastBytes = 500;
const lastBytesInPair = 300;

/**
 * Sends what was written, closes, and resolves when the socket is gone. In a pair that is when the device has closed its side, by which it
 * has got everything, or after a reset: nothing may be on its way when the other gateway takes over.
 */
export async function endSocket(socket: Socket, tcp = socket): Promise<void> {
  if (socket.closed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.once('close', () => resolve());
  const isPaired = hasSendGate();
  const late = setTimeout(() => resetSocket(socket, tcp), isPaired ? lastBytesInPair : lastBytes);
  if (isPaired) socket.resume().end();
  else socket.destroySoon();
  await promise;
  clearTimeout(late);
}
