import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The id of a node that has none in its settings: random, so that no two gateways throw each other off a broker, and
 * kept in the node's folder, so that it stays the same. The two gateways of a pair have the same, so that the broker ends the session of the
 * one before. Short and plain enough for every broker of MQTT 3.1.1.
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
