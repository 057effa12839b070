// A BACnet/IP device that answers as fast as this machine can: present values of any object, at most 1476 bytes in an APDU. Argument:
// JSON of `{ port }`. Analog objects hold their instance plus a count of tenths of seconds, so that every value changes ten times a
// second; multi-state objects hold a clock, the low 16 bits of the milliseconds since the epoch. Nothing can be written.
import { createSocket } from 'node:dgram';

const { port = 0 } = JSON.parse(process.argv[2] ?? '{}') as { port?: number };

const device = 77;
const deviceType = 8;
const readProperty = 12;
const readPropertyMultiple = 14;
const presentValue = 85;

/** What is read of the device object: its identifier, its largest APDU, and that it reads one and many. */
const ofDevice: Readonly<Record<number, Buffer>> = {
  75: Buffer.from([0xc4, 0x02, 0, 0, device]),
  62: Buffer.from([0x22, 1476 >> 8, 1476 & 0xff]),
  97: Buffer.from([0x83, 0, 0, 0x0a]),
};

function valueOf(object: number): Buffer {
  const isAnalog = object >>> 22 < 3;
  const value = Buffer.alloc(isAnalog ? 5 : 3, isAnalog ? 0x44 : 0x22);
  if (isAnalog) value.writeFloatBE((object & 0x3f_ffff) + (Math.floor(Date.now() / 100) & 0x7fff), 1);
  else value.writeUInt16BE(Date.now() & 0xffff, 1);
  return value;
}

/** One property: context tag 0 with the object, 1 with a property of one byte. */
function one(body: Buffer): Buffer | undefined {
  const object = body.readUInt32BE(1);
  const property = body.readUInt8(6);
  const isDevice = object >>> 22 === deviceType;
  const value = isDevice ? ofDevice[property] : valueOf(object);
  if (value === undefined) return undefined;
  const head = Buffer.from(body.subarray(0, 7));
  if (isDevice) head.writeUInt32BE(deviceType * 2 ** 22 + device, 1);
  return Buffer.concat([head, Buffer.of(0x3e), value, Buffer.of(0x3f)]);
}

/** Present values, each of an object of its own: 9 bytes a piece. */
function many(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at + 9 <= body.length; at += 9) {
    const object = body.subarray(at, at + 6);
    parts.push(object, Buffer.of(0x29, presentValue, 0x4e), valueOf(body.readUInt32BE(at + 1)));
    parts.push(Buffer.of(0x4f, 0x1f));
  }
  return Buffer.concat(parts);
}

function answer(request: Buffer): Buffer | undefined {
  // Confirmed requests of this network alone: link 4 bytes, network 2, head of the APDU 4.
  if (request.length < 17 || request[5] !== 4 || request.readUInt8(6) >> 4 !== 0) return undefined;
  const [id = 0, service = 0] = request.subarray(8, 10);
  const body = request.subarray(10);
  const content =
    service === readProperty ? one(body) : service === readPropertyMultiple ? many(body) : undefined;
  const unknownProperty = [0x50, id, service, 0x91, 2, 0x91, 32];
  const apdu =
    content === undefined
      ? Buffer.from(unknownProperty)
      : Buffer.concat([Buffer.of(0x30, id, service), content]);
  const size = 6 + apdu.length;
  return Buffer.concat([Buffer.of(0x81, 0x0a, size >> 8, size & 0xff, 1, 0), apdu]);
}

process.on('disconnect', () => process.exit());
const socket = createSocket('udp4', (request, from) => {
  const reply = answer(request);
  if (reply !== undefined) socket.send(reply, from.port, from.address);
});
socket.bind(port, '127.0.0.1', () => process.send?.({ port: socket.address().port }));
