import { createSocket, type Socket as Datagrams } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';

export interface FrameServerOptions {
  /** Bytes of the frame at the beginning of `bytes`, 0 when more is needed. Throws for what is no frame. */
  length(bytes: Buffer): number;
  /** The answer of a sane device. Undefined: none. */
  answer(frame: Buffer): Buffer | undefined;
}

/** What a device does in place of answering as usual: the pieces that it sends, each on its own. `send` sends something later. */
export type Script = (
  frame: Buffer,
  usual: () => Buffer,
  send: (bytes: Buffer) => void,
) => readonly Buffer[] | undefined;

/** A simulated device on a port of 127.0.0.1, over TCP or UDP, that answers frames, or does what its script says. */
export class FrameServer implements AsyncDisposable {
  script: Script | undefined;
  /** What was received, newest last; not filled without end. */
  readonly asked: Buffer[] = [];
  /** What was sent in answer to it. */
  readonly answered: Buffer[] = [];
  connections = 0;
  /** The port that the last datagram came from. */
  peerPort = 0;
  port = 0;
  readonly #options: FrameServerOptions;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #datagrams: Datagrams | undefined;

  constructor(options: FrameServerOptions) {
    this.#options = options;
  }

  async listen(port = 0): Promise<number> {
    const server = createServer((socket) => this.#serve(socket));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    this.#server = server;
    return (this.port = (server.address() as AddressInfo).port);
  }

  async listenUdp(port = 0): Promise<number> {
    const datagrams = createSocket('udp4');
    datagrams.on('error', () => undefined);
    datagrams.on('message', (frame, from) => {
      this.peerPort = from.port;
      this.#take(frame, (bytes) => datagrams.send(bytes, from.port, from.address, () => undefined));
    });
    datagrams.bind(port, '127.0.0.1');
    await once(datagrams, 'listening');
    this.#datagrams = datagrams;
    return (this.port = datagrams.address().port);
  }

  /** Answers nothing from now on. What this returns sends the last answer that was held back. */
  holdBack(): () => void {
    let late: (() => void) | undefined;
    this.script = (_frame, usual, send) => {
      const answer = usual();
      late = () => send(answer);
      return [];
    };
    return () => {
      late?.();
      late = undefined;
    };
  }

  /** Ends all connections, as a device that restarts does. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
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
    let kept: Buffer = Buffer.alloc(0);
    this.connections++;
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.once('close', () => this.#sockets.delete(socket));
    socket.on('data', (data) => {
      kept = kept.length === 0 ? data : Buffer.concat([kept, data]);
      for (;;) {
        const size = kept.length === 0 ? 0 : this.#options.length(kept);
        if (size === 0 || kept.length < size) break;
        const frame = kept.subarray(0, size);
        kept = kept.subarray(size);
        this.#take(frame, (bytes) => {
          if (!socket.destroyed) socket.write(bytes);
        });
      }
    });
  }

  #take(frame: Buffer, send: (bytes: Buffer) => void): void {
    if (this.asked.length < 10_000) this.asked.push(Buffer.from(frame));
    const usual = (): Buffer => this.#options.answer(frame) ?? Buffer.alloc(0);
    const pieces = this.script === undefined ? undefined : this.script(frame, usual, send);
    for (const bytes of pieces ?? [usual()]) {
      if (bytes.length === 0) continue;
      if (this.answered.length < 10_000) this.answered.push(bytes);
      send(bytes);
    }
  }
}
