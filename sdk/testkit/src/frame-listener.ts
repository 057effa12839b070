import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** The peer that a frame came from. */
export interface Sender {
  readonly port: number;
  readonly send: (bytes: Buffer) => void;
  /** Ends its connection; does nothing over UDP. */
  readonly disconnect: () => void;
}

/** A port of 127.0.0.1, over TCP or UDP, that receives whole frames. The simulated device that extends it handles them. */
export abstract class FrameListener implements AsyncDisposable {
  port = 0;
  /** Number of connections so far. */
  connections = 0;
  readonly sockets = new Set<Socket>();
  #server: Server | undefined;
  #datagrams: Datagrams | undefined;

  /** Length of the frame that `bytes` begin with, 0 when more bytes are needed to know it. Throws when it is not a frame. */
  protected abstract length(bytes: Buffer): number;
  protected abstract take(frame: Buffer, from: Sender): void;

  /** Listens on the port, or on a free one, which it returns. */
  async listen(port = 0): Promise<number> {
    const server = createServer((socket) => this.#serve(socket));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return (this.port = (server.address() as AddressInfo).port);
  }

  /** The same over UDP, where a datagram is a frame. */
  async listenUdp(port = 0): Promise<number> {
    const datagrams = createSocket('udp4');
    datagrams.on('error', () => undefined);
    datagrams.on('message', (frame, { port, address }) => {
      const send = (bytes: Buffer): void => datagrams.send(bytes, port, address, () => undefined);
      this.take(frame, { port, send, disconnect: () => undefined });
    });
    datagrams.bind(port, '127.0.0.1');
    await once(datagrams, 'listening');
    this.#datagrams = datagrams;
    return (this.port = datagrams.address().port);
  }

  /** Connects to a gateway that listens. */
  async dial(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    this.#serve(socket);
  }

  /** Sends bytes to all connected clients without a request. */
  push(bytes: Buffer): void {
    for (const socket of this.sockets) socket.write(bytes);
  }

  /** Ends all connections, as a restarting device does. */
  disconnectAll(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops listening; `listen` begins again. */
  async close(): Promise<void> {
    this.disconnectAll();
    const server = this.#server;
    const datagrams = this.#datagrams;
    this.#server = this.#datagrams = undefined;
    if (server !== undefined) await new Promise((resolve) => server.close(resolve));
    if (datagrams !== undefined) await new Promise<void>((resolve) => datagrams.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #serve(socket: Socket): void {
    const from: Sender = {
      port: socket.remotePort ?? 0,
      send: (bytes) => {
        if (socket.writable) socket.write(bytes);
      },
      disconnect: () => void socket.destroy(),
    };
    let kept: Buffer = Buffer.alloc(0);
    this.connections++;
    this.sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(socket));
    socket.on('data', (data) => {
      kept = kept.length === 0 ? data : Buffer.concat([kept, data]);
      for (;;) {
        const size = kept.length === 0 ? 0 : this.length(kept);
        if (size === 0 || kept.length < size) break;
        const frame = kept.subarray(0, size);
        kept = kept.subarray(size);
        this.take(frame, from);
      }
    });
  }
}
