import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { AddressInfo, Server, Socket } from 'node:net';

/**
 * A port of which the way leads to another one, as long as it is open: so an outage can end for some clients before others. It can also
 * swallow: connections stand and are taken, and nothing comes through.
 */
export class TcpProxy {
  readonly port: number;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #target: number;
  #isSwallowing = false;

  private constructor(server: Server, port: number, target: number) {
    this.#server = server;
    this.port = port;
    this.#target = target;
    server.on('connection', (near) => this.#join(near));
  }

  /** A proxy whose way is open. */
  static async open(target: number): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TcpProxy(server, (server.address() as AddressInfo).port, target);
  }

  /** Breaks all connections; new ones are refused. */
  async shut(): Promise<void> {
    if (this.#server === undefined) return;
    const closed = once(this.#server, 'close');
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    await closed;
    this.#server = undefined;
  }

  /** Opens the same port again, on the way to this target. */
  async reopen(target: number): Promise<void> {
    this.#target = target;
    this.#server = createServer((near) => this.#join(near)).listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** From now on nothing comes through, and nobody is told. */
  swallow(): void {
    this.#isSwallowing = true;
    for (const socket of this.#sockets) socket.unpipe().pause();
  }

  /** Breaks what stood while everything was swallowed; what comes now gets through. */
  release(): void {
    this.#isSwallowing = false;
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(near: Socket): void {
    const far = connect(this.#target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    if (!this.#isSwallowing) near.pipe(far).pipe(near);
  }
}
