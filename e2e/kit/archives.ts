import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

export const unrulyFolder = join(import.meta.dirname, '../libraries/unruly');

/** An entry of a tar archive, good or bad. */
export interface Entry {
  readonly path: string;
  readonly content?: string | Buffer;
  /** The type flag: '0' a file, '1' a hard link, '2' a symbolic link, '3' a device, '5' a folder. */
  readonly type?: string;
  /** What a link leads to. */
  readonly target?: string;
  /** What the header says, if that is not the length of the content. */
  readonly size?: number;
}

export interface LibraryOptions {
  /** Module text instead of the driver that misbehaves on demand. */
  readonly module?: string;
  /** Members of plugin.json that are to be different. */
  readonly manifest?: Readonly<Record<string, unknown>>;
  /** The whole text of plugin.json instead. */
  readonly manifestText?: string;
}

export interface ArchiveOptions extends LibraryOptions {
  readonly version?: string;
  /** The whole text of the settings schema instead. */
  readonly settings?: string;
  /** Entries after the library's own. */
  readonly more?: readonly Entry[];
}

/** The header of a ustar entry. */
export function header({ path, content = '', type = '0', target = '', size }: Entry): Buffer {
  const block = Buffer.alloc(512);
  block.write(path, 0, 100);
  block.write('0000644\0', 100);
  block.write('0000000\0', 108);
  block.write('0000000\0', 116);
  block.write(`${(size ?? Buffer.byteLength(content)).toString(8).padStart(11, '0')}\0`, 124);
  block.write('00000000000\0', 136);
  block.write(' '.repeat(8), 148);
  block.write(type, 156);
  block.write(target, 157, 100);
  block.write('ustar\x0000', 257);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return block;
}

export function tarball(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '');
    return [header(entry), content, Buffer.alloc((512 - (content.length % 512)) % 512)];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** The archive of a library with a copy of the unruly driver. Its plugin name is the id. */
export function libraryArchive(id: string, options: ArchiveOptions = {}): Buffer {
  const { version = '1.0.0', module = unruly(), more = [] } = options;
  const settings = options.settings ?? readFileSync(join(unrulyFolder, 'settings.schema.json'), 'utf8');
  return tarball([
    { path: 'package/package.json', content: JSON.stringify({ name: id, version, type: 'module' }) },
    { path: 'package/plugin.json', content: manifestOf(id, options) },
    { path: 'package/settings.schema.json', content: settings },
    { path: 'package/index.js', content: module },
    { path: 'package/misdeeds.js', content: readFileSync(join(unrulyFolder, 'misdeeds.js'), 'utf8') },
    ...more,
  ]);
}

/** The text of plugin.json of a copy of the unruly driver. */
export function manifestOf(id: string, { manifest, manifestText }: LibraryOptions): string {
  const own = JSON.parse(readFileSync(join(unrulyFolder, 'plugin.json'), 'utf8')) as object;
  return manifestText ?? JSON.stringify({ ...own, id, name: id, ...manifest });
}

/** The text of the unruly driver's module. */
export function unruly(): string {
  return readFileSync(join(unrulyFolder, 'index.js'), 'utf8');
}
