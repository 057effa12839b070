import { createGunzip } from 'node:zlib';

/** What a gzipped archive holds, in pieces. Throws what `tooBig` makes when that is more than `most` bytes. */
export async function* inflate(
  archive: Uint8Array,
  most: number,
  tooBig: () => Error,
): AsyncGenerator<Buffer> {
  const gunzip = createGunzip();
  gunzip.end(archive);
  let size = 0;
  for await (const chunk of gunzip as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > most) throw tooBig();
    yield chunk;
  }
}
