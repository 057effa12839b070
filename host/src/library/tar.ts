import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { type Entry, extract, type Extract, type Pack } from 'tar-stream';

/** A file or folder in an archive. Its content is read to the end, or left alone, before the next entry is asked for. */
export interface TarEntry {
  /** As the archive has it, which may be anything. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly isExecutable: boolean;
  /** Bytes. */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Most bytes from the end of an entry to the end of the next one's header: the extended headers between them, in which a path fits
 * many times.
 */
const headerLimit = 64 << 10;

/**
 * Reads a tar archive: ustar, pax and GNU tar. Throws an error that completes the sentence "The archive …" for what is no such
 * archive, and for links, devices and whatever else is no file or folder.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  // An archive from before ustar has no magic number; its checksum is looked at all the same.
  const archive = extract({ allowUnknownFormat: true });
  const feeder = new Feeder(archive);
  let failure: Error | undefined;
  archive.on('error', ({ message }: Error) => {
    failure ??= new Error(`is not a tar archive, or is damaged or cut off (${message})`);
  });
  const feeding = feeder.feed(source).catch((error: unknown) => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    // With the error: otherwise a reader that waits for the next entry would wait for ever.
    archive.destroy(failure);
  });
  // The content of an entry ends with the archive, whose end knows the reason.
  const contentOf = async function* (entry: Entry): AsyncGenerator<Uint8Array> {
    try {
      yield* entry;
    } catch (error) {
      await feeder.closed;
      throw failure ?? error;
    }
  };
  try {
    for await (const entry of archive) {
      const { name: path, type, size = 0, mode = 0 } = entry.header;
      const isValid = Number.isSafeInteger(size) && (type === 'directory' ? size === 0 : size >= 0);
      if (!isValid) throw new Error('has an entry without a valid size');
      if (type !== 'file' && type !== 'directory')
        throw new Error(`has an entry that is neither a file nor a folder, but perhaps a link: "${path}"`);
      feeder.expect(size);
      const isFolder = type === 'directory' || path.endsWith('/');
      yield { path, isFolder, isExecutable: (mode & 0o111) !== 0, size, content: contentOf(entry) };
      // What was left of the content is passed over.
      entry.resume();
    }
  } catch (error) {
    throw failure ?? error;
  } finally {
    archive.destroy();
    await feeding;
  }
  if (failure !== undefined) throw failure;
}

/** The parts of the path of an entry; undefined for a path that could lead out of the folder into which it is unpacked. */
export function safeParts(path: string): string[] | undefined {
  const parts = path.replace(/\/$/, '').split('/');
  // A backslash or a colon leads somewhere on other systems than this one.
  const isSafe = parts.every((part) => !['', '.', '..'].includes(part) && !/[\\:\0]/.test(part));
  return isSafe ? parts : undefined;
}

/**
 * Adds the files below a folder to an archive, under `prefix`; with `hasFolders` its folders too, so that empty ones are kept. `except`: an
 * entry of the folder that is left out.
 */
export async function addFolder(
  archive: Pack,
  folder: string,
  prefix: string,
  hasFolders = false,
  except?: string,
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (entry.name === except) continue;
    const path = join(folder, entry.name);
    const name = `${prefix}${entry.name}`;
    if (entry.isDirectory()) {
      if (hasFolders) archive.entry({ name: `${name}/`, type: 'directory' });
      await addFolder(archive, path, `${name}/`, hasFolders);
    } else if (entry.isFile()) {
      const { size, mode } = await stat(path);
      await pipeline(createReadStream(path), archive.entry({ name, size, mode: mode & 0o777 }));
    }
  }
}

/** Hands an archive to its reader piece by piece, and no more of it than the reader can use. */
class Feeder {
  readonly #archive: Extract;
  /** The archive was read to its end, or given up. */
  readonly closed: Promise<unknown>;
  #fed = 0;
  #limit = headerLimit;

  constructor(archive: Extract) {
    this.#archive = archive;
    this.closed = new Promise((resolve) => archive.once('close', resolve));
  }

  /** An entry with a content of this size has begun. */
  expect(size: number): void {
    this.#limit = this.#fed + size + headerLimit;
  }

  async feed(source: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of source) {
      if (this.#archive.destroyed) return;
      // The reader keeps extended headers in memory until they are complete, whatever length they claim.
      if (this.#fed > this.#limit)
        throw new Error('has an extended header, or something behind its end, that is too long');
      this.#fed += chunk.length;
      if (!this.#archive.write(chunk)) await Promise.race([once(this.#archive, 'drain'), this.closed]);
    }
    this.#archive.end();
  }
}
