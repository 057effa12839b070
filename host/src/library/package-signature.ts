import { createHash, verify } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ErrorCode, signatureFile, signedText } from '@tagway/schemas';
import { Fault } from '@tagway/sdk';
import { isObject, isText } from '../core/system/shapes.ts';
import { originFile } from './origin.ts';
import { readKeys, type SignaturePolicy } from './signature.ts';

/**
 * Checks the signature that the author of a package has put into it: Ed25519 over its name, its version and the hash of every other file. As
 * with an archive that has one beside it, it is looked at when there is a key to verify it with, and must then be good. Returns whether it
 * was verified. Rejects with LIBRARY_ADD_FAILED.
 */
export async function checkPackageSignature(
  folder: string,
  { folder: trusted, isRequired }: SignaturePolicy,
): Promise<boolean> {
  const keys = await readKeys(trusted);
  const text = await readFile(join(folder, signatureFile), 'utf8').catch(() => undefined);
  if (text === undefined) {
    if (isRequired)
      throw refused(`has no ${signatureFile} of its author, and this gateway takes signed plugins only`);
    return false;
  }
  if (keys.length === 0) {
    if (isRequired) throw refused(`is signed, but there is no public key in ${trusted} to verify it with`);
    return false;
  }
  const signed: unknown = parsed(text);
  const packageJson: unknown = parsed(await readFile(join(folder, 'package.json'), 'utf8').catch(() => ''));
  if (!isObject(signed) || signed['algorithm'] !== 'ed25519' || !isText(signed['signature']))
    throw refused(`has a ${signatureFile} that is no signature`);
  if (!isObject(packageJson) || !isText(packageJson['name']) || !isText(packageJson['version']))
    throw refused('is signed, and its package.json has no name or no version');
  const content = textOf(packageJson['name'], packageJson['version'], await hashesIn(folder));
  const bytes = Buffer.from(signed['signature'], 'base64');
  if (keys.some((key) => verify(null, content, key, bytes))) return true;
  throw refused(
    `has a ${signatureFile} that is not by any of the keys in ${trusted}, or was changed after it was signed`,
  );
}

function textOf(
  name: string,
  version: string,
  files: Iterable<readonly [path: string, sha512: string]>,
): Buffer {
  try {
    return Buffer.from(signedText({ name, version, files }));
  } catch (cause) {
    throw refused(cause instanceof Error ? cause.message : String(cause), cause);
  }
}

/** By the paths of the files in the package. What the gateway itself has written does not count. */
async function hashesIn(folder: string): Promise<(readonly [path: string, sha512: string])[]> {
  const hashes: (readonly [string, string])[] = [];
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name);
    const path = relative(folder, file).split(sep).join('/');
    if (!entry.isFile() || path === originFile) continue;
    const hash = createHash('sha512');
    await pipeline(createReadStream(file), hash);
    hashes.push([path, hash.digest('hex')]);
  }
  return hashes;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function refused(reason: string, cause?: unknown): Fault {
  return new Fault(ErrorCode.LIBRARY_ADD_FAILED, `The package ${reason}.`, { cause });
}
