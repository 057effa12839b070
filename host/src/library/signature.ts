import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ErrorCode } from '@tagway/schemas';
import type { Fault } from '@tagway/sdk';
import { Refusal, sentence } from '../core/system/sentence.ts';

export interface SignaturePolicy {
  /** Folder of the public keys that are trusted, `*.pem`. It need not exist. */
  readonly folder: string;
  /** Whether a library without a signature is refused. */
  readonly isRequired: boolean;
}

const verifyAside = promisify(verify);

/**
 * Checks an archive against its signature: base64 of an Ed25519 signature over the bytes of the archive. A signature is looked at when
 * there is a key to verify it with, and must then be good. Rejects with LIBRARY_ADD_FAILED. Keys are read each time, so that a change
 * needs no restart.
 */
export async function checkSignature(
  archive: Uint8Array,
  signature: string | undefined,
  { folder, isRequired }: SignaturePolicy,
): Promise<void> {
  const keys = await readKeys(folder);
  if (signature === undefined) {
    if (isRequired) throw refused('has no signature, and this gateway takes signed libraries only');
    return;
  }
  if (keys.length === 0) {
    if (isRequired) throw refused(`is signed, but there is no public key in ${folder} to verify it with`);
    return;
  }
  const bytes = Buffer.from(signature.trim(), 'base64');
  for (const key of keys) if (await verifyAside(null, archive, key, bytes)) return;
  throw refused(
    `has a signature that is not by any of the keys in ${folder}, or was changed after it was signed`,
  );
}

/** The public keys in a folder; none where it does not exist. Rejects with LIBRARY_ADD_FAILED for a file that holds none. */
export async function readKeys(folder: string): Promise<KeyObject[]> {
  const names: string[] = await readdir(folder).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.pem'))
      .map(async (name) => {
        const file = join(folder, name);
        try {
          const key = createPublicKey(await readFile(file));
          if (key.asymmetricKeyType === 'ed25519') return key;
        } catch (cause) {
          throw refused(`cannot be checked, because ${file} cannot be read as a public key`, cause);
        }
        throw refused(`cannot be checked, because the key in ${file} is not an Ed25519 key`);
      }),
  );
}

/** A key as text, for a process that reads no files. */
export function pemOf(key: KeyObject): string {
  return String(key.export({ type: 'spki', format: 'pem' }));
}

function refused(reason: string, cause?: unknown): Fault {
  return new Refusal(ErrorCode.LIBRARY_ADD_FAILED, sentence`The library ${reason}.`, { cause });
}
