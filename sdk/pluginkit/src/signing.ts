import { createPrivateKey, createPublicKey, hash, type KeyObject, sign, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type PackageSignature, signedText } from '@tagway/schemas';
import { Failure } from './failure.ts';

/** Name and version of a package, and the contents of its files by their paths in it. */
export interface PackageFiles {
  readonly name: string;
  readonly version: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** The signature of a package, as its signature.json holds it. Throws a failure for a path that cannot be signed. */
export function signatureOf(content: PackageFiles, key: KeyObject): PackageSignature {
  const text = textOf(content);
  const signature = sign(null, Buffer.from(text), key).toString('base64');
  return { algorithm: 'ed25519', key: fingerprintOf(createPublicKey(key)), signature };
}

/** Whether a signature is that of a key over just these files. */
export function isSignedBy(content: PackageFiles, { signature }: PackageSignature, key: KeyObject): boolean {
  return verify(null, Buffer.from(textOf(content)), key, Buffer.from(signature, 'base64'));
}

/** How a public key is called in sentences: `SHA256:` and the base64 of its hash. */
export function fingerprintOf(publicKey: KeyObject): string {
  const bytes = publicKey.export({ type: 'spki', format: 'der' });
  return `SHA256:${hash('sha256', bytes, 'base64').replace(/=+$/, '')}`;
}

/** The Ed25519 private key in a PEM file. */
export function readKey(file: string): KeyObject {
  return keyIn(file, createPrivateKey);
}

/** The public key in a PEM file, which may hold the private one. */
export function readPublicKey(file: string): KeyObject {
  return keyIn(file, createPublicKey);
}

function keyIn(file: string, parse: (pem: Buffer) => KeyObject): KeyObject {
  const make = 'Make one: openssl genpkey -algorithm ed25519';
  let key: KeyObject;
  try {
    key = parse(readFileSync(file));
  } catch (cause) {
    throw new Failure(`There is no such key in ${file} that can be read as PEM. ${make}`, { cause });
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new Failure(`The key in ${file} is not an Ed25519 key. ${make}`);
  return key;
}

function textOf({ name, version, files }: PackageFiles): string {
  const hashes = [...files].map(([path, bytes]) => [path, hash('sha512', bytes, 'hex')] as const);
  try {
    return signedText({ name, version, files: hashes });
  } catch (cause) {
    throw new Failure(`The package ${cause instanceof Error ? cause.message : String(cause)}.`, { cause });
  }
}
