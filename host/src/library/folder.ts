import { lstat, mkdtemp, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createGzip } from 'node:zlib';
import { archiveLimits, ErrorCode, type NodeType, PluginKind } from '@tagway/schemas';
import { isFault } from '@tagway/sdk';
import { pack } from 'tar-stream';
import type { Plugin } from '../core/model.ts';
import { makeFolder } from '../core/system/make-folder.ts';
import type { Archive, Libraries, StagedLibrary } from '../core/ports/ports.ts';
import { readLibrary } from './manifest.ts';
import { checkPackageSignature } from './package-signature.ts';
import { originFile, writeOrigin } from './origin.ts';
import { checkSignature, type SignaturePolicy } from './signature.ts';
import { addFolder } from './tar.ts';
import { root, unpack } from './unpack.ts';
import { reasonOf, Refusal, sentence } from '../core/system/sentence.ts';

export interface LibraryFolderOptions {
  /** Holds a folder for each installed library, and archives that are to be installed. */
  readonly path: string;
  readonly signatures: SignaturePolicy;
  /** Loads a module in a runner of its own and rejects with a fault when it is not a plugin of this type. */
  readonly probe: (main: string, nodeType: NodeType) => Promise<void>;
}

/** Hidden folders beside the installed ones; discovery passes over them. */
const prefixes = { staging: '.staging-', previous: '.previous-', removed: '.removed-' } as const;

/** The folder of the libraries that users add. Whatever is in a subfolder of it that is not hidden is installed. */
export class LibraryFolder implements Libraries {
  readonly #options: LibraryFolderOptions;

  constructor(options: LibraryFolderOptions) {
    this.#options = options;
  }

  /** Puts right what an installation left that a crash cut short, as far as the disk allows; to be called before discovery. */
  async recover(): Promise<void> {
    const { path } = this.#options;
    const names: string[] = await readdir(path).catch(() => []);
    for (const name of names) {
      const library = name.slice(prefixes.previous.length);
      if (name.startsWith(prefixes.previous) && !names.includes(library)) {
        // When this fails, the load of the nodes names the library that is missing.
        await rename(join(path, name), join(path, library)).catch(() => undefined);
      } else if (Object.values(prefixes).some((prefix) => name.startsWith(prefix))) {
        await remove(join(path, name));
      }
    }
  }

