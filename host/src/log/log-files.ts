import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { FileEntry } from '../core/ports/machine.ts';
import { logFileNames } from './file.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';

/** The files of the log that are there, the newest first. */
export async function logFilesIn(folder: string): Promise<Pick<FileEntry, 'name' | 'size'>[]> {
  const entries = logFileNames().map(async (name) => {
    const state = await stat(join(folder, name)).catch(() => undefined);
    return state === undefined ? [] : [{ name, size: state.size }];
  });
  return (await Promise.all(entries)).flat();
}

/** What a file of the log holds now. Rejects with FILE_NOT_FOUND for every other name, whatever it leads to. */
export async function openLogFile(folder: string, name: string): Promise<Readable> {
  if (!logFileNames().includes(name)) throw notThere(name);
  const file = await open(join(folder, name)).catch((cause: unknown) => {
    throw notThere(name, cause);
  });
  return file.createReadStream();
}

function notThere(name: string, cause?: unknown): Fault {
  return new Refusal(
    ErrorCode.FILE_NOT_FOUND,
    sentence`The log has no file "${name.slice(0, 255)}". GET /api/v2/log/list names those that there are.`,
    { cause },
  );
}
