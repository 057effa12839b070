import { existsSync } from 'node:fs';
import { access, constants, readdir, stat, statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { systemReason } from '../core/system/system-error.ts';
import { type Finding, mayUse, note, ok, wrong } from './finding.ts';

/** The folder itself, or the closest one above it that is there. */
function nearest(folder: string): string {
  return existsSync(folder) || dirname(folder) === folder ? folder : nearest(dirname(folder));
}

/** Changes nothing: a folder that is missing is not made. */
export async function dataFolderFinding(data: string): Promise<Finding> {
  const about = 'Data folder';
  const there = nearest(data);
  try {
    if (!(await stat(there)).isDirectory())
      return wrong(about, `${there} is a file and no folder. Name another folder with --data.`);
    await access(there, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EROFS')
      return wrong(
        about,
        `${there} cannot be used: its file system is read-only. Mount it for writing, or name a folder on another one with --data.`,
      );
    return wrong(
      about,
      `${there} cannot be used: ${systemReason(error)}. Let it belong to the user of the gateway (chown -R ${userInfo().username} ${there}), or name another folder with --data.`,
    );
  }
  if (there !== data) return ok(about, `${data} is not there yet, and can be made.`);
  const names = await readdir(data);
  const foreign = await othersOwn(data, names);
  if (foreign !== undefined)
    return wrong(
      about,
      `${data}/${foreign} belongs to another user. Let all of the folder belong to the user of the gateway: chown -R ${userInfo().username} ${data}`,
    );
  const { mode } = await stat(data);
  // The way through for the group is the one of --runner-user.
  if ((mode & 0o067) !== 0)
    return note(
      about,
      `${data} can be used, and other users of this machine can look into it. Close it: chmod 700 ${data}`,
    );
  return ok(
    about,
    names.includes('tagway.sqlite')
      ? `${data} can be used.`
      : `${data} can be used, and holds no configuration yet.`,
  );
}

/** The first entry that this user neither owns nor may write. Root may everything. */
async function othersOwn(data: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) if (!(await mayUse(`${data}/${name}`))) return name;
  return undefined;
}

/** Free bytes: below the first the gateway soon refuses changes; from the second on there is no need to act. */
const leastSpace = 64 << 20;
const enoughSpace = 512 << 20;

export async function diskFinding(data: string): Promise<Finding> {
  const about = 'Disk';
  const { bavail, bsize, blocks, ffree, files } = await statfs(nearest(data));
  const free = bavail * bsize;
  const text = `${Math.floor(free / (1 << 20))} of ${Math.floor((blocks * bsize) / (1 << 20))} MiB are free where the data folder is`;
  if (free < leastSpace)
    return wrong(
      about,
      `${text}. Changes will be refused and the log will lose lines: free space, or take another disk.`,
    );
  if (files > 0 && ffree < 100)
    return wrong(about, `${text}, and no more files can be made there. Delete some.`);
  if (free < enoughSpace)
    return note(about, `${text}. The log, the audit and snapshots may take some 500 MiB.`);
  return ok(about, `${text}.`);
}
