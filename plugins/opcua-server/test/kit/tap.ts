import type { Socket } from 'node:net';
import { Relay } from './relay.ts';

/** A relay before a server that keeps what goes through it. */
export class Tap extends Relay {
  readonly packets: { readonly fromClient: boolean; readonly bytes: Buffer }[] = [];

  static override async open(target: number): Promise<Tap> {
    const tap = new Tap(target);
    await tap.listen();
    return tap;
  }

  /** All bytes that the server has sent. */
  get sent(): Buffer {
    return Buffer.concat(this.packets.filter(({ fromClient }) => !fromClient).map(({ bytes }) => bytes));
  }

  protected override join(near: Socket, far: Socket): void {
    near.on('data', (bytes) => this.packets.push({ fromClient: true, bytes }));
    far.on('data', (bytes) => this.packets.push({ fromClient: false, bytes }));
    super.join(near, far);
  }
}
