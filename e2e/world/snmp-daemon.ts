import { spawnSync } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Child } from '../kit/child.ts';

/** Debian has daemons where not every path leads. */
const env = { PATH: `${process.env['PATH'] ?? ''}:/usr/sbin`, MIBS: '' };

const has = (command: string): boolean =>
  spawnSync(command, ['-V'], { stdio: 'ignore', env: { ...process.env, ...env } }).error === undefined;

export const hasSnmp = has('snmpd') && has('snmptrap');

/** A UDP port of 127.0.0.1 that nobody has at this moment. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

/** snmpd of net-snmp on a free port, with lines of its configuration. */
export class SnmpDaemon {
  readonly port: number;
  readonly #child: Child;

  private constructor(port: number, child: Child) {
    this.port = port;
    this.#child = child;
  }

  static async start(folder: string, lines: readonly string[]): Promise<SnmpDaemon> {
    const port = await freeUdpPort();
    await mkdir(folder, { recursive: true });
    const file = join(folder, 'agent.conf');
    await writeFile(file, `${lines.join('\n')}\n`);
    const args = ['-f', '-Lo', '-C', '-c', file, '-I', '-smux', `udp:127.0.0.1:${port}`];
    const own = { ...env, SNMP_PERSISTENT_DIR: folder };
    return new SnmpDaemon(port, await Child.start('snmpd', args, { ready: /NET-SNMP version/, env: own }));
  }

  async stop(): Promise<void> {
    await this.#child.stop();
  }
}

/** Runs a command of net-snmp to its end; its exit code. */
export async function snmp(command: string, ...args: string[]): Promise<number | null> {
  const child = await Child.start('sh', ['-c', 'echo begun; exec "$@"', 'sh', command, ...args], {
    ready: /begun/,
    env,
  });
  return (await child.exited).code;
}
