// An SNMP agent of the version 2c that answers as fast as this machine can: GET alone. Argument: JSON of `{ port }`. Every object holds a
// Counter32 that grows ten times a second; one whose identifier ends in .0.0 is a clock, the low 16 bits of the milliseconds since the epoch.
// Nothing can be written.
import { createSocket } from 'node:dgram';

const { port = 0 } = JSON.parse(process.argv[2] ?? '{}') as { port?: number };

const get = 0xa0;
const response = 0xa2;
const counter32 = 0x41;

/** Tag, content and end of the value at a place of a message that is sound. */
function valueAt(data: Buffer, at: number): readonly [tag: number, start: number, end: number] {
  const length = data[at + 1] ?? 0;
  const size = length > 0x80 ? length - 0x80 : 0;
  const start = at + 2 + size;
  return [data[at] ?? 0, start, start + (size === 0 ? length : data.readUIntBE(at + 2, size))];
}

function wrapped(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head = length < 0x80 ? [tag, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function answer(request: Buffer): Buffer | undefined {
  const [, inside] = valueAt(request, 0);
  const [, , version] = valueAt(request, inside);
  const [, , community] = valueAt(request, version);
  const [type, pdu] = valueAt(request, community);
  if (type !== get) return undefined;
  const [, , id] = valueAt(request, pdu);
  const [, , status] = valueAt(request, id);
  const [, , index] = valueAt(request, status);
  const [, objects, end] = valueAt(request, index);
  const now = Date.now();
  const answered: Buffer[] = [];
  for (let at = objects; at < end;) {
    const [, start, stop] = valueAt(request, at);
    const [, , nameEnd] = valueAt(request, start);
    const isClock = request.readUInt16BE(nameEnd - 2) === 0;
    const value = Buffer.of(counter32, 5, 0, 0, 0, 0, 0);
    value.writeUInt32BE(isClock ? now & 0xffff : Math.floor(now / 100) % 2 ** 32, 3);
    answered.push(wrapped(0x30, Buffer.concat([request.subarray(start, nameEnd), value])));
    at = stop;
  }
  const body = Buffer.concat([
    request.subarray(pdu, id),
    Buffer.of(2, 1, 0, 2, 1, 0),
    wrapped(0x30, Buffer.concat(answered)),
  ]);
  return wrapped(0x30, Buffer.concat([request.subarray(inside, community), wrapped(response, body)]));
}

process.on('disconnect', () => process.exit());
const socket = createSocket('udp4', (request, from) => {
  const reply = answer(request);
  if (reply !== undefined) socket.send(reply, from.port, from.address);
});
socket.bind(port, '127.0.0.1', () => process.send?.({ port: socket.address().port }));
