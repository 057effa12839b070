import { open, realpath } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ErrorCode, type Registry } from '@tagway/schemas';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import { ask } from '../request.ts';
import { refusal } from '../json-reply.ts';
import { folderOf } from './mirror-address.ts';

/** A file of the folder; undefined where there is none. Rejects with a fault for one that is larger than `most` bytes. */
export function readInFolder(
  registry: Registry,
  name: string,
  most: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const folder = folderOf(registry);
  return folder.startsWith('file:')
    ? readFile(registry, fileURLToPath(folder), name, most)
    : fetchFile(registry, new URL(name, folder), most, signal);
}

/** Of the folder itself alone: a link that leads out of it is refused, and so is what is no file. */
async function readFile(
  registry: Registry,
  folder: string,
  name: string,
  most: number,
): Promise<Buffer | undefined> {
  try {
    const root = await realpath(folder);
    const path = await realpath(join(root, name));
    if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) throw outside(registry);
    await using file = await open(path);
    const stat = await file.stat();
    if (!stat.isFile()) throw outside(registry);
    if (stat.size > most) throw tooLarge(registry, most);
    return await file.readFile();
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    // What the process may not read lies outside of the folder.
    if (code === 'ERR_ACCESS_DENIED' || code === 'ELOOP') throw outside(registry);
    throw new Refusal(
      ErrorCode.REGISTRY_UNREACHABLE,
      sentence`A file of the mirror ${registry.url} cannot be read (${code ?? 'unknown'}). Is the disk in its place, and may the gateway read it?`,
      { cause: error },
    );
  }
}

async function fetchFile(
  registry: Registry,
  url: URL,
  most: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const whole = AbortSignal.any([signal, AbortSignal.timeout(60_000)]);
  const wish = { registry, url, most, signal: whole, accept: '*/*', isArchive: false };
  const { status, body } = await ask(wish);
  if (status !== 200) {
    await body.return();
    if (status === 404 || status === 410) return undefined;
    throw refusal(registry, status);
  }
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function outside({ url }: Registry): Refusal {
  return new Refusal(
    ErrorCode.ADDRESS_REFUSED,
    sentence`The mirror ${url} leads to something that is no file within its folder. That is not read.`,
  );
}

function tooLarge({ url }: Registry, most: number): Refusal {
  return new Refusal(
    ErrorCode.REGISTRY_REPLY_INVALID,
    sentence`The mirror ${url} has a file of more than ${Math.round(most / 1e6)} MB, which is more than is taken.`,
  );
}
