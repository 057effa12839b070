import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The client id of a node without one in its settings. It is random, because a broker ends the session of a client when another one connects
 * with the same id, and it is kept in the node's folder. Both gateways of a pair have the same id, so that the broker ends the session of the
 * earlier one. Every broker of MQTT 3.1.1 takes its length and characters.
 */
export async function ownClientId(folder: string, pairId?: string): Promise<string> {
  if (pairId !== undefined) return `tagway${pairId}`;
  const file = join(folder, 'client-id');
  const kept = await readFile(file, 'utf8').catch(() => '');
  if (/^tagway[0-9a-f]{12}$/.test(kept)) return kept;
  const id = `tagway${randomBytes(6).toString('hex')}`;
  await writeFile(file, id);
  return id;
}
