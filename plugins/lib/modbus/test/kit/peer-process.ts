import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** Modbus servers that others have written, as processes of their own. They print their port when they are ready, and end with their standard input. */

const folder = join(import.meta.dirname, '../../../../../e2e/peers');
const python = '/usr/bin/python3';

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

export const hasLibmodbus = succeeds('pkg-config', '--exists', 'libmodbus') && succeeds('gcc', '--version');
export const hasPymodbus = succeeds(python, '-c', 'import pymodbus.server, serial_asyncio');

export interface Peer {
  /** Not a number on a serial port. */
  readonly port: number;
  stop(): Promise<void>;
}

/** Starts the server on libmodbus, compiled for the occasion: over TCP, or on the serial port at this path. */
export async function startLibmodbus(path?: string): Promise<Peer> {
  const scratch = mkdtempSync(join(tmpdir(), 'tagway-libmodbus-'));
  const program = join(scratch, 'peer');
  const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'libmodbus'], { encoding: 'utf8' });
  execFileSync('gcc', [
    '-O2',
    '-o',
    program,
    join(folder, 'modbus-libmodbus.c'),
    ...flags.trim().split(/\s+/),
  ]);
  const peer = await startPeer(program, path === undefined ? [] : [path]);
  return {
    port: peer.port,
    stop: async () => {
      await peer.stop();
      rmSync(scratch, { recursive: true });
    },
  };
}

/** Starts the server on pymodbus, over TCP or UDP, or with RTU frames over TCP. */
export function startPymodbus(transport: 'tcp' | 'udp' | 'rtutcp'): Promise<Peer> {
  return startPeer(python, [join(folder, 'modbus-pymodbus.py'), '0', transport]);
}

async function startPeer(command: string, args: readonly string[]): Promise<Peer> {
  const child: ChildProcess = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const lines = createInterface({ input: child.stdout! });
  const [line] = (await Promise.race([once(lines, 'line'), exited])) as [unknown];
  if (typeof line !== 'string')
    throw new Error(`${command} ended with code ${String(line)} before it was ready.`);
  return {
    port: Number(line),
    stop: async () => {
      child.stdin?.end();
      await exited;
    },
  };
}
