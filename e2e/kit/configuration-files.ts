import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Writes files below a folder; undefined deletes one. */
export async function writeFiles(
  folder: string,
  files: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path);
    await mkdir(dirname(file), { recursive: true });
    if (text === undefined) await rm(file, { force: true });
    else await writeFile(file, text);
  }
}

/** The file of a Modbus driver with one group of registers. */
export function driverFile(interval: number, tags: readonly string[], host = '127.0.0.1'): string {
  const rows = tags.map((name, at) => `      - { name: ${name}, address: 1!40000${at + 1}, type: INT16 }\n`);
  return (
    `plugin: Modbus TCP\nsettings: { connection_mode: 0, transport_mode: 0, host: ${host}, port: 1, timeout: 1000, interval: 0 }\n` +
    `groups:\n  - name: fast\n    interval: ${interval}\n    tags:\n${rows.join('')}`
  );
}

/** An app that is stopped and has a password. */
export const appFile =
  'plugin: MQTT\nstopped: true\nsettings: { client-id: c, host: 127.0.0.1, port: 1, format: 0, username: u, password: { secret: broker } }\n' +
  'subscriptions:\n  - { driver: boiler, group: fast }\n';
