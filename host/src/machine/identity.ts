import { createHash, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where systems keep an id of their own, https://www.freedesktop.org/software/systemd/man/latest/machine-id.html. */
const files = ['/etc/machine-id', '/var/lib/dbus/machine-id'];

/**
 * Identifies this machine to those who issue licenses: base64 of the SHA-256 of its id, which itself stays secret.
 * A machine without an id, such as a container, is given one in the data folder.
 */
export async function hardwareToken(data: string): Promise<string> {
  const own = join(data, 'machine-id');
  for (const file of [...files, own]) {
    const id = (await readFile(file, 'utf8').catch(() => '')).trim();
    if (id !== '') return tokenOf(id);
  }
  const id = randomUUID();
  // A disk that is full costs the id, not the start: the next one makes another.
  await writeFile(own, `${id}\n`).catch(() => undefined);
  return tokenOf(id);
}

function tokenOf(id: string): string {
  return createHash('sha256').update(id).digest('base64');
}
