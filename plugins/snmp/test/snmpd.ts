import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@tagway/testkit';

/** Where Debian has the daemons, which is not on every path. */
const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin`;

function has(command: string, ...args: string[]): boolean {
  return (
    spawnSync(command, args, { stdio: 'ignore', env: { ...process.env, PATH: path } }).error === undefined
  );
}

export const hasSnmpd = has('snmpd', '-v') && has('snmpget', '-V');
export const hasSnmpsim = has('snmpsimd', '--version');

/** A UDP port of 127.0.0.1 that nobody has at this moment. */
export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(resolve));
  return port;
}

/** A daemon of others on a free port, with a folder of its own. */
class Daemon implements AsyncDisposable {
  readonly port: number;
  readonly folder: string;
  #child: ChildProcess | undefined;
  #said = '';

  constructor(port: number) {
    this.port = port;
    this.folder = mkdtempSync(join(tmpdir(), 'snmp-peer-'));
  }

  protected run(command: string, args: readonly string[]): void {
    const env = { ...process.env, PATH: path, SNMP_PERSISTENT_DIR: this.folder, MIBS: '', HOME: this.folder };
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'], cwd: this.folder });
    this.#child = child;
    child.stdout.on('data', (data: Buffer) => (this.#said += data.toString()));
    child.stderr.on('data', (data: Buffer) => (this.#said += data.toString()));
  }

  /** Waits until it answers. */
  protected async ready(): Promise<void> {
    await until('the daemon answers', () => {
      if (this.#child?.exitCode !== null) throw new Error(`It has ended: ${this.#said}`);
      return (
        snmp('snmpget', '-v2c', '-cpublic', '-t0.2', '-r0', `127.0.0.1:${this.port}`, '1.3.6.1.2.1.1.3.0')
          .status === 0
      );
    });
  }

  /** One that does not answer is stopped. */
  protected async started(): Promise<this> {
    try {
      await this.ready();
      return this;
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw error;
    }
  }

  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null) return;
    const over = once(child, 'exit');
    child.kill('SIGTERM');
    await over;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.end();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Runs a command of net-snmp without MIBs. */
export function snmp(command: string, ...args: string[]): { status: number | null; out: string } {
  const env = { ...process.env, PATH: path, MIBS: '' };
  const { status, stdout, stderr } = spawnSync(command, args, { env, encoding: 'utf8', timeout: 20_000 });
  return { status, out: `${stdout}${stderr}` };
}

/** The same without waiting for it, for one that waits for an answer of this process. */
export async function snmpLater(
  command: string,
  ...args: string[]
): Promise<{ status: number | null; out: string }> {
  const child = spawn(command, args, {
    env: { ...process.env, PATH: path, MIBS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let out = '';
  child.stdout.on('data', (data: Buffer) => (out += data.toString()));
  child.stderr.on('data', (data: Buffer) => (out += data.toString()));
  await once(child, 'close');
  return { status: child.exitCode, out };
}

/** The users of the daemon: name, settings of the driver, and how snmpd names the protocols. */
export const users = [
  { user: 'nobody', auth_protocol: 0, priv_protocol: 0, line: '' },
  { user: 'md5', auth_protocol: 1, priv_protocol: 0, line: 'MD5' },
  { user: 'md5des', auth_protocol: 1, priv_protocol: 1, line: 'MD5 DES' },
  { user: 'shaaes', auth_protocol: 2, priv_protocol: 2, line: 'SHA AES' },
  { user: 'sha224', auth_protocol: 3, priv_protocol: 2, line: 'SHA-224 AES' },
  { user: 'sha256', auth_protocol: 4, priv_protocol: 2, line: 'SHA-256 AES' },
  { user: 'sha384', auth_protocol: 5, priv_protocol: 1, line: 'SHA-384 DES' },
  { user: 'sha512', auth_protocol: 6, priv_protocol: 2, line: 'SHA-512 AES' },
] as const;

export const authPassword = 'a password to sign';
export const privPassword = 'a password to hide';

/** Debian's snmpd. */
export class Snmpd extends Daemon {
  static async start(lines: readonly string[] = []): Promise<Snmpd> {
    const daemon = new Snmpd(await freeUdpPort());
    const created = users.flatMap(({ user, line }) => {
      const [auth, priv] = line.split(' ');
      const signed = auth === '' || auth === undefined ? '' : ` ${auth} "${authPassword}"`;
      const hidden = priv === undefined ? '' : ` ${priv} "${privPassword}"`;
      const level = signed === '' ? 'noauth' : hidden === '' ? 'auth' : 'priv';
      return [`createUser ${user}${signed}${hidden}`, `rwuser ${user} ${level}`];
    });
    const config = [
      'rocommunity public 127.0.0.1',
      'rwcommunity private 127.0.0.1',
      'sysServices 72',
      ...created,
      ...lines,
    ];
    writeFileSync(join(daemon.folder, 'agent.conf'), `${config.join('\n')}\n`);
    daemon.again();
    return daemon.started();
  }

  /** Starts it, for the first time or again. */
  again(): void {
    const config = join(this.folder, 'agent.conf');
    this.run('snmpd', ['-f', '-Lo', '-C', '-c', config, '-I', '-smux', `udp:127.0.0.1:${this.port}`]);
  }

  async restart(): Promise<void> {
    await this.end();
    this.again();
    await this.ready();
  }
}

/** Debian's snmpsim, which answers from files. The community is the name of a file. */
export class Snmpsim extends Daemon {
  static async start(files: Readonly<Record<string, string>>): Promise<Snmpsim> {
    const daemon = new Snmpsim(await freeUdpPort());
    for (const [name, content] of Object.entries(files))
      writeFileSync(join(daemon.folder, `${name}.snmprec`), content);
    const args = [
      `--data-dir=${daemon.folder}`,
      `--cache-dir=${daemon.folder}`,
      `--agent-udpv4-endpoint=127.0.0.1:${daemon.port}`,
    ];
    daemon.run(
      'snmpsimd',
      process.getuid?.() === 0 ? [...args, '--process-user=root', '--process-group=root'] : args,
    );
    return daemon.started();
  }
}
