// A Modbus TCP device that answers as fast as this machine can: it costs a few microseconds per request and takes any
// number of requests in flight. Argument: JSON of `FastDeviceOptions`. Units 1 to 247 share one memory: reading register n
// gives n plus a count of tenths of seconds, so that every value changes ten times a second, unless only the first ones are
// to change. Register 0 is a clock, the low 16 bits of the milliseconds since the epoch. Written registers stay as written,
// and every write is reported to the parent with the time of its arrival.
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type FrameProtocol, serveDevice, serveFrames } from '../peers/frames.ts';
import type { FastDeviceOptions, SeenWrite } from './fast-device.ts';

const {
  absent = [],
  changing = 65_536,
  cutEvery = 0,
  delay = 0,
  port = 0,
  silent = [],
  size = 65_536,
  trap = Infinity,
} = JSON.parse(process.argv[2] ?? '{}') as FastDeviceOptions;

/** Register n holds n; a window that starts later in it shows values that have grown. */
const ramp = Buffer.alloc(2 * 65_536 * 2);
for (let register = 0; register < 2 * 65_536; register += 1)
  ramp.writeUInt16BE(register & 0xffff, register * 2);

const written = new Map<number, number>();

function read(address: number, count: number, into: Buffer, at: number): void {
  const tick = Math.floor(Date.now() / 100) & 0x7fff;
  const moving = Math.min(count, Math.max(0, changing - address));
  ramp.copy(into, at, (address + tick) * 2, (address + tick + moving) * 2);
  ramp.copy(into, at + moving * 2, (address + moving) * 2, (address + count) * 2);
  if (address === 0) into.writeUInt16BE(Date.now() & 0xffff, at);
  for (const [register, value] of written) {
    if (register >= address && register < address + count)
      into.writeUInt16BE(value, at + (register - address) * 2);
  }
}

function write(address: number, value: number): void {
  written.set(address, value);
  process.send?.({ address, value, at: Number(process.hrtime.bigint()) / 1e6 } satisfies SeenWrite);
}

/** The reply to one request, or undefined when the unit is silent. */
function answer(request: Buffer): Buffer | undefined {
  const unit = request.readUInt8(6);
  if (silent.includes(unit)) return undefined;
  const functionCode = request.readUInt8(7);
  const address = request.readUInt16BE(8);
  const count = functionCode === 6 ? 1 : request.readUInt16BE(10);
  const reads = functionCode === 3 || functionCode === 4;
  const writes = functionCode === 6 || functionCode === 16;
  const failed = !(reads || writes) ? 1 : address + count > size || count === 0 || count > 125 ? 2 : 0;
  const reply = Buffer.allocUnsafe(failed !== 0 ? 9 : reads ? 9 + count * 2 : 12);
  request.copy(reply, 0, 0, Math.min(12, reply.length));
  reply.writeUInt16BE(reply.length - 6, 4);
  if (failed !== 0) {
    reply.writeUInt8(functionCode | 0x80, 7);
    reply.writeUInt8(failed, 8);
  } else if (reads) {
    reply.writeUInt8(count * 2, 8);
    read(address, count, reply, 9);
  } else if (functionCode === 6) {
    write(address, request.readUInt16BE(10));
  } else {
    for (let index = 0; index < count; index += 1)
      write(address + index, request.readUInt16BE(13 + index * 2));
  }
  return reply;
}

function hangsUp(request: Buffer): boolean {
  const start = request.readUInt16BE(8);
  const count = request.readUInt8(7) === 6 ? 1 : request.readUInt16BE(10);
  return absent.includes(request.readUInt8(6)) || (trap >= start && trap < start + count);
}

const protocol: FrameProtocol = {
  head: 6,
  length(data, at) {
    const size = 6 + data.readUInt16BE(at + 4);
    return size < 12 || size > 260 ? 0 : size;
  },
  answer,
  hangsUp,
};

async function sendLate(socket: Socket, replies: Buffer): Promise<void> {
  await sleep(delay);
  if (socket.writable) socket.write(replies);
}

const sockets = new Set<Socket>();

serveDevice((socket) => {
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  serveFrames(socket, protocol, delay > 0 ? (replies) => void sendLate(socket, replies) : undefined);
}, port);

if (cutEvery > 0)
  setInterval(() => {
    for (const socket of sockets) socket.destroy();
  }, cutEvery);
