import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from '../kit/child.ts';
import { freePort } from '../kit/free-port.ts';

/** A real MQTT broker in a process of its own. */
export interface Broker {
  readonly kind: 'mosquitto' | 'aedes';
  readonly address: string;
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

// Debian puts daemons where the PATH of an ordinary user does not look.
const mosquitto = ['mosquitto', '/usr/sbin/mosquitto'].find(
  (path) => spawnSync(path, ['-h']).error === undefined,
);

/** The broker that tests use here: mosquitto when it is installed, else aedes. */
export const brokerKind = mosquitto === undefined ? 'aedes' : 'mosquitto';

/** Starts a broker on a free port, or on the given one. */
export async function startBroker(port?: number, address = '127.0.0.1'): Promise<Broker> {
  if (mosquitto === undefined) {
    const script = join(import.meta.dirname, '../peers/broker-aedes.ts');
    const child = await Child.start(process.execPath, [script, String(port ?? 0), address], {
      ready: /listens on (\d+)/,
    });
    return {
      kind: 'aedes',
      address,
      port: Number(child.match?.[1]),
      pid: child.pid,
      stop: async () => {
        await child.stop();
      },
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'tagway-broker-'));
  const chosen = port ?? (await freePort());
  const config = join(folder, 'mosquitto.conf');
  const lines = [
    `listener ${chosen} ${address}`,
    'allow_anonymous true',
    'persistence false',
    'set_tcp_nodelay true',
    'log_dest stderr',
    ...['error', 'warning', 'notice', 'information'].map((type) => `log_type ${type}`),
  ];
  await writeFile(config, `${lines.join('\n')}\n`);
  const child = await Child.start(mosquitto, ['-c', config], { ready: /mosquitto version .* running/ });
  return {
    kind: 'mosquitto',
    address,
    port: chosen,
    pid: child.pid,
    stop: async () => {
      await child.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
