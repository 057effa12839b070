import { ErrorCode } from '@tagway/schemas';
import { checkData, parse } from 'ssri';
import type { FetchedArchive, Received, SignedVersion } from '../core/ports/registries.ts';
import { Refusal, sentence } from '../core/system/sentence.ts';
import type { Source } from './source.ts';

/** Fetches an archive and checks its hash; what is signed of that is verified before. Rejects with a fault. */
export async function fetchArchive(
  source: Source,
  version: SignedVersion,
  progress: (received: Received) => void,
): Promise<FetchedArchive> {
  const { registry } = source;
  const hashes = parse(version.integrity, { strict: true });
  const sha512 = hashes?.['sha512']?.map(String).join(' ') ?? '';
  if (sha512 === '')
    throw new Refusal(
      ErrorCode.PACKAGE_UNTRUSTED,
      sentence`The registry ${registry.url} gives no SHA-512 of the archive. It is not fetched.`,
    );
  const content = await source.archive(version, progress);
  const found = checkData(content, sha512);
  if (found === false)
    throw new Refusal(
      ErrorCode.PACKAGE_UNTRUSTED,
      sentence`The archive that the registry ${registry.url} sends has another SHA-512 than it says: it was altered, or cut. It is not installed.`,
    );
  return { content, sha512: found.digest };
}
