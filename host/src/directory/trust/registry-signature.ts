import { createHash, createPublicKey, type KeyObject, verify } from 'node:crypto';
import { ErrorCode, type Registry } from '@tagway/schemas';
import type { SignedVersion } from '../../core/ports/registries.ts';
import { Refusal, sentence } from '../../core/system/sentence.ts';
import type { Renewed } from '../messages.ts';
import { trustFile } from './trust-files.ts';

/** A key of a registry, and until when it has signed. */
interface RegistryKey {
  readonly key: KeyObject;
  /** Milliseconds since the epoch. */
  readonly end?: number;
}

interface KeyFile {
  readonly keys: readonly {
    readonly keyId: string;
    readonly keyUsage: string;
    readonly publicKey: { readonly rawBytes: string; readonly validFor?: { readonly end?: string } };
  }[];
}

/**
 * Checks what a registry has signed: name, version and hash of an archive, by ECDSA. Returns whether a signature by one of its keys is there
 * and good. A signature by a key that is not known says nothing. Throws PACKAGE_UNTRUSTED for one that is not good, and where there has to
 * be one.
 */
export function verifySignatures(
  registry: Registry,
  { name, version, time, integrity, signatures }: SignedVersion,
  renewed: Renewed | undefined,
): boolean {
  const keys = keysOf(registry, renewed);
  let isSigned = false;
  for (const { keyid, sig } of signatures) {
    const known = keys.get(keyid);
    if (known === undefined) continue;
    const text = Buffer.from(`${name}@${version}:${integrity}`);
    const isInTime = known.end === undefined || (time !== undefined && time < known.end);
    if (!isInTime || !verify('sha256', text, known.key, Buffer.from(sig, 'base64')))
      throw new Refusal(
        ErrorCode.PACKAGE_UNTRUSTED,
        isInTime
          ? sentence`Version ${version} of the package ${name} has a signature by a key of the registry ${registry.url} that is not good: what it says was altered. It is not installed.`
          : sentence`Version ${version} of the package ${name} has a signature by a key of the registry ${registry.url} that is not good: it was made after the end of the key. It is not installed.`,
      );
    isSigned = true;
  }
  if (!isSigned && registry.require_signature === true)
    throw new Refusal(
      ErrorCode.PACKAGE_UNTRUSTED,
      sentence`Version ${version} of the package ${name} has no signature by a known key of its registry, and the registry ${registry.url} is set so that one is required. It is not installed.`,
    );
  return isSigned;
}

/** Those that an admin has given for the registry, or those of npm: renewed, or as they come with the gateway. */
function keysOf({ keys = [] }: Registry, renewed: Renewed | undefined): ReadonlyMap<string, RegistryKey> {
  return keys.length > 0 ? givenKeys(keys) : npmKeys(trustFile('keys.json', renewed));
}

function givenKeys(pems: readonly string[]): ReadonlyMap<string, RegistryKey> {
  return new Map(
    pems.map((pem) => {
      const key = createPublicKey(pem);
      const hash = createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest('base64');
      return [`SHA256:${hash.replace(/=+$/, '')}`, { key }];
    }),
  );
}

/** Those of a file keys.json of npm. Throws when it is none. */
export function npmKeys(text: string): ReadonlyMap<string, RegistryKey> {
  const keys = new Map<string, RegistryKey>();
  const { keys: list } = JSON.parse(text) as KeyFile;
  for (const { keyId, keyUsage, publicKey } of list) {
    if (keyUsage !== 'npm:signatures') continue;
    const key = createPublicKey({
      key: Buffer.from(publicKey.rawBytes, 'base64'),
      type: 'spki',
      format: 'der',
    });
    const end = publicKey.validFor?.end;
    keys.set(keyId, { key, ...(end !== undefined && { end: Date.parse(end) }) });
  }
  return keys;
}
