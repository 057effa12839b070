// An S7 PLC that answers as fast as this machine can: a PDU of 960 bytes, eight jobs in parallel. Argument: JSON of `{ port }`. All
// data blocks share one memory: the word at byte 2 n holds n plus a count of tenths of seconds, so that every value changes ten times
// a second. The first word is a clock, the low 16 bits of the milliseconds since the epoch. What is written stays as written.
import { type FrameProtocol, serveDevice, serveFrames } from './frames.ts';

const { port = 0 } = JSON.parse(process.argv[2] ?? '{}') as { port?: number };
const pdu = 960;

const ramp = Buffer.alloc(2 * 65_536 * 2);
for (let word = 0; word < 2 * 65_536; word += 1) ramp.writeUInt16BE(word & 0xffff, word * 2);

/** Bytes that were written, by their number. */
const written = new Map<number, number>();

const confirm = Buffer.from('0300001611d00001000200c0010ac1020100c2020101', 'hex');

/** An acknowledgement with room for parameters and data, answering `request`. */
function reply(request: Buffer, parameters: number, data: number): Buffer {
  const packet = Buffer.alloc(19 + parameters + data);
  packet.set([3, 0, 0, 0, 2, 0xf0, 0x80, 0x32, 3]);
  packet.writeUInt16BE(packet.length, 2);
  request.copy(packet, 11, 11, 13);
  packet.writeUInt16BE(parameters, 13);
  packet.writeUInt16BE(data, 15);
  return packet;
}

function setup(request: Buffer): Buffer {
  const packet = reply(request, 8, 0);
  packet.set(
    [0xf0, 0, 0, Math.min(8, request.readUInt16BE(19)), 0, Math.min(8, request.readUInt16BE(21))],
    19,
  );
  packet.writeUInt16BE(Math.min(pdu, request.readUInt16BE(23)), 25);
  return packet;
}

function read(request: Buffer): Buffer {
  const count = request.readUInt8(18);
  const sizes = Array.from({ length: count }, (_, item) => request.readUInt16BE(19 + 12 * item + 4));
  const data = sizes.reduce((sum, size, item) => sum + 4 + size + (item < count - 1 ? size & 1 : 0), 0);
  const packet = reply(request, 2, data);
  packet.set([4, count], 19);
  const from = (Math.floor(Date.now() / 100) & 0x7fff) * 2;
  let at = 21;
  sizes.forEach((size, item) => {
    const start = request.readUIntBE(19 + 12 * item + 9, 3) >> 3;
    packet.set([0xff, 4], at);
    packet.writeUInt16BE(size * 8, at + 2);
    ramp.copy(packet, at + 4, from + start, from + start + size);
    if (start === 0 && size >= 2) packet.writeUInt16BE(Date.now() & 0xffff, at + 4);
    for (const [byte, value] of written)
      if (byte >= start && byte < start + size) packet[at + 4 + byte - start] = value;
    at += 4 + size + (size & 1);
  });
  return packet;
}

function write(request: Buffer): Buffer {
  const count = request.readUInt8(18);
  const packet = reply(request, 2, count);
  packet.set([5, count], 19);
  let at = 19 + 12 * count;
  for (let item = 0; item < count; item += 1) {
    const bit = request.readUIntBE(19 + 12 * item + 9, 3);
    const isBit = request[at + 1] === 3;
    const size = isBit ? 1 : request.readUInt16BE(at + 2) / 8;
    const start = bit >> 3;
    const before = written.get(start) ?? 0;
    for (let byte = 0; byte < size; byte += 1) written.set(start + byte, request.readUInt8(at + 4 + byte));
    if (isBit)
      written.set(start, request[at + 4] === 1 ? before | (1 << (bit & 7)) : before & ~(1 << (bit & 7)));
    at += 4 + size + (size & 1);
  }
  return packet.fill(0xff, 21);
}

function answer(request: Buffer): Buffer | undefined {
  if (request[5] === 0xe0) return confirm;
  if (request[17] === 0xf0) return setup(request);
  if (request[17] === 4) return read(request);
  return request[17] === 5 ? write(request) : undefined;
}

const protocol: FrameProtocol = {
  head: 4,
  length: (data, at) => (data[at] === 3 && data.readUInt16BE(at + 2) >= 7 ? data.readUInt16BE(at + 2) : 0),
  answer,
};

serveDevice((socket) => serveFrames(socket, protocol), port);
