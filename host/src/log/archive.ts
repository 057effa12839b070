import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { ErrorCode } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';

/** Bytes of a block of a tar archive, and of its header. */
const blockSize = 512;
const chunk = 1 << 18;

interface Entry {
  readonly name: string;
  readonly handle: FileHandle;
  /** Bytes at the moment the archive was asked for; what is logged meanwhile is not in it. */
  readonly size: number;
  readonly mtime: number;
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
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') throw new Fault(ErrorCode.FILE_NOT_FOUND);
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault(ErrorCode.COMMAND_FAILED, `The log folder ${folder} cannot be read: ${reason}.`, {
      cause,
    });
  }
  // Whoever takes the archive learns of an error from its stream.
  return pipeline(Readable.from(tarOf(entries)), createGzip({ level: 1 }), close);
}

/** A rotation may rename files meanwhile, but what is opened stays what it is. */
async function namesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  // Longer names do not fit a header; the log's own are short.
  return entries
    .filter((entry) => entry.isFile() && Buffer.byteLength(entry.name) <= 90)
    .map(({ name }) => name)
    .sort();
}

async function entryOf(folder: string, name: string): Promise<Entry> {
  const handle = await open(join(folder, name), 'r');
  const { size, mtimeMs } = await handle.stat();
  return { name: `logs/${name}`, handle, size, mtime: Math.floor(mtimeMs / 1000) };
}

async function* tarOf(entries: readonly Entry[]): AsyncGenerator<Buffer> {
  for (const { name, handle, size, mtime } of entries) {
    yield headerOf(name, size, mtime);
    let left = size;
    while (left > 0) {
      const buffer = Buffer.alloc(Math.min(chunk, left));
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, size - left);
      // A file that became shorter is filled up, for its length has been told.
      yield bytesRead === 0 ? buffer : buffer.subarray(0, bytesRead);
      left -= bytesRead || buffer.length;
    }
    yield Buffer.alloc((blockSize - (size % blockSize)) % blockSize);
  }
  yield Buffer.alloc(2 * blockSize);
}

/** The header of a regular file in the ustar format, POSIX.1-2017, pax, "ustar Interchange Format". */
function headerOf(name: string, size: number, mtime: number): Buffer {
  const header = Buffer.alloc(blockSize);
  const octal = (value: number, offset: number, digits: number): void => {
    header.write(value.toString(8).padStart(digits, '0'), offset, 'latin1');
  };
  header.write(name, 0);
  octal(0o640, 100, 7);
  octal(0, 108, 7);
  octal(0, 116, 7);
  octal(size, 124, 11);
  octal(mtime, 136, 11);
  header.write('        0', 148, 'latin1');
  header.write('ustar\x0000', 257, 'latin1');
  octal(
    header.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  header[154] = 0;
  return header;
}
