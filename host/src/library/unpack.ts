import { mkdir, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { archiveLimits, ErrorCode } from '@tagway/schemas';
import { type Fault, isFault } from '@tagway/sdk';
import { systemReason } from '../core/system/system-error.ts';
import { inflate } from './inflate.ts';
import { originFile } from './origin.ts';
import { readTar, safeParts, type TarEntry } from './tar.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';

/** The folder that holds everything in a tarball as npm makes it. */
export const root = 'package/';

/**
 * Unpacks a library's archive, a gzipped tar archive, into an empty folder; what is in it is on disk when this resolves. Rejects with LIBRARY_INFO_INVALID when
 * the archive is not of the kind that npm makes, or holds anything but files and folders below `package/`, or too much, and with
 * LIBRARY_ADD_FAILED when the disk refuses. The folder may hold a part of the archive then.
 */
export async function unpack(archive: Uint8Array, folder: string): Promise<void> {
  const taken = new Set<string>();
  let entries = 0;
  try {
    for await (const entry of readTar(inflate(archive, archiveLimits.unpacked, tooBig))) {
      if (++entries > archiveLimits.entries)
        throw new Error(`has more than ${archiveLimits.entries} entries`);
      if (entry.size > archiveLimits.unpacked) throw tooBig();
      const path = pathWithin(entry.path);
      if (path === '') continue;
      if (path.toLowerCase() === originFile)
        throw new Error(`has an entry "${entry.path}", which the gateway itself writes`);
      if (taken.has(path) && !entry.isFolder) throw new Error(`has two entries "${entry.path}"`);
      taken.add(path);
      const target = join(folder, path);
      await mkdir(entry.isFolder ? target : dirname(target), { recursive: true });
      if (!entry.isFolder) await writeContent(entry, target);
    }
  } catch (error) {
    throw isFault(error) ? error : refusal(error);
  }
}

/** The path below the folder into which the archive goes. Throws for one that could lead out of it. */
function pathWithin(path: string): string {
  const parts = safeParts(path);
  if (parts === undefined) throw new Error(`has an entry with the path "${path}", which is not safe`);
  if (!`${path}/`.startsWith(root))
    throw new Error(`has an entry "${path}" that is not in its folder ${root}`);
  return parts.slice(1).join('/');
}

async function writeContent({ content, isExecutable }: TarEntry, target: string): Promise<void> {
  await using file = await open(target, 'wx', isExecutable ? 0o755 : 0o644);
  await file.writeFile(content);
  // A library that is in place must be whole, even after a power cut.
  await file.sync();
}

function tooBig(): Error {
  return new Error(`holds more than ${archiveLimits.unpacked >> 20} MB`);
}

/** Codes of file system calls that are the fault of the archive: it has a file where it has a folder, or a name too long. */
const archiveErrors = new Set(['EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'EINVAL']);

function refusal(error: unknown): Fault {
  const { message, code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== undefined && !archiveErrors.has(code ?? '')) {
    return new Refusal(
      ErrorCode.LIBRARY_ADD_FAILED,
      sentence`The library could not be written: ${systemReason(error)}.`,
      {
        cause: error,
      },
    );
  }
  const reason = code?.startsWith('Z_') ? `is not gzipped or is damaged (${message})` : message;
  return new Refusal(ErrorCode.LIBRARY_INFO_INVALID, sentence`The archive ${reason}.`, { cause: error });
}
