import type { RemoteInfo } from 'node:dgram';
import { objectBytes, Tag, TagWriter, unsignedBytes } from '../src/encoding.ts';
import { objectOf } from '../src/properties.ts';
import { Bvlc, BvlcResult, envelope, Pdu, unconfirmed, Unconfirmed } from '../src/protocol.ts';
import { DatagramPeer } from './datagram-peer.ts';

/** I-Am of a device. */
export function iAm(instance: number): Buffer {
  const body = new TagWriter()
    .application(Tag.OBJECT, objectBytes(objectOf(8, instance)))
    .application(Tag.UNSIGNED, unsignedBytes(1476))
    .application(Tag.ENUMERATED, unsignedBytes(3))
    .application(Tag.UNSIGNED, unsignedBytes(260));
  return unconfirmed(Unconfirmed.I_AM, body.bytes());
}

/** What the BBMD forwards of device 6, which is in network 7 behind a router at 10.0.0.9. */
function forwarded(): Buffer {
  const npdu = Buffer.concat([Buffer.from('01080007010a', 'hex'), iAm(6)]);
  return Buffer.concat([Buffer.of(0x81, Bvlc.FORWARDED, 0, 10 + npdu.length, 10, 0, 0, 9, 0xba, 0xc0), npdu]);
}

/** A broadcast management device on a port of 127.0.0.1, which is also device 5. It keeps registrations for their time to live and not a moment longer. */
export class Bbmd extends DatagramPeer {
  /** Whether it answers, and whether it takes foreign devices. */
  mood: 'good' | 'silent' | 'refusing' = 'good';
  /** Times to live, in seconds, of the registrations that were taken. */
  readonly registered: number[] = [];
  /** Registrations that came when the one before was over. */
  lapses = 0;
  /** Foreign devices with the time at which they are forgotten, by `host:port`. */
  readonly table = new Map<string, number>();
  readonly deleted: string[] = [];
  readonly #pdu = new Pdu();

  /** Sends a result to every foreign device. */
  sendResult(code: number): void {
    for (const key of this.table.keys()) {
      const [address = '', port] = key.split(':');
      this.send(resultFrame(code), { address, port: Number(port) });
    }
  }

  count(call: number): number {
    return this.packets.filter(({ fromClient, bytes }) => fromClient && bytes[1] === call).length;
  }

  override receive(data: Buffer, from: RemoteInfo): void {
    if (this.mood === 'silent') return;
    const key = `${from.address}:${from.port}`;
    switch (data[1]) {
      case Bvlc.REGISTER_FOREIGN_DEVICE: {
        if (this.mood === 'refusing')
          return this.send(resultFrame(BvlcResult.REGISTER_FOREIGN_DEVICE_NAK), from);
        const ttl = data.readUInt16BE(4);
        if ((this.table.get(key) ?? Infinity) < performance.now()) this.lapses++;
        this.table.set(key, performance.now() + ttl * 1000);
        this.registered.push(ttl);
        return this.send(resultFrame(BvlcResult.SUCCESS), from);
      }
      case Bvlc.DELETE_FOREIGN_DEVICE: {
        const entry = `${data.subarray(4, 8).join('.')}:${data.readUInt16BE(8)}`;
        this.deleted.push(entry);
        const isKnown = this.table.delete(entry);
        return this.send(resultFrame(isKnown ? BvlcResult.SUCCESS : 0x50), from);
      }
      case Bvlc.DISTRIBUTE_BROADCAST:
        if (!this.table.has(key)) return this.send(resultFrame(BvlcResult.DISTRIBUTE_BROADCAST_NAK), from);
        return this.#distribute(data, from);
      default:
    }
  }

  #distribute(data: Buffer, from: RemoteInfo): void {
    // What is distributed is a message to all, as a broadcast is.
    const asked = Buffer.from(data);
    asked[1] = Bvlc.BROADCAST;
    const pdu = this.#pdu;
    if (!pdu.parse(asked, 0, asked.length) || pdu.service !== Unconfirmed.WHO_IS) return;
    this.send(envelope(iAm(5)), from);
    this.send(forwarded(), from);
  }
}

export function resultFrame(code: number): Buffer {
  return Buffer.of(0x81, Bvlc.RESULT, 0, 6, code >> 8, code & 0xff);
}
