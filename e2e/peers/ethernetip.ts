// A Logix controller that is there to be fast: one connection of any size, the list of its tags, reads and writes of them, alone or several
// in a packet. Started as a child process, it sends its port to its parent; argument: JSON of `{ port }`. Element n of `Words` holds n plus a count of tenths of
// seconds, so that every value changes ten times a second. The other tags hold what was written.
import { type FrameProtocol, serveDevice, serveFrames } from './frames.ts';

const { port = 0 } = JSON.parse(process.argv[2] ?? '{}') as { port?: number };

interface Tag {
  readonly name: string;
  readonly instance: number;
  readonly type: number;
  /** Bytes of one element. */
  readonly size: number;
  readonly elements: number;
  readonly bytes: Buffer;
}

const tags: Tag[] = [];
for (const [name, type, size, elements] of [
  ['Words', 0xc7, 2, 30_000],
  ['Level', 0xc3, 2, 1],
  ['Rate', 0xca, 4, 1],
  ['Word', 0xc4, 4, 1],
  ['Pump', 0xc1, 1, 1],
  ['Setpoints', 0xca, 4, 1000],
] as const)
  tags.push({ name, type, size, elements, instance: tags.length + 1, bytes: Buffer.alloc(size * elements) });

const ramp = Buffer.alloc(2 * 0x1_0000 * 2);
for (let word = 0; word < 2 * 0x1_0000; word++) ramp.writeUInt16LE(word & 0xffff, word * 2);

interface Asked {
  readonly tag: Tag | undefined;
  readonly element: number;
  /** Where the data of the request begins. */
  readonly data: number;
}

/** What a path of a name or a number, and perhaps one index, leads to. */
function asked(request: Buffer): Asked {
  const data = 2 + 2 * request[1]!;
  let at = 2;
  let tag: Tag | undefined;
  if (request[at] === 0x91) {
    const size = request[at + 1]!;
    const name = request.toString('latin1', at + 2, at + 2 + size).toLowerCase();
    tag = tags.find((one) => one.name.toLowerCase() === name);
    at += 2 + size + (size & 1);
  } else if (request[at] === 0x20 && request[at + 1] === 0x6b) {
    const isWide = request[at + 2] === 0x25;
    const instance = isWide ? request.readUInt16LE(at + 4) : request[at + 3]!;
    tag = tags.find((one) => one.instance === instance);
    at += isWide ? 6 : 4;
  }
  let element = 0;
  if (at < data) element = request[at] === 0x28 ? request[at + 1]! : request.readUInt16LE(at + 2);
  return { tag, element, data };
}

const refusal = (service: number, status: number): Buffer => Buffer.from([service | 0x80, 0, status, 0]);
const done = (service: number, ...parts: Buffer[]): Buffer => Buffer.concat([refusal(service, 0), ...parts]);

