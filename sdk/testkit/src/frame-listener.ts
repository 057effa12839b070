import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Whoever a frame came from. */
export interface Sender {
  readonly port: number;
  readonly send: (bytes: Buffer) => void;
  /** Ends its connection; there is none to end over UDP. */
  readonly hangUp: () => void;
}

/** A port of 127.0.0.1, over TCP or UDP, at which whole frames arrive. What becomes of them is told by the device that it belongs to. */
export abstract class FrameListener implements AsyncDisposable {
  port = 0;
  /** Number of connections so far. */
  connections = 0;
  readonly sockets = new Set<Socket>();
  #server: Server | undefined;
  #datagrams: Datagrams | undefined;

  /** Bytes of the frame at the beginning of `bytes`, 0 when more is needed to know. Throws for what is no frame. */
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
      this.take(frame, { port, send, hangUp: () => undefined });
    });
    datagrams.bind(port, '127.0.0.1');
    await once(datagrams, 'listening');
    this.#datagrams = datagrams;
    return (this.port = datagrams.address().port);
  }

  /** Dials in to a gateway that listens. */
  async dial(port: number): Promise<void> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    this.#serve(socket);
  }

  /** Sends all that are connected what nobody has asked for. */
  push(bytes: Buffer): void {
    for (const socket of this.sockets) socket.write(bytes);
  }

  /** Ends all connections, as a device that restarts does. */
  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  /** Stops listening; `listen` begins again. */
  async close(): Promise<void> {
    this.cut();
    const [server, datagrams] = [this.#server, this.#datagrams];
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
      hangUp: () => void socket.destroy(),
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
