import { isIP, isIPv4 } from 'node:net';
import type { TracedFrame } from '../../core/ports/ports.ts';

/** Link types of pcapng that a trace uses, by their numbers in the registry of tcpdump.org. */
export const LinkType = {
  /** A packet of IPv4 or IPv6. */
  RAW: 101,
  /** Anything. */
  USER0: 147,
  /** The name of a dissector of Wireshark, and what it dissects. */
  UPPER_PDU: 252,
} as const;
export type LinkType = (typeof LinkType)[keyof typeof LinkType];

/** A frame as a network analyser takes it. */
export interface Packet {
  readonly linkType: LinkType;
  /** The bytes in front of those of the frame. */
  readonly head: Buffer;
}

/** The ends of a connection whose addresses are not known; both are reserved for examples (RFC 5737, RFC 3849). */
const places = {
  v4: { gateway: '192.0.2.1', device: '192.0.2.2' },
  v6: { gateway: '2001:db8::1', device: '2001:db8::2' },
} as const;

const protocols = { tcp: 6, udp: 17 } as const;

/** The first of the dynamic ports: the gateway's end of a connection gets one by the number of the connection. */
const firstPort = 49_152;

/** Makes packets of the frames of a trace, in their order: the headers of IP, TCP and UDP are made up, all but the address of the device. */
export class Packets {
  /** By connection, the bytes that were sent and received so far. */
  readonly #streams = new Map<number, { sent: number; received: number }>();

  packetOf({ connection, direction, data, size }: TracedFrame): Packet {
    const { id, peer, datagrams, port, dissector } = connection;
    if (dissector !== undefined) return { linkType: LinkType.UPPER_PDU, head: nameOf(dissector, direction) };
    const [, host = '', number] = /^(.*):(\d+)$/.exec(peer) ?? [];
    if (number === undefined) return { linkType: LinkType.USER0, head: Buffer.alloc(0) };
    const ends = endsOf(host.replace(/^\[(.*)\]$/, '$1'));
    const gateway = { address: ends.gateway, port: firstPort + (id % 16_384) };
    const device = { address: ends.device, port: port ?? Number(number) };
    const [from, to] = direction === 'sent' ? ([gateway, device] as const) : ([device, gateway] as const);
    let inner: Buffer;
    if (datagrams) {
      inner = udpHeader(from.port, to.port, data.length);
    } else {
      const stream = this.#streams.get(id) ?? { sent: 1, received: 1 };
      this.#streams.set(id, stream);
      const acknowledged = direction === 'sent' ? 'received' : 'sent';
      inner = tcpHeader(from.port, to.port, stream[direction], stream[acknowledged]);
      stream[direction] = (stream[direction] + size) >>> 0;
    }
    const protocol = datagrams ? protocols.udp : protocols.tcp;
    const outer = isIPv4(ends.device)
      ? ipv4Header(from.address, to.address, protocol, inner.length + data.length)
      : ipv6Header(from.address, to.address, protocol, inner.length + data.length);
    const at = datagrams ? 6 : 16;
    inner.writeUInt16BE(checksum(pseudoHeader(outer, protocol, inner.length + data.length), inner, data), at);
    return { linkType: LinkType.RAW, head: Buffer.concat([outer, inner]) };
  }
}

function endsOf(host: string): { readonly gateway: string; readonly device: string } {
  const family = isIP(host);
  if (family === 6) return { gateway: places.v6.gateway, device: host.replace(/%.*$/, '') };
  return { gateway: places.v4.gateway, device: family === 4 ? host : places.v4.device };
}

function tcpHeader(from: number, to: number, sequence: number, acknowledged: number): Buffer {
  const header = Buffer.alloc(20);
  header.writeUInt16BE(from, 0);
  header.writeUInt16BE(to, 2);
  header.writeUInt32BE(sequence, 4);
  header.writeUInt32BE(acknowledged, 8);
  header[12] = 5 << 4;
  // PSH and ACK.
  header[13] = 0x18;
  header.writeUInt16BE(0xffff, 14);
  return header;
}

function udpHeader(from: number, to: number, size: number): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt16BE(from, 0);
  header.writeUInt16BE(to, 2);
  header.writeUInt16BE(8 + size, 4);
  return header;
}

function ipv4Header(from: string, to: string, protocol: number, size: number): Buffer {
  const header = Buffer.alloc(20);
  header[0] = 0x45;
  header.writeUInt16BE(20 + size, 2);
  // Not to be fragmented.
  header[6] = 0x40;
  header[8] = 64;
  header[9] = protocol;
  header.set(from.split('.').map(Number), 12);
  header.set(to.split('.').map(Number), 16);
  header.writeUInt16BE(checksum(header), 10);
  return header;
}

function ipv6Header(from: string, to: string, protocol: number, size: number): Buffer {
  const header = Buffer.alloc(40);
  header[0] = 0x60;
  header.writeUInt16BE(size, 4);
  header[6] = protocol;
  header[7] = 64;
  header.set(ipv6Bytes(from), 8);
  header.set(ipv6Bytes(to), 24);
  return header;
}

/** The sixteen bytes of an address of IPv6, whose last four may be written as one of IPv4. */
function ipv6Bytes(address: string): Buffer {
  const bytes = Buffer.alloc(16);
  const groupsOf = (text: string): number[] =>
    text === ''
      ? []
      : text.split(':').flatMap((part) => {
          if (!part.includes('.')) return [parseInt(part, 16)];
          const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number);
          return [(a << 8) | b, (c << 8) | d];
        });
  const [front = '', back] = address.split('::');
  const first = groupsOf(front);
  const last = groupsOf(back ?? '');
  first.forEach((group, index) => bytes.writeUInt16BE(group, 2 * index));
  last.forEach((group, index) => bytes.writeUInt16BE(group, 16 - 2 * (last.length - index)));
  return bytes;
}

function pseudoHeader(outer: Buffer, protocol: number, size: number): Buffer {
  const addresses = outer[0] === 0x45 ? outer.subarray(12, 20) : outer.subarray(8, 40);
  const rest = Buffer.from([0, protocol, size >> 8, size & 0xff]);
  return Buffer.concat([addresses, rest]);
}

/** The checksum of IP, TCP and UDP over these pieces, all but the last of which have an even number of bytes (RFC 1071). */
function checksum(...pieces: readonly Uint8Array[]): number {
  let sum = 0;
  for (const piece of pieces)
    for (let at = 0; at < piece.length; at += 2) sum += (piece[at]! << 8) | (piece[at + 1] ?? 0);
  while (sum > 0xffff) sum = (sum & 0xffff) + Math.floor(sum / 0x10000);
  return ~sum & 0xffff;
}

/** Tags of the link type UPPER_PDU, by their numbers in Wireshark's `epan/exported_pdu.h`. */
const Tag = { END: 0, DISSECTOR_NAME: 12, P2P_DIRECTION: 35 } as const;

function nameOf(dissector: string, direction: TracedFrame['direction']): Buffer {
  const way = Buffer.alloc(4);
  way.writeUInt32BE(direction === 'sent' ? 0 : 1);
  return Buffer.concat([
    tagged(Tag.DISSECTOR_NAME, Buffer.from(dissector)),
    tagged(Tag.P2P_DIRECTION, way),
    tagged(Tag.END, Buffer.alloc(0)),
  ]);
}

function tagged(tag: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(4 + Math.ceil(value.length / 4) * 4);
  bytes.writeUInt16BE(tag, 0);
  bytes.writeUInt16BE(bytes.length - 4, 2);
  value.copy(bytes, 4);
  return bytes;
}
