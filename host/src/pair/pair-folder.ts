import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file of a data folder that says whose configuration it has. A backup does not have it: the folder stays where it belongs. */
const fileOf = (data: string): string => join(data, 'pair.json');

/** The pair that a data folder belongs to; undefined when it belongs to none. */
function pairOf(data: string): string | undefined {
  try {
    const { id } = JSON.parse(readFileSync(fileOf(data), 'utf8')) as { readonly id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** Throws a sentence when the folder belongs to another pair: its gateway would be the active one of a pair of its own, beside the right one. */
export function checkPair(data: string, id: string): void {
  const known = pairOf(data);
  if (known === undefined || known === id) return;
  throw new Error(
    `The data folder ${data} belongs to the pair "${known}" and not to "${id}": under another name this gateway would poll the plant ` +
      'a second time. Correct --pair-id; or, if the gateway is to belong to another pair, start it once with --leave-pair.',
  );
}

/** From here on the folder belongs to this pair, whose configuration it has. Throws when the disk refuses that. */
export function joinPair(data: string, id: string): void {
  if (pairOf(data) === id) return;
  const file = fileOf(data);
  writeFileSync(`${file}.new`, `${JSON.stringify({ id })}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.new`, file);
}

/** Returns the pair that the folder belonged to. */
export function leavePair(data: string): string | undefined {
  const known = pairOf(data);
  rmSync(fileOf(data), { force: true });
  return known;
}
