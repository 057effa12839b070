import { archiveLimits, ErrorCode, type Registry } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import type { Received, SignedVersion } from '../core/ports/registries.ts';
import { refusal } from './json-reply.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';
import { ask, checkOrigin } from './request.ts';

/** Milliseconds for an archive as a whole: of the largest one at 16 kB a second. */
const deadline = 15 * 60_000;
/** Times that a download goes on after its connection was cut. */
const mostCuts = 5;

/** A cut download goes on where it was cut if the server takes that, and else begins anew. */
export async function download(
  registry: Registry,
  { archive }: SignedVersion,
  progress: (received: Received) => void,
  ending: AbortSignal,
): Promise<Buffer> {
  const url = new URL(archive);
  checkOrigin(registry, url);
  const signal = AbortSignal.any([ending, AbortSignal.timeout(deadline)]);
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
        throw new Refusal(
          ErrorCode.PACKAGE_NOT_FOUND,
          sentence`The registry ${registry.url} names the version, and does not have its archive any more.`,
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
