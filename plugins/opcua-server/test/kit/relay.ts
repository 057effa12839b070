import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A network between clients and a server, which can be cut, and in which answers can get stuck. */
export class Relay implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #far = new Set<Socket>();
  #isCut = false;

  protected constructor(target: number) {
    this.#server = createServer((near) => {
      if (this.#isCut) return void near.destroy();
      const far = connect(target, '127.0.0.1');
      this.join(near, far);
      far.on('connect', () => this.#far.add(far));
    });
  }

  static async open(target: number): Promise<Relay> {
    const relay = new Relay(target);
    await relay.listen();
    return relay;
  }

  protected async listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Passes on what comes from either side. */
  protected join(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Connections end, and no new ones come about until `mend`. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  /** What the server sends on the present connections is not read any more. */
  stick(): void {
    for (const far of this.#far) {
      far.unpipe();
      far.pause();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.cut();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
