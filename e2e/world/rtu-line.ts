import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface RtuLineOptions {
  /** Units that never answer. */
  readonly silent?: readonly number[];
  /** Bits per second of the line that is played; 0: no time at all. Default 0. */
  readonly baud?: number;
  /** How many of the two silences of a request it keeps; the master of a serial port keeps the one after the answer itself. Default 2. */
  readonly gaps?: number;
}

/** Modbus RTU units behind a device server, which hold register n at n and take the time that the bytes need on a line. */
export interface RtuLine {
  readonly port: number;
  readonly connections: number;
  /** How often this unit was asked. */
  asked(unit: number): number;
  stop(): Promise<void>;
}

/** A character has ten bits without parity, and frames lie 3.5 characters apart: MODBUS over Serial Line V1.02, section 2.5.1. */
export function wireTime(baud: number, bytes: number): number {
  return (bytes * 10_000) / baud;
}

/** Least silence between two frames, in milliseconds. */
export function frameGap(baud: number): number {
  return baud > 19_200 ? 1.75 : wireTime(baud, 3.5);
}

export async function startRtuLine({
  silent = [],
  baud = 0,
  gaps = 2,
}: RtuLineOptions = {}): Promise<RtuLine> {
  const asked = new Map<number, number>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    let rest = Buffer.alloc(0);
    socket.on('data', (data) => {
      rest = Buffer.concat([rest, data]);
      // Only reads are asked for, and these have eight bytes.
      for (; rest.length >= 8; rest = rest.subarray(8)) void reply(socket, rest.subarray(0, 8));
    });
  });

  async function reply(socket: Socket, request: Buffer): Promise<void> {
    const unit = request.readUInt8(0);
    asked.set(unit, (asked.get(unit) ?? 0) + 1);
    if (silent.includes(unit)) return;
    const start = request.readUInt16BE(2);
    const count = request.readUInt16BE(4);
    const answer = Buffer.alloc(5 + 2 * count);
    answer.set([unit, request.readUInt8(1), 2 * count]);
    for (let index = 0; index < count; index++) answer.writeUInt16BE(start + index, 3 + 2 * index);
    answer.writeUInt16LE(crc16(answer.subarray(0, -2)), answer.length - 2);
    if (baud > 0) await spend(wireTime(baud, request.length + answer.length) + gaps * frameGap(baud));
    if (socket.writable) socket.write(answer);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    asked: (unit) => asked.get(unit) ?? 0,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Timers are late by up to a millisecond, which counts at 115200 baud: the rest is waited for in small steps. */
async function spend(ms: number): Promise<void> {
  const end = performance.now() + ms;
  if (ms > 3) await sleep(Math.floor(ms) - 2);
  while (performance.now() < end) await new Promise(setImmediate);
}

function crc16(bytes: Uint8Array): number {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return crc;
}