function word(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function carryOut(request: Buffer): Buffer {
  const service = request[0]!;
  if (service === 0x0a) return packet(request.subarray(2 + 2 * request[1]!));
  if (service === 0x03) return done(service, request.subarray(2 + 2 * request[1]!));
  if (service === 0x55) return list(request);
  const { data, element, tag } = asked(request);
  if (tag === undefined) return refusal(service, service === 0x0e ? 0 : 0x04);
  const from = element * tag.size;
  switch (service) {
    case 0x4c: {
      const size = request.readUInt16LE(data) * tag.size;
      if (from + size > tag.bytes.length) return refusal(service, 0x05);
      const count = Math.floor(Date.now() / 100) & 0x7fff;
      const value =
        tag.name === 'Words'
          ? ramp.subarray(2 * count + from, 2 * count + from + size)
          : tag.bytes.subarray(from, from + size);
      return done(service, word(tag.type), value);
    }
    case 0x4d:
      request.copy(tag.bytes, from, data + 4);
      return done(service);
    case 0x4e:
      for (let at = 0; at < tag.size; at++)
        tag.bytes[from + at] =
          (tag.bytes[from + at]! | request[data + 2 + at]!) & request[data + 2 + tag.size + at]!;
      return done(service);
    default:
      return refusal(service, 0x08);
  }
}

function packet(data: Buffer): Buffer {
  const count = data.readUInt16LE(0);
  const replies = Array.from({ length: count }, (_, index) => {
    const end = index + 1 < count ? data.readUInt16LE(4 + 2 * index) : data.length;
    return carryOut(data.subarray(data.readUInt16LE(2 + 2 * index), end));
  });
  const head = Buffer.alloc(2 + 2 * count);
  head.writeUInt16LE(count, 0);
  let at = head.length;
  for (const [index, reply] of replies.entries()) {
    head.writeUInt16LE(at, 2 + 2 * index);
    at += reply.length;
  }
  const failed = replies.some((reply) => reply[2] !== 0);
  return Buffer.concat([refusal(0x0a, failed ? 0x1e : 0), head, ...replies]);
}

/** Number, name, type, software control, dimensions and access of every tag. */
function list(request: Buffer): Buffer {
  const first = request.readUInt16LE(6);
  const entries = tags
    .filter(({ instance }) => instance >= first)
    .map(({ elements, instance, name, type }) => {
      const entry = Buffer.alloc(4 + 2 + name.length + 2 + 4 + 12 + 1);
      entry.writeUInt32LE(instance, 0);
      entry.writeUInt16LE(name.length, 4);
      entry.write(name, 6, 'latin1');
      const at = 6 + name.length;
      entry.writeUInt16LE(type + (elements > 1 ? 0x2000 : 0), at);
      entry.writeUInt32LE(0x0400_0000, at + 2);
      entry.writeUInt32LE(elements > 1 ? elements : 0, at + 6);
      return entry;
    });
  return done(0x55, ...entries);
}

const identity = Buffer.from(
  `01000c00340001000002af127f000001${'00'.repeat(8)}01000e00a600210b60300000c0000c${Buffer.from('1756-L83E/B').toString('hex')}03`,
  'hex',
);

function answer(request: Buffer): Buffer | undefined {
  switch (request.readUInt16LE(0)) {
    case 0x63:
      return framed(request, identity);
    case 0x65: {
      const registered = Buffer.from(request);
      registered.writeUInt32LE(1, 4);
      return registered;
    }
    case 0x6f:
      return framed(request, item(Buffer.alloc(0), manage(request.subarray(40))));
    case 0x70:
      return framed(
        request,
        item(
          Buffer.from([0, 0, 0, 0]),
          Buffer.concat([request.subarray(44, 46), carryOut(request.subarray(46))]),
        ),
      );
    default:
      return undefined;
  }
}

let own = Buffer.alloc(4);

/** Opens a connection, closes it, or passes a message on. */
function manage(message: Buffer): Buffer {
  const data = message.subarray(6);
  if (message[0] === 0x52) return carryOut(data.subarray(4, 4 + data.readUInt16LE(2)));
  if (message[0] === 0x4e) return done(0x4e, data.subarray(2, 10), Buffer.alloc(2));
  own = Buffer.from(data.subarray(6, 10));
  return done(message[0]!, Buffer.from([1, 0, 0, 0]), own, data.subarray(10, 18), Buffer.alloc(10));
}

function item(address: Buffer, message: Buffer): Buffer {
  const isConnected = address.length > 0;
  const head = Buffer.alloc(12 + address.length + 4);
  head.writeUInt16LE(2, 6);
  head.writeUInt16LE(isConnected ? 0xa1 : 0, 8);
  head.writeUInt16LE(address.length, 10);
  if (isConnected) own.copy(head, 12);
  head.writeUInt16LE(isConnected ? 0xb1 : 0xb2, 12 + address.length);
  head.writeUInt16LE(message.length, 14 + address.length);
  return Buffer.concat([head, message]);
}

function framed(request: Buffer, data: Buffer): Buffer {
  const frame = Buffer.concat([request.subarray(0, 24), data]);
  frame.writeUInt16LE(data.length, 2);
  frame.writeUInt32LE(0, 8);
  return frame;
}

const protocol: FrameProtocol = {
  head: 24,
  length: (data, at) => 24 + data.readUInt16LE(at + 2),
  answer,
  hangsUp: (frame) => frame.readUInt16LE(0) === 0x66,
};
serveDevice((socket) => serveFrames(socket, protocol), port);
