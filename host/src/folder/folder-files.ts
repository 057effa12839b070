import { constants } from 'node:fs';
import { mkdir, open, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, sep } from 'node:path';

/** Bytes of a file, and of all together; files of one folder. */
const most = { yaml: 8 << 20, csv: 64 << 20, other: 1 << 20, all: 256 << 20, files: 10_000 } as const;

/** What is wrong with a folder; the message is for the operator. */
export class FolderError extends Error {}

/** Reads the files of a configuration folder. Nothing outside of it is read, also where links lead there. */
export class FolderFiles {
  readonly path: string;
  readonly #root: string;
  #bytes = 0;

  private constructor(path: string, root: string) {
    this.path = path;
    this.#root = root;
  }

  /** Throws `FolderError` when there is no such folder. */
  static async open(path: string): Promise<FolderFiles> {
    try {
      return new FolderFiles(path, await realpath(path));
    } catch (cause) {
      throw new FolderError(`The folder ${path} cannot be read: ${codeOf(cause)}.`, { cause });
    }
  }

  /** The names in a folder below it, in order; none when it is not there. */
  async list(folder: string): Promise<string[]> {
    const path = await this.#real(folder);
    if (path === undefined) return [];
    const names = await readdir(path).catch((cause: unknown) => {
      throw new FolderError(`${folder} is to be a folder, and it cannot be read: ${codeOf(cause)}.`, {
        cause,
      });
    });
    if (names.some((name) => name.includes('\ufffd')))
      throw new FolderError(`${folder} has a file whose name is not in UTF-8.`);
    if (names.length > most.files)
      throw new FolderError(`The folder ${folder} has ${names.length} files; ${most.files} are allowed.`);
    return names.filter((name) => !name.startsWith('.')).sort();
  }

  /** True for a file that was listed. Throws `FolderError` where it is a link to nothing, or was deleted since. */
  async isThere(file: string): Promise<true> {
    if ((await this.#real(file)) === undefined)
      throw new FolderError(`${file} is listed in its folder and leads to nothing.`);
    return true;
  }

  /** The content of a file; undefined when it is not there. */
  async read(file: string): Promise<Buffer | undefined> {
    const path = await this.#real(file);
    if (path === undefined) return undefined;
    // A pipe would be waited for.
    const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW).catch(
      (cause: unknown) => {
        throw new FolderError(`The file ${file} cannot be read: ${codeOf(cause)}.`, { cause });
      },
    );
    try {
      const state = await handle.stat();
      if (!state.isFile()) throw new FolderError(`${file} is no file.`);
      const limit = limitOf(file);
      if (state.size > limit)
        throw new FolderError(`The file ${file} has ${state.size} bytes; ${limit} are allowed.`);
      this.#bytes += state.size;
      if (this.#bytes > most.all)
        throw new FolderError(`The files of the folder have more than ${most.all} bytes together.`);
      const content = Buffer.alloc(state.size);
      const { bytesRead } = await handle.read(content, 0, state.size, 0);
      return content.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  }

  /** As `read`, of a text in UTF-8 with or without a byte order mark. */
  async readText(file: string): Promise<string | undefined> {
    const content = await this.read(file);
    if (content === undefined) return undefined;
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(content);
    } catch (cause) {
      throw new FolderError(`The file ${file} is not in UTF-8.`, { cause });
    }
  }

  /** Writes a file as a whole, and the folders above it. */
  async write(file: string, content: string | Uint8Array): Promise<void> {
    const folder = dirname(file);
    await this.#real(folder);
    await mkdir(join(this.#root, folder), { recursive: true });
    // Where a link leads out, the folders above it are there.
    await this.#real(folder);
    const path = join(this.#root, file);
    const fresh = `${path}.${process.pid}.new`;
    await writeFile(fresh, content);
    await rename(fresh, path);
  }

  async delete(file: string): Promise<void> {
    if ((await this.#real(dirname(file))) !== undefined) await rm(join(this.#root, file), { force: true });
  }

  /** Where a path leads after all links; undefined when there is nothing. */
  async #real(file: string): Promise<string | undefined> {
    if (isOutside(relative(this.#root, join(this.#root, file))))
      throw new FolderError(`${file} leads out of the folder, and nothing outside of it is read.`);
    const path = await realpath(join(this.#root, file)).catch((cause: unknown) => {
      if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR') return undefined;
      throw new FolderError(`${file} cannot be read: ${codeOf(cause)}.`, { cause });
    });
    if (path === undefined || path === this.#root) return path;
    if (isOutside(relative(this.#root, path)))
      throw new FolderError(`${file} is a link that leads out of the folder; links may not.`);
    return path;
  }
}

function isOutside(way: string): boolean {
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way);
}

function limitOf(file: string): number {
  if (file.endsWith('.yaml')) return most.yaml;
  return file.endsWith('.csv') ? most.csv : most.other;
}

function codeOf(error: unknown): string {
  return String((error as NodeJS.ErrnoException).code ?? error);
}
