import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** Between a driver and a PLC: it passes everything on, and keeps the packets of both directions in order. */
export class Relay implements AsyncDisposable {
  readonly packets: { readonly fromClient: boolean; readonly bytes: Buffer }[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: number) {
    this.#server = createServer((client) => {
      const device = connect(target, '127.0.0.1');
      this.#pass(client, device, true);
      this.#pass(device, client, false);
    });
  }

  static async open(target: number): Promise<Relay> {
    const relay = new Relay(target);
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve));
    return relay;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(from: Socket, to: Socket, fromClient: boolean): void {
    this.#sockets.add(from);
    let kept = Buffer.alloc(0);
    from.setNoDelay(true);
    from.on('error', () => to.destroy());
    from.on('close', () => to.destroy());
    from.on('data', (data) => {
      to.write(data);
      kept = Buffer.concat([kept, data]);
      while (kept.length >= 4 && kept.length >= kept.readUInt16BE(2)) {
        const size = kept.readUInt16BE(2);
        this.packets.push({ fromClient, bytes: kept.subarray(0, size) });
        kept = kept.subarray(size);
      }
    });
  }
}
