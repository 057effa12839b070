// A TwinCAT controller that is there to be fast: one memory behind every index group, READ_STATE, READ and sum reads. Started as a child
// process, it sends its port to its parent. The word at byte 2 n holds n plus a count of tenths of seconds, so that every value changes ten
// times a second. The first word is a clock, the low 16 bits of the milliseconds since the epoch.
import { type FrameProtocol, serveDevice, serveFrames } from './frames.ts';

const Command = { READ: 2, READ_STATE: 4, READ_WRITE: 9 } as const;
const sumRead = 0xf080;
const headerSize = 38;

const ramp = Buffer.alloc(2 * 65_536 * 2);
for (let word = 0; word < 2 * 65_536; word++) ramp.writeUInt16LE(word & 0xffff, word * 2);

/** Copies what lies at `offset` now; `data` has room for it at `at`. */
function copyTo(data: Buffer, at: number, offset: number, size: number): void {
  const from = (Math.floor(Date.now() / 100) & 0x7fff) * 2 + offset;
  ramp.copy(data, at, from, from + size);
  if (offset === 0 && size >= 2) data.writeUInt16LE(Date.now() & 0xffff, at);
}

function answerOf(request: Buffer): Buffer {
  const at = headerSize;
  switch (request.readUInt16LE(22)) {
    case Command.READ_STATE:
      return framed(request, Buffer.from([0, 0, 0, 0, 5, 0, 0, 0]));
    case Command.READ: {
      const data = Buffer.alloc(8 + request.readUInt32LE(at + 8));
      data.writeUInt32LE(data.length - 8, 4);
      copyTo(data, 8, request.readUInt32LE(at + 4), data.length - 8);
      return framed(request, data);
    }
    case Command.READ_WRITE:
      return framed(request, request.readUInt32LE(at) === sumRead ? sumOf(request) : unknown);
    default:
      return framed(request, unknown);
  }
}

const unknown = Buffer.from([0x01, 0x07, 0, 0, 0, 0, 0, 0]);

function sumOf(request: Buffer): Buffer {
  const count = request.readUInt32LE(headerSize + 4);
  const length = request.readUInt32LE(headerSize + 8);
  const data = Buffer.alloc(8 + length);
  data.writeUInt32LE(length, 4);
  let slot = 8 + 4 * count;
  for (let index = 0; index < count; index++) {
    const place = headerSize + 16 + 12 * index;
    const size = request.readUInt32LE(place + 8);
    copyTo(data, slot, request.readUInt32LE(place + 4), size);
    slot += size;
  }
  return data;
}

function framed(request: Buffer, data: Buffer): Buffer {
  const frame = Buffer.alloc(headerSize + data.length);
  frame.writeUInt32LE(frame.length - 6, 2);
  request.copy(frame, 6, 14, 22);
  request.copy(frame, 14, 6, 14);
  request.copy(frame, 22, 22, 24);
  frame.writeUInt16LE(5, 24);
  frame.writeUInt32LE(data.length, 26);
  request.copy(frame, 34, 34, 38);
  data.copy(frame, headerSize);
  return frame;
}

const protocol: FrameProtocol = {
  head: headerSize,
  length: (data, at) => 6 + data.readUInt32LE(at + 2),
  answer: answerOf,
};

serveDevice((socket) => serveFrames(socket, protocol));
