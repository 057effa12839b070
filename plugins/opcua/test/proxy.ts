import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** What becomes of a piece on its way; undefined cuts the connection. */
export type Tamper = (piece: Buffer) => Buffer | undefined;

const pass: Tamper = (piece) => piece;

/** A TCP proxy before a server, that may spoil what it carries. */
export class Proxy implements AsyncDisposable {
  toServer: Tamper = pass;
  toClient: Tamper = pass;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const server = connect(target, '127.0.0.1');
      this.#join(client, server, (piece) => this.toServer(piece));
      this.#join(server, client, (piece) => this.toClient(piece));
    });
  }

  static async start(target: number): Promise<Proxy> {
    const proxy = new Proxy(target);
    await new Promise<void>((resolve) => void proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `opc.tcp://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  #join(from: Socket, to: Socket, tamper: Tamper): void {
    this.#sockets.add(from);
    from.on('data', (piece: Buffer) => {
      const passed = tamper(piece);
      if (passed === undefined) {
        from.destroy();
        to.destroy();
      } else to.write(passed);
    });
    from.on('error', () => undefined);
    from.on('close', () => {
      this.#sockets.delete(from);
      to.destroy();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
