import { once } from 'node:events';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { pack } from 'tar-stream';
import { ErrorCode } from '@tagway/schemas';
import { Refusal, sentence } from '../core/system/sentence.ts';

/** Bytes that are read of a file at a time. */
const chunk = 1 << 18;

interface Entry {
  readonly name: string;
  readonly handle: FileHandle;
  /** Bytes at the moment the archive was asked for; what is logged meanwhile is not in it. */
  readonly size: number;
  readonly mtime: Date;
}

/**
 * The files of the log folder as a gzipped tar archive, read while it is sent. Rejects with FILE_NOT_FOUND when there is no
 * folder and with COMMAND_FAILED when a file of it cannot be read.
 */
export async function archiveOf(folder: string): Promise<Readable> {
  const entries: Entry[] = [];
  const close = (): void => {
    for (const { handle } of entries) handle.close().catch(() => undefined);
  };
  try {
    for (const name of await namesIn(folder)) entries.push(await entryOf(folder, name));
  } catch (cause) {
    close();
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Refusal(ErrorCode.FILE_NOT_FOUND, sentence`There is no log folder ${folder}.`, { cause });
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(
      ErrorCode.COMMAND_FAILED,
      sentence`The log folder ${folder} cannot be read: ${reason}.`,
      {
        cause,
      },
    );
  }
  // An error is an error of the archive's stream.
  return pipeline(Readable.from(tarOf(entries)), createGzip({ level: 1 }), close);
}

/** A rotation may rename files meanwhile, but what is opened stays what it is. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}

async function entryOf(folder: string, name: string): Promise<Entry> {
  const handle = await open(join(folder, name), 'r');
  const { size, mtime } = await handle.stat();
  return { name: `logs/${name}`, handle, size, mtime };
}

/** The archive, which fills while it is read. */
async function* tarOf(entries: readonly Entry[]): AsyncGenerator<Buffer> {
  const archive = pack();
  const closed = new Promise((resolve) => archive.once('close', resolve));
  const fill = async (): Promise<void> => {
    for (const entry of entries) {
      const { name, size, mtime } = entry;
      const sink = archive.entry({ name, size, mtime, mode: 0o640 });
      for await (const part of contentOf(entry)) {
        if (archive.destroyed) return;
        if (!sink.write(part)) await Promise.race([once(sink, 'drain'), closed]);
      }
      sink.end();
    }
    archive.finalize();
  };
  fill().catch((error: unknown) => archive.destroy(error instanceof Error ? error : undefined));
  try {
    // Not `yield*`: it would pass the error of a reader that goes away on to the archive, where nothing handles it.
    for await (const part of archive) yield part;
  } finally {
    archive.destroy();
  }
}

/** Exactly as many bytes as were announced: a file that became shorter meanwhile is filled up. */
async function* contentOf({ handle, size }: Entry): AsyncGenerator<Buffer> {
  for (let left = size; left > 0;) {
    const buffer = Buffer.alloc(Math.min(chunk, left));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - left);
    yield bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead);
    left -= bytesRead || buffer.length;
  }
}
