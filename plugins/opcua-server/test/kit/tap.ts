import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A relay before a server that keeps what goes through it. */
export class Tap implements AsyncDisposable {
  readonly packets: { readonly fromClient: boolean; readonly bytes: Buffer }[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number) {
    this.#server = createServer((near) => this.#serve(near, connect(target, '127.0.0.1')));
  }

  static async open(target: number): Promise<Tap> {
    const tap = new Tap(target);
    tap.#server.listen(0, '127.0.0.1');
    await once(tap.#server, 'listening');
    return tap;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** All bytes that the server has sent. */
  get sent(): Buffer {
    return Buffer.concat(this.packets.filter(({ fromClient }) => !fromClient).map(({ bytes }) => bytes));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('error', () => undefined);
      from.on('close', () => to.destroy());
      from.on('data', (bytes) => {
        this.packets.push({ fromClient: from === near, bytes });
        to.write(bytes);
      });
    }
  }
}
