/** A packet between a client and its device. */
export interface Packet {
  readonly fromClient: boolean;
  readonly bytes: Buffer;
}

export type Transport = 'tcp' | 'udp';

/** A capture file of packets to a port and from it, each in a segment or datagram of its own, over IPv4 without a link layer. */
export function captureOf(packets: readonly Packet[], port: number, transport: Transport): Buffer {
  const rawIp = 101;
  const file = Buffer.alloc(24);
  file.writeUInt32LE(0xa1b2c3d4, 0);
  file.writeUInt16LE(2, 4);
  file.writeUInt16LE(4, 6);
  file.writeUInt32LE(65_535, 16);
  file.writeUInt32LE(rawIp, 20);
  const sent = { client: 1, device: 1 };
  const records = packets.map(({ fromClient, bytes }, index) => {
    const [own, other] = fromClient ? (['client', 'device'] as const) : (['device', 'client'] as const);
    const below = transport === 'tcp' ? tcpHead(sent[own], sent[other]) : udpHead(bytes.length);
    below.writeUInt16BE(fromClient ? 50_000 : port, 0);
    below.writeUInt16BE(fromClient ? port : 50_000, 2);
    sent[own] += bytes.length;
    const size = 20 + below.length + bytes.length;
    const head = Buffer.alloc(16 + 20);
    head.writeUInt32LE(index, 0);
    head.writeUInt32LE(size, 8);
    head.writeUInt32LE(size, 12);
    const ip = head.subarray(16);
    ip[0] = 0x45;
    ip.writeUInt16BE(size, 2);
    ip.set([64, transport === 'tcp' ? 6 : 17], 8);
    ip.set(fromClient ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1], 12);
    return Buffer.concat([head, below, bytes]);
  });
  return Buffer.concat([file, ...records]);
}

function tcpHead(sent: number, received: number): Buffer {
  const head = Buffer.alloc(20);
  head.writeUInt32BE(sent, 4);
  head.writeUInt32BE(received, 8);
  head.set([0x50, 0x18, 0xff, 0xff], 12);
  return head;
}

function udpHead(length: number): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt16BE(8 + length, 4);
  return head;
}
