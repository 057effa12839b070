import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import modbus from 'modbus-serial';
import { Child } from '../kit/child.ts';

// The package's types put its class under `default`; at run time it is there as well.
const ModbusClient = modbus.default;

export type DeviceKind = 'libmodbus' | 'pymodbus' | 'modbus-serial';

const peers = join(import.meta.dirname, '../peers');
const python = '/usr/bin/python3';

function succeeds(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}

/** The kinds of Modbus servers that this machine can run, the most independent of our own code first. */
export const deviceKinds: readonly DeviceKind[] = [
  ...(succeeds('pkg-config', '--exists', 'libmodbus') && succeeds('gcc', '--version')
    ? (['libmodbus'] as const)
    : []),
  ...(succeeds(python, '-c', 'import pymodbus.server') ? (['pymodbus'] as const) : []),
  'modbus-serial',
];

let built: string | undefined;

function buildLibmodbus(): string {
  if (built !== undefined && existsSync(built)) return built;
  const folder = mkdtempSync(join(tmpdir(), 'tagway-peer-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const flags = execFileSync('pkg-config', ['--cflags', '--libs', 'libmodbus'], { encoding: 'utf8' })
    .trim()
    .split(/\s+/);
  built = join(folder, 'modbus-libmodbus');
  execFileSync('gcc', ['-O2', '-o', built, join(peers, 'modbus-libmodbus.c'), ...flags]);
  return built;
}

function commandOf(kind: DeviceKind): [command: string, ...args: string[]] {
  if (kind === 'libmodbus') return [buildLibmodbus()];
  if (kind === 'pymodbus') return [python, join(peers, 'modbus-pymodbus.py')];
  return [process.execPath, join(peers, 'modbus-serial.ts')];
}

/** Starts the server on libmodbus at a serial port, as unit 1 at 115200 8N1. */
export function startSerialDevice(path: string): Promise<Child> {
  return Child.start(buildLibmodbus(), [path], { ready: /^\// });
}

/**
 * A Modbus TCP server in a process of its own, and a second client of it, through which tests set and see registers
 * without the gateway. Addresses are those of the wire, from 0.
 */
export class Device {
  readonly kind: DeviceKind;
  readonly port: number;
  readonly #child: Child;
  readonly #client: InstanceType<typeof ModbusClient>;

  private constructor(
    kind: DeviceKind,
    port: number,
    child: Child,
    client: InstanceType<typeof ModbusClient>,
  ) {
    this.kind = kind;
    this.port = port;
    this.#child = child;
    this.#client = client;
  }

  /** Starts a server of the given kind, by default the most independent one, on the given port or a free one. */
  static async start(options: { readonly kind?: DeviceKind; readonly port?: number } = {}): Promise<Device> {
    const kind = options.kind ?? deviceKinds[0] ?? 'modbus-serial';
    const [command, ...args] = commandOf(kind);
    const child = await Child.start(command, [...args, String(options.port ?? 0)], {
      ready: /^(\d+)$/,
    });
    const port = Number(child.match?.[1]);
    const client = new ModbusClient();
    await client.connectTCP('127.0.0.1', { port });
    client.setID(1);
    client.setTimeout(3_000);
    return new Device(kind, port, child, client);
  }

  async registers(address: number, count: number): Promise<number[]> {
    return (await this.#client.readHoldingRegisters(address, count)).data;
  }

  async setRegisters(address: number, words: readonly number[]): Promise<void> {
    await this.#client.writeRegisters(address, [...words]);
  }

  async coil(address: number): Promise<boolean | undefined> {
    return (await this.#client.readCoils(address, 1)).data[0];
  }

  async setCoil(address: number, on: boolean): Promise<void> {
    await this.#client.writeCoil(address, on);
  }

  /** Signals its process, which SIGSTOP makes silent. */
  signal(signal: NodeJS.Signals): void {
    this.#child.signal(signal);
  }

  async stop(): Promise<void> {
    this.#client.close(() => undefined);
    await this.#child.stop('SIGKILL');
  }
}

/** The registers of a value, high word first. */
export function words(
  kind: 'Int16' | 'UInt16' | 'Int32' | 'UInt32' | 'BigInt64' | 'BigUInt64' | 'Float' | 'Double',
  value: number | bigint,
): number[] {
  const bytes = Buffer.alloc(8);
  const size = { Int16: 2, UInt16: 2, Int32: 4, UInt32: 4, BigInt64: 8, BigUInt64: 8, Float: 4, Double: 8 }[
    kind
  ];
  if (kind === 'BigInt64' || kind === 'BigUInt64') bytes[`write${kind}BE`](BigInt(value));
  else if (kind === 'Float' || kind === 'Double') bytes[`write${kind}BE`](Number(value));
  else bytes[`write${kind}BE`](Number(value));
  return Array.from({ length: size / 2 }, (_, index) => bytes.readUInt16BE(index * 2));
}
