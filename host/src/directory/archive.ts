import { archiveLimits, ErrorCode, type Registry } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { checkData, parse } from 'ssri';
import type { FetchedArchive, Received, SignedVersion } from '../core/ports/registries.ts';
import { refusal } from './json-reply.ts';
import { ask, checkOrigin, nameOf } from './request.ts';

/** Milliseconds for an archive as a whole: of the largest one at 16 kB a second. */
const deadline = 15 * 60_000;
/** Times that a download goes on after its connection was cut. */
const mostCuts = 5;

/** Fetches an archive and checks its hash; what is signed of that is verified before. Rejects with a fault. */
export async function fetchArchive(
  registry: Registry,
  version: SignedVersion,
  progress: (received: Received) => void,
  signal: AbortSignal,
): Promise<FetchedArchive> {
  const { archive, integrity } = version;
  const hashes = parse(integrity, { strict: true });
  const sha512 = hashes?.['sha512']?.map(String).join(' ') ?? '';
  if (sha512 === '')
    throw new Fault(
      ErrorCode.PACKAGE_UNTRUSTED,
      `${nameOf(registry)} gives no SHA-512 of the archive. It is not fetched.`,
    );
  const url = new URL(archive);
  checkOrigin(registry, url);
  const whole = AbortSignal.any([signal, AbortSignal.timeout(deadline)]);
  const content = await download(registry, url, progress, whole);
  const found = checkData(content, sha512);
  if (found === false)
    throw new Fault(
      ErrorCode.PACKAGE_UNTRUSTED,
      `The archive that ${nameOf(registry).replace('The', 'the')} sends has another SHA-512 than it says: it was altered, or cut. It is not installed.`,
    );
  return { content, sha512: found.digest };
}

/** A cut download goes on where it was cut if the server takes that, and else begins anew. */
async function download(
  registry: Registry,
  url: URL,
  progress: (received: Received) => void,
  signal: AbortSignal,
): Promise<Buffer> {
  let chunks: Buffer[] = [];
  let received = 0;
  let tag: string | undefined;
  for (let cuts = 0; ; cuts++) {
    const reply = await ask({
      registry,
      url,
      signal,
      from: received,
      accept: 'application/octet-stream, */*',
      most: archiveLimits.packed,
      isArchive: true,
    });
    const { status, headers, body } = reply;
    if (status !== 200 && status !== 206) {
      await body.return();
      if (status === 404 || status === 410)
        throw new Fault(
          ErrorCode.PACKAGE_NOT_FOUND,
          `${nameOf(registry)} names the version, and does not have its archive any more.`,
        );
      throw refusal(registry, status);
    }
    const goesOn = status === 206 && headers.etag === tag && isFrom(headers['content-range'], received);
    if (!goesOn) {
      if (status === 206) {
        // Another file, or another part of it, than what is there.
        await body.return();
        chunks = [];
        received = 0;
        continue;
      }
      chunks = [];
      received = 0;
    }
    tag = headers.etag;
    const length = Number(headers['content-length'] ?? NaN);
    const size = Number.isSafeInteger(length) ? received + length : undefined;
    try {
      for await (const chunk of body) {
        chunks.push(chunk);
        received += chunk.length;
        progress({ received, ...(size !== undefined && { size }) });
      }
      return Buffer.concat(chunks);
    } catch (error) {
      const isCut = (error as Partial<Fault>).code === ErrorCode.REGISTRY_UNREACHABLE;
      if (!isCut || cuts === mostCuts || signal.aborted) throw error;
    }
  }
}

function isFrom(range: string | undefined, received: number): boolean {
  return range?.startsWith(`bytes ${received}-`) === true;
}
