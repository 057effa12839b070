/** A file or folder in an archive. Its content is read, or left, before the next entry is asked for. */
export interface TarEntry {
  /** As the archive has it, which may be anything. */
  readonly path: string;
  readonly isFolder: boolean;
  readonly isExecutable: boolean;
  /** Bytes. */
  readonly size: number;
  readonly content: AsyncIterable<Uint8Array>;
}

const block = 512;
/** Most bytes of an extended header: a path fits many times. */
const headerLimit = 64 << 10;

/**
 * Reads a tar archive: ustar and its extended headers (POSIX.1-2001, pax) and the long names of GNU tar. Throws an error that
 * completes the sentence "The archive …" for what is no such archive, and for links, devices and whatever else is no file or folder.
 */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const bytes = new Bytes(source);
  let extended = new Map<string, string>();
  for (;;) {
    const header = await bytes.take(block);
    if (header.every((byte) => byte === 0)) return;
    checkSum(header);
    const size = Number(extended.get('size') ?? sizeOf(header));
    if (!Number.isSafeInteger(size) || size < 0) throw new Error('has an entry without a valid size');
    const type = String.fromCharCode(header[156] ?? 0);
    if (type === 'x' || type === 'g' || type === 'L') {
      if (size > headerLimit) throw new Error('has an extended header that is too long');
      const content = await bytes.take(size);
      await bytes.skip(padding(size));
      if (type === 'x') extended = recordsOf(content);
      if (type === 'L') extended.set('path', textOf(content));
      continue;
    }
    const path = extended.get('path') ?? pathOf(header);
    if (type !== '0' && type !== '\0' && type !== '5') {
      throw new Error(`has an entry that is neither a file nor a folder, but perhaps a link: "${path}"`);
    }
    const after = bytes.position + size;
    yield {
      path,
      isFolder: type === '5' || path.endsWith('/'),
      isExecutable: (octal(header, 100, 8) & 0o111) !== 0,
      size,
      content: bytes.chunks(size),
    };
    await bytes.skip(after - bytes.position + padding(size));
    extended = new Map();
  }
}

function padding(size: number): number {
  return (block - (size % block)) % block;
}

function textOf(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? field.length : end);
}

function octal(header: Buffer, start: number, length: number): number {
  return Number.parseInt(textOf(header.subarray(start, start + length)).trim() || '0', 8);
}

/** NaN for the binary sizes that GNU tar writes from 8 GiB on. */
function sizeOf(header: Buffer): number {
  return ((header[124] ?? 0) & 0x80) === 0 ? octal(header, 124, 12) : NaN;
}

function pathOf(header: Buffer): string {
  const name = textOf(header.subarray(0, 100));
  // Old GNU tar has times of the file where ustar has the beginning of the path.
  const isUstar = header.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : '';
  return prefix === '' ? name : `${prefix}/${name}`;
}

function checkSum(header: Buffer): void {
  let sum = 8 * 0x20;
  for (const [index, byte] of header.entries()) if (index < 148 || index >= 156) sum += byte;
  if (sum !== octal(header, 148, 8)) throw new Error('is not a tar archive');
}

/** Records of a pax header: `<length> <key>=<value>\n`, the length in bytes and of the whole record. */
function recordsOf(content: Buffer): Map<string, string> {
  const records = new Map<string, string>();
  for (let start = 0; start < content.length;) {
    const space = content.indexOf(' ', start);
    const length = Number(content.toString('latin1', start, space));
    const end = start + length;
    const equals = content.indexOf('=', space);
    if (space < 0 || !(length > 0) || end > content.length || equals < 0 || equals >= end) {
      throw new Error('has a damaged extended header');
    }
    records.set(content.toString('utf8', space + 1, equals), content.toString('utf8', equals + 1, end - 1));
    start = end;
  }
  return records;
}

/** A stream of chunks as bytes that can be counted off. */
class Bytes {
  position = 0;
  readonly #source: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  async take(count: number): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.chunks(count)) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  async skip(count: number): Promise<void> {
    const chunks = this.chunks(count);
    while (!(await chunks.next()).done);
  }

  async *chunks(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0) {
        const next = await this.#source.next();
        if (next.done) throw new Error('ends in the middle');
        this.#rest = Buffer.from(next.value.buffer, next.value.byteOffset, next.value.byteLength);
      }
      const chunk = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(chunk.length);
      this.position += chunk.length;
      left -= chunk.length;
      yield chunk;
    }
  }
}
