import { spawn, spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from './script.ts';
import { Wire } from './wire.ts';

/** Where a driver finds a scripted device. */
export interface Listener extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The serial port, when it is one. */
  readonly path: string;
}

/** Why a transport cannot be had on this machine, or undefined. */
export function missingFor(transport: Transport): string | undefined {
  if (transport !== 'serial') return undefined;
  return spawnSync('socat', ['-V'], { stdio: 'ignore' }).status === 0 ? undefined : 'socat is not installed';
}

const host = '127.0.0.1';

/** Listens on a free port, or makes a serial port, and hands over every connection. */
export async function listen(transport: Transport, connected: (wire: Wire) => void): Promise<Listener> {
  if (transport === 'udp') return listenUdp(connected);
  const tcp = await listenTcp(connected);
  return transport === 'tcp' ? tcp : bridgeSerial(tcp);
}

async function listenTcp(connected: (wire: Wire) => void): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.setNoDelay(true));
    const wire = new Wire({
      send: (bytes) => void socket.write(bytes),
      close: () => void socket.end(),
      reset: () => void socket.resetAndDestroy(),
    });
    socket.on('data', (bytes) => wire.take(bytes));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      wire.closed();
    });
    connected(wire);
  }).listen(0, host);
  await once(server, 'listening');
  return {
    host,
    port: (server.address() as AddressInfo).port,
    path: '',
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function listenUdp(connected: (wire: Wire) => void): Promise<Listener> {
  const socket = createSocket('udp4');
  const wires = new Map<number, Wire>();
  socket.on('message', (bytes, { port }) => {
    let wire = wires.get(port);
    if (wire === undefined) {
      wire = new Wire({
        send: (answer) => socket.send(answer, port, host),
        close: () => void wires.delete(port),
        reset: () => void wires.delete(port),
      });
      wires.set(port, wire);
      connected(wire);
    }
    wire.take(bytes);
  });
  socket.bind(0, host);
  await once(socket, 'listening');
  return {
    host,
    port: socket.address().port,
    path: '',
    async [Symbol.asyncDispose]() {
      const closed = once(socket, 'close');
      socket.close();
      await closed;
    },
  };
}

/** A pseudo terminal whose other end is the TCP port of a scripted device. */
async function bridgeSerial(tcp: Listener): Promise<Listener> {
  const folder = mkdtempSync(join(tmpdir(), 'tagway-serial-'));
  const path = join(folder, 'port');
  const bridge = spawn('socat', [`pty,raw,echo=0,link=${path}`, `tcp:${host}:${tcp.port},nodelay`], {
    stdio: 'ignore',
  });
  const exit = once(bridge, 'exit');
  const dispose = async (): Promise<void> => {
    bridge.kill();
    await exit;
    await tcp[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true, force: true });
  };
  for (let tries = 0; !existsSync(path); tries++) {
    if (tries === 500) {
      await dispose();
      throw new Error('socat did not make a serial port within five seconds.');
    }
    await sleep(10);
  }
  return { ...tcp, path, [Symbol.asyncDispose]: dispose };
}
