import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import type { Packet } from '@tagway/testkit';

/** A peer on a UDP port of 127.0.0.1, which keeps what it hears and says. */
export abstract class DatagramPeer implements AsyncDisposable {
  port = 0;
  readonly packets: Packet[] = [];
  #socket: Socket | undefined;

  async listen(): Promise<this> {
    const socket = createSocket('udp4', (data, from) => {
      this.packets.push({ fromClient: true, bytes: Buffer.from(data) });
      this.receive(data, from);
    });
    this.#socket = socket;
    socket.on('error', () => undefined);
    socket.bind(this.port, '127.0.0.1');
    await once(socket, 'listening');
    this.port = socket.address().port;
    return this;
  }

  abstract receive(data: Buffer, from: RemoteInfo): void;

  send(bytes: Buffer, { address, port }: Pick<RemoteInfo, 'address' | 'port'>): void {
    this.packets.push({ fromClient: false, bytes });
    this.#socket?.send(bytes, port, address, () => undefined);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const socket = this.#socket;
    this.#socket = undefined;
    if (socket !== undefined) await new Promise<void>((resolve) => socket.close(resolve));
  }
}
