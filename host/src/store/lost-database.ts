import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Bytes of a file; 0 too when the file is missing. */
function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Files beside the database that only a gateway that ran before leaves. */
async function tracesIn(data: string): Promise<string[]> {
  const isThere = async (...path: string[]): Promise<boolean> =>
    stat(join(data, ...path)).then(
      () => true,
      () => false,
    );
  return [
    ...((await isThere('keys', 'token.pem')) ? ['keys/token.pem'] : []),
    ...((await readdir(join(data, 'nodes')).catch(() => [])).length > 0 ? ['nodes/'] : []),
  ];
}

/**
 * Throws when the database of a gateway that ran before is lost, in whole or with the log that holds its latest changes: to begin
 * anew would open the gateway with the password that every new one has. To be called before the database is opened, which would
 * make it or delete what is left of it, and with `isEmpty` when it is open and holds nothing.
 */
export async function checkNotLost(file: string, isEmpty = false): Promise<void> {
  const name = basename(file);
  const data = dirname(file);
  if (!isEmpty && (await sizeOf(file)) > 0) return;
  const hasLog = !isEmpty && (await sizeOf(`${file}-wal`)) > 0;
  const traces = [...(hasLog ? [`${name}-wal`] : []), ...(await tracesIn(data))];
  if (traces.length === 0) return;
  throw new Error(
    `The configuration of the gateway is lost: the data folder ${data} holds ${traces.join(' and ')} of a gateway that ran before, ` +
      `but its database ${name}, or the log ${name}-wal that belongs to it, is missing or empty. Nothing was changed. Put both files back, or ` +
      'bring back a backup with "tagway restore FILE"; to begin with an empty gateway, start once with --reset-password.',
  );
}

/**
 * Whether the log of the database is gone, which a gateway that was killed or lost its power leaves behind: `wasRunning` says that
 * the one before did not end properly. To be called before the database is opened.
 */
export async function isLogLost(file: string, wasRunning: boolean): Promise<boolean> {
  if (!wasRunning || (await sizeOf(file)) === 0) return false;
  return stat(`${file}-wal`).then(
    () => false,
    () => true,
  );
}
