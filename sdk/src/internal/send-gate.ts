/**
 * The send gate of a runner of drivers in a pair of gateways. The agent of the gateway, which holds the pair's lease, writes until when
 * devices may be sent anything into a file of 8 bytes: nanoseconds of `process.hrtime.bigint()`, which processes of a machine share,
 * little-endian. It is read before every send, so that a process that was stopped, or whose event loop stood still, sends nothing
 * late. Past the deadline a send is refused and the connection broken.
 */
import { Socket as UdpSocket } from 'node:dgram';
import { openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { isSendRefused, sendRefusal, setSendGate } from './send-refusal.ts';

/** Past the time in the file nothing leaves this process through TCP, TLS, UDP and other sockets, but through those of `exempt`. */
export function closeSendGate(file: string, exempt: Iterable<Socket>): void {
  const descriptor = openSync(file, 'r');
  const bytes = Buffer.alloc(8);
  setSendGate(() => {
    // A file that is cut short counts as a deadline that is over.
    const size = readSync(descriptor, bytes, 0, 8, 0);
    return size < 8 || process.hrtime.bigint() >= bytes.readBigInt64LE(0);
  });
  gateSockets(new WeakSet(exempt));
  gateDatagrams();
}

type Write = (this: Socket, ...args: [...unknown[], done: (error?: Error | null) => void]) => void;

/** What Node does not say of its sockets in types: these are what its own HTTP client uses. */
interface Writes {
  _write: Write;
  _writev: Write;
  readonly secureConnecting?: boolean;
}

/**
 * TLS sockets inherit from those of TCP, and encrypt what passes here. What is written to a socket that is yet to connect waits until it
 * has, and is checked then.
 */
function gateSockets(exempt: WeakSet<Socket>): void {
  const prototype = Socket.prototype as unknown as Writes;
  for (const name of ['_write', '_writev'] as const) {
    const write = prototype[name];
    const gated: Write = function (...args) {
      if (exempt.has(this)) return write.apply(this, args);
      const done = args.at(-1) as (error?: Error | null) => void;
      const isSecuring = (this as unknown as Writes).secureConnecting === true;
      if (this.connecting || isSecuring) {
        whenConnected(this, isSecuring ? 'secureConnect' : 'connect', (error) =>
          error === undefined ? gated.apply(this, args) : done(error),
        );
      } else if (isSendRefused()) {
        // Bytes that the kernel still holds must not leave either. Sockets of TLS and pipes cannot be reset.
        if (this.remoteAddress !== undefined && !('encrypted' in this)) this.resetAndDestroy();
        done(sendRefusal());
      } else write.apply(this, args);
    };
    prototype[name] = gated;
  }
  const { connect } = Socket.prototype as unknown as {
    connect: (this: Socket, ...args: unknown[]) => Socket;
  };
  Socket.prototype.connect = function (this: Socket, ...args: unknown[]): Socket {
    if (exempt.has(this) || !isSendRefused()) return connect.apply(this, args);
    return this.destroy(sendRefusal());
  };
}

function whenConnected(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  then: (error?: Error) => void,
): void {
  const connected = (): void => {
    socket.off('close', closed);
    then();
  };
  const closed = (): void => {
    socket.off(event, connected);
    then(new Error('The socket was closed before it was connected.'));
  };
  socket.once(event, connected);
  socket.once('close', closed);
}

function gateDatagrams(): void {
  const { send } = UdpSocket.prototype as unknown as {
    send: (this: UdpSocket, ...args: unknown[]) => void;
  };
  UdpSocket.prototype.send = function (this: UdpSocket, ...args: unknown[]): void {
    if (!isSendRefused()) return send.apply(this, args);
    const done = args.at(-1);
    process.nextTick(() => {
      if (typeof done === 'function') (done as (error: Error) => void)(sendRefusal());
      else this.emit('error', sendRefusal());
      try {
        this.close();
      } catch {
        // It is closed already.
      }
    });
  };
}
