import { chmod, lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What the gateway makes in its data folder. */
const own: ReadonlySet<string> = new Set([
  ...[
    'audit',
    'keys',
    'libraries',
    'logs',
    'machine-id',
    'nodes',
    'npmrc',
    'renewed-trust',
    'running.json',
    'snapshots',
    'tls',
  ],
  ...['tagway.sqlite', 'tagway.sqlite-shm', 'tagway.sqlite-wal'],
]);

/** Folders that the user of runners may pass through, as the data folder itself. */
const passable: ReadonlySet<string> = new Set(['libraries', 'nodes']);

/** Folders of operators with public keys that the gateway trusts. */
const trusting: ReadonlySet<string> = new Set(['issuers', 'trusted']);

/** The bits of a mode that are about others than the owner, those without the way through for a group, and those that change something. */
const others = 0o077;
const othersBeyond = 0o067;
const writing = 0o022;

/**
 * Removes the access of other users of the machine to what the gateway made in its data folder: password hashes, keys, settings with
 * secrets, and all that lies deeper. The folder itself, and files of operators, may be shared on purpose and stay as they are. Returns
 * sentences for the log about what was closed and what is still open.
 */
export async function closeDataFolder(data: string): Promise<string[]> {
  const sentences: string[] = [];
  const mode = await modeOf(data);
  if ((mode & othersBeyond) !== 0) {
    const can = (mode & writing) === 0 ? 'read' : 'change';
    sentences.push(
      `Other users of this machine can ${can} the data folder ${data} (mode ${mode.toString(8)}). ` +
        `Unless they are meant to, close it: chmod 700 ${data}`,
    );
  }
  const closed: string[] = [];
  const open: string[] = [];
  for (const name of (await readdir(data)).sort()) {
    const path = join(data, name);
    const found = await modeOf(path);
    if (trusting.has(name) && (found & writing) !== 0) {
      sentences.push(
        `Other users of this machine can put keys into ${path} (mode ${found.toString(8)}), and so decide what the gateway trusts. ` +
          `Close it: chmod go-w ${path}`,
      );
    }
    const foreign = passable.has(name) ? othersBeyond : others;
    if (!own.has(name) || (found & foreign) === 0) continue;
    await chmod(path, found & ~others).catch(() => undefined);
    // A file system without modes takes them and keeps its own.
    const isClosed = ((await modeOf(path)) & foreign) === 0;
    (isClosed ? closed : open).push(name);
  }
  if (closed.length > 0) {
    sentences.push(
      `Other users of this machine had access to these in the data folder ${data}, and have none any more: ${closed.join(', ')}.`,
    );
  }
  if (open.length > 0) {
    sentences.push(
      `Other users of this machine have access to these in the data folder ${data}, and the gateway cannot close them: ${open.join(', ')}. ` +
        'Close them as their owner, with chmod go-rwx, or take a file system that has modes.',
    );
  }
  return sentences;
}

/** 0 for a file that is gone, and for a link, whose target does not belong to the folder. */
async function modeOf(path: string): Promise<number> {
  const state = await lstat(path).catch(() => undefined);
  return state === undefined || state.isSymbolicLink() ? 0 : state.mode & 0o777;
}
