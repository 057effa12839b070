/** A capture file of datagrams between a client and port 47808 of a device, over IPv4 without a link layer. */
export function pcapOf(packets: readonly { readonly fromClient: boolean; readonly bytes: Buffer }[]): Buffer {
  const rawIp = 101;
  const port = { client: 50_000, device: 47_808 };
  const file = Buffer.alloc(24);
  file.writeUInt32LE(0xa1b2c3d4, 0);
  file.writeUInt16LE(2, 4);
  file.writeUInt16LE(4, 6);
  file.writeUInt32LE(65_535, 16);
  file.writeUInt32LE(rawIp, 20);
  const records = packets.map(({ fromClient, bytes }, index) => {
    const head = Buffer.alloc(16 + 28);
    head.writeUInt32LE(index, 0);
    head.writeUInt32LE(28 + bytes.length, 8);
    head.writeUInt32LE(28 + bytes.length, 12);
    const ip = head.subarray(16);
    ip[0] = 0x45;
    ip.writeUInt16BE(28 + bytes.length, 2);
    ip.set([64, 17], 8);
    ip.set(fromClient ? [10, 0, 0, 1, 10, 0, 0, 2] : [10, 0, 0, 2, 10, 0, 0, 1], 12);
    const udp = ip.subarray(20);
    udp.writeUInt16BE(fromClient ? port.client : port.device, 0);
    udp.writeUInt16BE(fromClient ? port.device : port.client, 2);
    udp.writeUInt16BE(8 + bytes.length, 4);
    return Buffer.concat([head, bytes]);
  });
  return Buffer.concat([file, ...records]);
}
