/** A packet of a connection over TCP. */
export interface Packet {
  readonly fromClient: boolean;
  readonly bytes: Buffer;
}

/** A capture file of one connection to a port, each packet in a segment of its own, over IPv4 without a link layer. */
export function captureOf(packets: readonly Packet[], port: number): Buffer {
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
    const head = Buffer.alloc(16 + 40);
    head.writeUInt32LE(index, 0);
    head.writeUInt32LE(40 + bytes.length, 8);
    head.writeUInt32LE(40 + bytes.length, 12);
    const ip = head.subarray(16);
    ip[0] = 0x45;
    ip.writeUInt16BE(40 + bytes.length, 2);
    ip.set([64, 6], 8);
    ip.set(fromClient ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1], 12);
    const tcp = ip.subarray(20);
    tcp.writeUInt16BE(fromClient ? 50_000 : port, 0);
    tcp.writeUInt16BE(fromClient ? port : 50_000, 2);
    tcp.writeUInt32BE(sent[own], 4);
    tcp.writeUInt32BE(sent[other], 8);
    tcp.set([0x50, 0x18, 0xff, 0xff], 12);
    sent[own] += bytes.length;
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([file, ...records]);
}