  read: Libraries['read'] = async ({ library, content, signature, origin }) => {
    checkName(library);
    const file = join(this.#options.path, library);
    const found =
      content === undefined
        ? { content: await readArchive(file), signature: await readSignature(file) }
        : { content, signature };
    return {
      library,
      content: found.content,
      ...(found.signature !== undefined && { signature: found.signature }),
      ...(origin !== undefined && { origin }),
    };
  };

  async pack({ library }: Plugin): Promise<Uint8Array> {
    const archive = pack();
    const packed = buffer(archive.pipe(createGzip()));
    try {
      await addFolder(archive, join(this.#options.path, library), root, false, originFile);
      archive.finalize();
    } catch (error) {
      archive.destroy();
      throw error;
    }
    return packed;
  }

  async unpack(archive: Archive): Promise<StagedLibrary> {
    const { path, signatures, probe } = this.#options;
    const { content, signature, origin } = await this.read(archive);
    // A package of a registry has the signature of its author in it.
    if (origin === undefined) await checkSignature(content, signature, signatures);
    await makeFolder(path);
    const staging = await mkdtemp(join(path, prefixes.staging));
    try {
      await unpack(content, staging);
      const isSigned = origin !== undefined && (await checkPackageSignature(staging, signatures));
      if (origin !== undefined) await writeOrigin(staging, origin);
      const unpacked = await readLibrary(staging, '', PluginKind.CUSTOM).catch((error: unknown) => {
        throw isFault(error)
          ? new Refusal(error.code, sentence`The library is not valid: ${reasonOf(error)}.`, { cause: error })
          : error;
      });
      const main = join(path, unpacked.id, relative(staging, unpacked.main));
      const plugin = { ...unpacked, library: unpacked.id, main };
      return new Staged(path, staging, plugin, isSigned, () => probe(unpacked.main, unpacked.nodeType));
    } catch (error) {
      await remove(staging);
      throw error;
    }
  }

  inspect(archive: Archive): Promise<StagedLibrary> {
    return this.unpack(archive);
  }

  async remove({ library }: Plugin): Promise<() => Promise<void>> {
    const { path } = this.#options;
    const removed = join(path, prefixes.removed + library);
    await rm(removed, { recursive: true, force: true });
    await rename(join(path, library), removed);
    await sync(path);
    return () => remove(removed);
  }
}

class Staged implements StagedLibrary {
  readonly plugin: Plugin;
  readonly isSigned: boolean;
  readonly probe: () => Promise<void>;
  readonly #path: string;
  readonly #staging: string;
  readonly #place: string;
  /** Where the predecessor was and where it is; set while it is aside. */
  #aside: { readonly from: string; readonly to: string } | undefined;
  #isInPlace = false;

  constructor(path: string, staging: string, plugin: Plugin, isSigned: boolean, probe: () => Promise<void>) {
    this.#path = path;
    this.#staging = staging;
    this.#place = join(path, plugin.library);
    this.plugin = plugin;
    this.isSigned = isSigned;
    this.probe = probe;
  }

  async text(path: string, most: number): Promise<string | undefined> {
    const file = await open(join(this.#staging, path), 'r').catch(() => undefined);
    if (file === undefined) return undefined;
    await using opened = file;
    if (!(await opened.stat()).isFile()) return undefined;
    const { buffer, bytesRead } = await opened.read({ buffer: Buffer.alloc(most), position: 0 });
    return buffer.toString('utf8', 0, bytesRead);
  }

  has(path: string): Promise<boolean> {
    return exists(join(this.#staging, path));
  }

  /** A folder cannot be renamed onto another one. Between the two renames the predecessor is aside, from where `recover` takes it. */
  async place(old: Plugin | undefined): Promise<void> {
    const library = old?.library ?? this.plugin.library;
    const from = join(this.#path, library);
    const to = join(this.#path, prefixes.previous + library);
    await checkPlace(from);
    await rm(to, { recursive: true, force: true });
    if (await exists(from)) {
      await rename(from, to);
      this.#aside = { from, to };
    }
    try {
      await rename(this.#staging, this.#place);
    } catch (error) {
      await this.#restore();
      throw error;
    }
    this.#isInPlace = true;
    await sync(this.#path);
  }

  async withdraw(): Promise<void> {
    await rename(this.#place, this.#staging);
    this.#isInPlace = false;
    await this.#restore();
  }

  async discard(): Promise<void> {
    await remove(this.#staging);
    if (this.#isInPlace && this.#aside !== undefined) await remove(this.#aside.to);
  }

  async #restore(): Promise<void> {
    if (this.#aside !== undefined) await rename(this.#aside.to, this.#aside.from);
    this.#aside = undefined;
    await sync(this.#path);
  }
}

/** The library replaces a folder of its name. A file of this name is kept: it may be an archive without an ending. */
async function checkPlace(place: string): Promise<void> {
  const state = await lstat(place).catch(() => undefined);
  if (state === undefined || state.isDirectory() || state.isSymbolicLink()) return;
  throw new Refusal(
    ErrorCode.LIBRARY_NAME_CONFLICT,
    sentence`The library goes into the folder ${place}, and there is a file of this name. Give the file another name.`,
  );
}

/** A bare file name, so that nothing outside the library folder is read; a hidden file is no archive. */
function checkName(library: string): void {
  const isBare = library !== '' && basename(library) === library && !/[\\\0]/.test(library);
  if (!isBare || library.startsWith('.') || Buffer.byteLength(library) > 255) {
    throw new Refusal(
      ErrorCode.LIBRARY_NAME_INVALID,
      sentence`"${library.slice(0, 255)}" is not the bare name of a file in the library folder.`,
    );
  }
}

async function readArchive(file: string): Promise<Buffer> {
  const stat = await lstat(file).catch((cause: unknown) => {
    throw new Refusal(ErrorCode.LIBRARY_INFO_INVALID, sentence`There is no file ${file}.`, { cause });
  });
  if (!stat.isFile()) throw new Refusal(ErrorCode.LIBRARY_INFO_INVALID, sentence`${file} is not a file.`);
  if (stat.size > archiveLimits.packed) {
    throw new Refusal(
      ErrorCode.LIBRARY_INFO_INVALID,
      sentence`${file} has more than ${archiveLimits.packed / 1e6} MB.`,
    );
  }
  return readFile(file);
}

function readSignature(file: string): Promise<string | undefined> {
  return readFile(`${file}.sig`, 'utf8').catch(() => undefined);
}

function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}

/** What cannot be deleted now is deleted at the next start. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(() => undefined);
}

/** Makes renames in a folder durable. */
async function sync(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  await folder.sync();
}
